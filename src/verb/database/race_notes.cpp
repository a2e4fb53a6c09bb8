#include "verb/database/race_notes.h"

#include <algorithm>
#include <map>
#include <set>

#include "read/logs/statements/comment_tags.h"

namespace txscope::verb {
namespace {

std::string last_words(std::string complaint) {
  while (!complaint.empty() && complaint.back() == '\n') complaint.pop_back();
  return complaint.substr(complaint.find_last_of('\n') + 1);
}

std::string origin_of(const race::Statement& statement) {
  std::string text = statement.sql;
  const logs::CommentTags tags = logs::take_comment_tags(text);
  if (tags.source.empty()) return tags.route;
  return tags.route + (tags.route.empty() ? "" : " at ") + tags.source;
}

}  // namespace

void add_notes_of_failures(const RaceDetail& detail,
                           std::vector<std::string>& notes) {
  const race::Findings& found = detail.findings;
  std::map<std::pair<std::size_t, int>, std::pair<std::size_t, std::string>>
      failures;
  for (const race::Outcome& outcome : found.outcomes)
    for (std::size_t i = 0; i < outcome.requests.size(); ++i) {
      const race::RequestEnd& end = outcome.requests[i];
      const bool is_usual = std::any_of(
          found.serial.begin(), found.serial.end(), [&](const auto& serial) {
            return serial.requests[i].status == end.status;
          });
      if (is_usual || !end.last_error.empty()) continue;
      auto& failure = failures[{i, end.status}];
      failure.first += outcome.schedules;
      failure.second = last_words(end.complaint);
    }
  for (const auto& [which, failure] : failures) {
    const auto& [request, status] = which;
    const auto& [schedules, words] = failure;
    notes.push_back(
        "request " + detail.plan.requests[request].name +
        (status < 0 ? " is killed by signal " + std::to_string(-status)
                    : " ends with exit status " + std::to_string(status)) +
        " in " + std::to_string(schedules) +
        (schedules == 1 ? " schedule" : " schedules") +
        ", never one after the other" + (words.empty() ? "" : ": " + words));
  }
}

void add_notes_of_origins(const RaceDetail& detail,
                          std::vector<std::string>& notes) {
  std::vector<std::set<std::string>> origins(detail.plan.requests.size());
  for (const race::Outcome& outcome : detail.findings.outcomes)
    for (const race::Event& event : outcome.example.events)
      for (const race::Statement& statement : event.statements)
        origins[event.choice.request].insert(origin_of(statement));
  for (std::size_t i = 0; i < origins.size(); ++i)
    for (const std::string& origin : origins[i])
      if (!origin.empty())
        notes.push_back("request " + detail.plan.requests[i].name + " is " +
                        origin);
}

}  // namespace txscope::verb
