#include "verb/database/race_script.h"

#include <filesystem>
#include <map>

namespace txscope::verb {
namespace {

using Saving = nlohmann::json;

/// Follows the steps, and knows which connection is which session.
class RaceScriptWriter {
 public:
  RaceScriptWriter(const Saving& result, const Saving& outcome)
      : result_(result), outcome_(outcome) {}

  report::SentScript run() {
    for (const Saving& step : outcome_.at("schedule")) add(step);
    return std::move(script_);
  }

 private:
  using Connection = std::pair<std::size_t, std::size_t>;

  std::size_t session_of(const Connection& connection) {
    const auto [found, is_new] =
        sessions_.emplace(connection, script_.sessions.size());
    if (!is_new) return found->second;
    std::string name = "request " + result_.at("requests")
                                        .at(connection.first - 1)
                                        .at("name")
                                        .get<std::string>();
    if (connection.second > 1)
      name += ", connection " + std::to_string(connection.second);
    script_.sessions.push_back(std::move(name));
    return found->second;
  }

  void add(const Saving& step) {
    const Connection connection = {step.at("request"), step.at("connection")};
    const std::size_t session = session_of(connection);
    for (const Saving& one : step.value("before", Saving::array()))
      script_.sent.push_back({session, one, "", "", false, false});
    for (const Saving& one : step.value("sql", Saving::array()))
      script_.sent.push_back({session, one, "", "", false, false});
    const bool is_step = !step.value("victim", false) && !script_.sent.empty();
    if (is_step && step.value("waits", false)) {
      script_.sent.back().waits = true;
      script_.sent.back().comment = "waits";
      waiting_[connection.first] = script_.sent.size() - 1;
    }
    for (const Saving& error : step.value("errors", Saving::array()))
      note_error(error.at("request"), error.at("code"));
  }

  /// Of what the request sent last, which may have waited since.
  void note_error(std::size_t request, const std::string& code) {
    const auto waiting = waiting_.find(request);
    std::size_t at = script_.sent.size() - 1;
    if (waiting != waiting_.end()) at = waiting->second;
    report::SentScript::Sent& sent = script_.sent[at];
    sent.comment +=
        (sent.comment.empty() ? "fails with " : ", then fails with ") + code;
    sent.fails = true;
  }

  const Saving& result_;
  const Saving& outcome_;
  std::map<Connection, std::size_t> sessions_;
  std::map<std::size_t, std::size_t> waiting_;  ///< by request
  report::SentScript script_;
};

constexpr const char* kPytestOfRace = R"py(
import os
import shutil
import subprocess

import pytest

TXSCOPE = os.environ.get("TXSCOPE", "txscope")


@pytest.mark.skipif(not shutil.which(TXSCOPE), reason="there is no txscope")
def test_the_race_does_not_happen_again():
    ran = subprocess.run([TXSCOPE, "replay", FINDING], capture_output=True, text=True)
    assert ran.returncode in (0, 3), ran.stdout + ran.stderr
)py";

}  // namespace

report::SentScript race_script(const Saving& result, const Saving& outcome,
                               const std::string& setup) {
  report::SentScript script = RaceScriptWriter(result, outcome).run();
  script.title =
      "a race" + (setup.empty() ? " on a copy of " + result.value("db", "")
                                : std::string());
  if (!setup.empty()) script.setup = {setup};
  const Saving broken = outcome.value("broken_rules", Saving::array());
  if (!broken.empty()) {
    script.condition_name = broken.front();
    script.condition = result.at("rules").at(script.condition_name);
    script.title = "'" + script.condition_name + "' breaks in " + script.title;
  }
  for (const auto& [table, rows] : outcome.at("state").items())
    script.finals.emplace_back(table, report::SentScript::Rows());
  return script;
}

std::string race_pytest(const std::string& file, const std::string& title) {
  const std::string path = std::filesystem::absolute(file).string();
  return "\"\"\"" + title +
         ": fails as long as its schedule can be repeated.\"\"\"\n" +
         kPytestOfRace + "\n\n# What `txscope race --format json` found.\n" +
         "FINDING = " + Saving(path).dump() + "\n";
}

}  // namespace txscope::verb
