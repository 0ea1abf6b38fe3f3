// The writers, one file for each kind of output; make_writer() chooses among them.
#pragma once

#include <memory>

#include "cli/writer.h"
#include "shardstats/report/verdict.h"

namespace shardstats::cli {

constexpr Verdict verdict_of(int exit_status) { return static_cast<Verdict>(exit_status); }

// They keep a reference to `options`.
std::unique_ptr<Writer> make_text_writer(const Options& options, const TextStyle& style);
std::unique_ptr<Writer> make_json_writer(const Options& options);
std::unique_ptr<Writer> make_ndjson_writer(const Options& options);
std::unique_ptr<Writer> make_csv_writer(const Options& options);
std::unique_ptr<Writer> make_markdown_writer(const Options& options);
std::unique_ptr<Writer> make_sarif_writer(const Options& options);
std::unique_ptr<Writer> make_junit_writer(const Options& options);
std::unique_ptr<Writer> make_github_writer();
std::unique_ptr<Writer> make_html_writer();
std::unique_ptr<Writer> make_page_writer(const Options& options);
std::unique_ptr<Writer> make_trace_writer();

}  // namespace shardstats::cli
