# Embeds the page of `shardstats report` and its chart library into the library of src/report.
find_file(SHARDSTATS_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH
          DOC "Chart.js 3.9, minified, one file (Debian: libjs-chart.js)")
if(NOT SHARDSTATS_CHART_JS)
  message(FATAL_ERROR "Chart.js 3.9 is missing: install libjs-chart.js, or set SHARDSTATS_CHART_JS to its chart.min.js")
endif()

set(page ${PROJECT_SOURCE_DIR}/src/report/html)
set(embedded page_html=${page}/page.html page_css=${page}/page.css chart_js=${SHARDSTATS_CHART_JS}
             chart_license=${page}/chart-license.txt)
foreach(script IN ITEMS numbers elements grid views charts steps heat_map page)  # in one scope, in this order
  list(APPEND embedded page_js=${page}/${script}.js)
endforeach()
set(embedded_paths ${embedded})
list(TRANSFORM embedded_paths REPLACE "^[a-z_]+=" "")
set(assets ${PROJECT_BINARY_DIR}/generated/report/html/assets.cc)
add_custom_command(
  OUTPUT ${assets}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${assets} "-DFILES=${embedded}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${embedded_paths} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding the report page"
  VERBATIM)
target_sources(shardstats_report PRIVATE ${assets})
