#include "cli/writer.h"

#include "cli/writers.h"

namespace shardstats::cli {

std::unique_ptr<Writer> make_writer(OutputFormat format, const Options& options, const TextStyle& style) {
  switch (format) {
    case OutputFormat::html:
      return options.command == CommandId::report ? make_html_writer() : make_page_writer(options);
    case OutputFormat::trace:
      return make_trace_writer();
    case OutputFormat::text:
      break;
    case OutputFormat::json:
      return make_json_writer(options);
    case OutputFormat::ndjson:
      return make_ndjson_writer(options);
    case OutputFormat::csv:
      return make_csv_writer(options);
    case OutputFormat::markdown:
      return make_markdown_writer(options);
    case OutputFormat::sarif:
      return make_sarif_writer(options);
    case OutputFormat::junit:
      return make_junit_writer(options);
    case OutputFormat::github:
      return make_github_writer();
  }
  return make_text_writer(options, style);
}

}  // namespace shardstats::cli
