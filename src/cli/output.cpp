#include "cli/output.h"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/budget.h"
#include "base/file.h"

namespace txscope::cli {
namespace {

const auto kStarted = std::chrono::steady_clock::now();

}  // namespace

double seconds_since_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       kStarted)
      .count();
}

Result<Done> write_output(const Output& output, const std::string& text) {
  if (!output.file.empty()) return write_file_atomically(output.file, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    return Error{Place{"standard output", 0, 0, {}}, "cannot write", "", ""};
  return Done{};
}

std::string json_report(std::string_view verb, const std::string& input,
                        nlohmann::ordered_json results, double seconds) {
  nlohmann::ordered_json json;
  json["tool"] = "txscope";
  json["version"] = TXSCOPE_VERSION;
  json["verb"] = verb;
  json["input"] = input;
  json["results"] = std::move(results);
  json["time_ms"] = static_cast<std::int64_t>(seconds * 1000);
  json["peak_memory_mb"] =
      static_cast<std::int64_t>(peak_memory() / (1024 * 1024));
  using Json = nlohmann::ordered_json;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace txscope::cli
