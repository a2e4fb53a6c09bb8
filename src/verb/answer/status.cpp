#include "txscope/status.h"

#include <algorithm>
#include <string>
#include <utility>

#include "verb/input/levels.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

constexpr std::pair<std::string_view, About> kNames[] = {
    {"rule", About::Rule},
    {"serial", About::Serial},
    {"deadlock", About::Deadlock},
    {"error", About::Error},
    {"level", About::Level}};

}  // namespace

std::string_view name(About about) {
  for (const auto& [text, value] : kNames)
    if (value == about) return text;
  return "";
}

Result<std::vector<About>> parse_fail_on(std::string_view names) {
  if (names.empty()) return StatusOptions().fail_on;
  std::vector<About> all = {About::Level};
  for (const std::string& part : level_names(std::string(names))) {
    const auto row =
        std::find_if(std::begin(kNames), std::end(kNames),
                     [&](const auto& one) { return one.first == part; });
    if (row == std::end(kNames) || row->second == About::Level)
      return wrong_call("--fail-on: there is no '" + part + "'",
                        "rule, serial, deadlock, error, or several of them");
    all.push_back(row->second);
  }
  return all;
}

bool StatusOptions::fails_on(About about) const {
  return std::find(fail_on.begin(), fail_on.end(), about) != fail_on.end();
}

bool counts_nothing(const Report& report, const StatusOptions& options) {
  if (report.checked.rules > 0 || report.findings.empty()) return false;
  const auto is_other = [](About about) {
    return about != About::Rule && about != About::Level;
  };
  return std::none_of(options.fail_on.begin(), options.fail_on.end(),
                      is_other) &&
         std::none_of(
             report.findings.begin(), report.findings.end(),
             [&](const Finding& f) { return options.fails_on(f.about); });
}

int status_of(const Report& report, const StatusOptions& options) {
  if (!report.problems.empty()) return kWrong;
  if (report.failure && report.findings.empty()) return kWrong;
  bool is_open =
      (report.checked.is_vacuous() || counts_nothing(report, options)) &&
      !options.allow_vacuous;
  for (const Finding& finding : report.findings) {
    if (finding.is_aside || !options.fails_on(finding.about)) continue;
    if (finding.outcome == Outcome::Violated) return kViolated;
    is_open |= finding.outcome == Outcome::Undecided;
    is_open |= !finding.vacuous_because.empty() && !options.allow_vacuous;
    is_open |= !finding.partial_because.empty() && !options.allow_partial;
  }
  return is_open ? kUndecided : kHolds;
}

int status_of(const std::vector<Promise>& told) {
  const bool is_violated = std::any_of(
      told.begin(), told.end(),
      [](const Promise& one) { return one.known == Promise::Known::Violated; });
  return is_violated ? kViolated : kUndecided;
}

}  // namespace txscope::verb
