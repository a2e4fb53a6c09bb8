#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/budget.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "cli/colour.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"

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
  rest_watchdogs();
  const bool is_text = output.format == "text";
  if (interrupted() != 0) {
    std::fputs("interrupted; what is known until now:\n", stderr);
    if (is_text) std::fputs(shown(text).c_str(), stderr);
    return Done{};
  }
  std::string safe = is_text ? shown(text) : text;
  if (!output.file.empty()) return write_file_atomically(output.file, safe);
  if (is_text && has_colour(STDOUT_FILENO)) safe = coloured_report(safe);
  std::fwrite(safe.data(), 1, safe.size(), stdout);
  return finish_standard_output();
}

Result<Done> finish_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return Done{};
  const std::string why = errno != 0 ? std::strerror(errno) : "output error";
  std::clearerr(stdout);  // it is told once
  return Error{Place{"standard output", 0, 0, {}}, "cannot write: " + why, "",
               ""};
}

namespace {

std::string envelope(std::string_view verb, nlohmann::ordered_json input,
                     nlohmann::ordered_json results, double seconds) {
  nlohmann::ordered_json json;
  json["tool"] = "txscope";
  json["version"] = TXSCOPE_VERSION;
  json["verb"] = verb;
  json["input"] = std::move(input);
  json["results"] = std::move(results);
  json["time_ms"] = static_cast<std::int64_t>(seconds * 1000);
  json["peak_memory_mb"] =
      static_cast<std::int64_t>(peak_memory() / (1024 * 1024));
  using Json = nlohmann::ordered_json;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_report(std::string_view verb, const std::string& input,
                        nlohmann::ordered_json results, double seconds) {
  return envelope(verb, input, std::move(results), seconds);
}

std::string json_report(std::string_view verb,
                        const std::vector<std::string>& inputs,
                        nlohmann::ordered_json results, double seconds) {
  if (inputs.size() == 1)
    return envelope(verb, inputs.front(), std::move(results), seconds);
  return envelope(verb, inputs, std::move(results), seconds);
}

}  // namespace txscope::cli
