#include "txscope/replay.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "verb/database/replay_race.h"
#include "verb/database/replay_schedule.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

using Saving = nlohmann::json;

Error wrong_report(const std::string& file, std::string what) {
  return Error{Place{file, 0, 0, {}}, std::move(what),
               "make one: txscope explore app.sql --format json -o found.json",
               "", 0};
}

Result<Saving> read_report(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    return wrong_report(file, "this is a directory");
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) return wrong_report(file, "cannot be read");
  Saving report = Saving::parse(text.str(), nullptr, false);
  if (report.is_discarded()) return wrong_report(file, "this is not JSON");
  if (!report.is_object() || !report.contains("verb") ||
      !report["verb"].is_string() || !report.contains("results") ||
      !report["results"].is_array() || report["results"].empty())
    return wrong_report(file, "this is not a report of txscope");
  return report;
}

}  // namespace

Result<Report> replay(const ReplayRequest& request, const Budget& budget) {
  if (request.times < 1)
    return wrong_call("--times: 0 is out of range", "say --times 20");
  auto report = read_report(request.input);
  if (!report) return report.error();
  const std::string verb = (*report)["verb"];
  try {
    if (verb == "race" && !request.level.empty())
      return wrong_call("--level: a race runs commands, which choose theirs",
                        "leave it out");
    if (verb == "race") return replay_race(request, *report, budget);
    for (const char* known : {"explore", "verify", "robust", "analyze"})
      if (verb == known) return replay_schedules(request, *report, budget);
  } catch (const Saving::exception&) {
    return wrong_report(request.input, "a field of the report is missing");
  }
  return wrong_report(request.input,
                      "a report of '" + verb + "' has no schedule to run");
}

}  // namespace txscope::verb
