#include "report/replay/replay_report.h"

#include <nlohmann/json.hpp>

#include "report/page/wrap.h"

namespace txscope::report {
namespace {

std::string schedule_title(const StatementSchedule& schedule) {
  std::string text = "'" + schedule.name + "'";
  if (!schedule.level.empty()) text += " of " + schedule.level;
  if (schedule.level != schedule.profile->name)
    text += " at " + std::string(schedule.profile->name);
  return text;
}

std::string replay_headline(const ReplayedSchedule& one) {
  const std::string word = replay_word(one);
  if (one.times == 0) return word + ": ";
  const std::string times =
      one.times == 1
          ? ""
          : " " +
                std::to_string(word == "prevented" ? one.prevented
                                                   : one.reproduced) +
                " of " + std::to_string(one.times) + " times";
  return word + times + ": ";
}

std::string difference(const FollowedSchedule& example) {
  return "step " + std::to_string(example.step) + ": " + example.what;
}

bool differs(const ReplayedSchedule& one) {
  return one.times > 0 && one.example.end != FollowedSchedule::End::Reproduced;
}

}  // namespace

const char* replay_word(const ReplayedSchedule& one) {
  if (one.times == 0) return "undecided";
  if (one.reproduced > 0) return "reproduced";
  return one.prevented > 0 && one.prevented == one.times ? "prevented"
                                                         : "diverged";
}

std::string replayed_text(const std::vector<ReplayedSchedule>& replayed,
                          const std::string& database) {
  std::string text;
  for (const ReplayedSchedule& one : replayed) {
    text += lines(replay_headline(one), schedule_title(one.schedule));
    if (differs(one))
      text += lines("  first difference: ", difference(one.example));
    if (one.times == 0) text += "  time ran out before it ran\n";
    for (const std::string& line : one.example.trace)
      text += lines("    ", line);
    text += "\n";
  }
  if (database.empty()) return text;  // none was needed
  return text +
         lines("", counted(replayed.size(), "schedule") + " on " + database);
}

nlohmann::ordered_json replayed_json(
    const std::vector<ReplayedSchedule>& replayed,
    const std::string& database) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const ReplayedSchedule& one : replayed) {
    nlohmann::ordered_json result = {
        {"verdict", replay_word(one)},   {"level", one.schedule.level},
        {"property", one.schedule.name}, {"run_at", one.schedule.profile->name},
        {"database", database},          {"times", one.times},
        {"reproduced", one.reproduced},  {"prevented", one.prevented}};
    if (differs(one)) result["first_difference"] = difference(one.example);
    result["checked"] = {{"granularity", "statement"},
                         {"schedules", one.times},
                         {"steps", one.schedule.steps.size()}};
    result["example"] = one.example.trace;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace txscope::report
