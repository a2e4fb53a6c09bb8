#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/live/live_driver.h"
#include "engine/server/trace.h"
#include "exec/sql/routine/process.h"
#include "model/sql/application.h"

namespace txscope::db {

/// One session of an application: its calls as processes, whose statements go
/// to the server as text.
class ApplicationClient final : public LiveClient {
 public:
  ApplicationClient(const sql::Routines& routines, const sql::Session& session,
                    const Profile& level);

  [[nodiscard]] LiveRequest next() override;
  void answer(const Answer& answer) override;
  [[nodiscard]] std::string recover(const Answer& error) override;
  [[nodiscard]] const Profile& level() const override;
  [[nodiscard]] std::string account() const override;
  [[nodiscard]] const std::vector<engine::CallEnd>& ends() const {
    return ends_;
  }
  /// What each call saw and how it ended, by call.
  [[nodiscard]] const std::vector<std::string>& accounts() const {
    return accounts_;
  }
  /// Why the run says nothing: a loop's bound, text that the server does not
  /// understand.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void start();
  void end(bool is_committed, const std::string& code);

  const sql::Routines& routines_;
  const sql::Session& session_;
  const Profile& level_;
  std::size_t call_ = 0;
  std::optional<sql::Process> process_;
  std::vector<engine::CallEnd> ends_;
  std::vector<std::string> accounts_;  ///< by call
  std::string problem_;
};

/// What all interleavings of an application gave.
struct LiveOutcomes {
  struct CommittedCall {
    std::size_t call = 0;  ///< in its session
    std::string account;
  };
  struct Example {
    std::uint64_t times = 0;
    std::vector<std::string> trace;  ///< of one of them
    /// What the transactions that committed saw, by session.
    std::vector<std::vector<CommittedCall>> committed;
    std::string final;
  };
  struct Property {
    std::uint64_t breaking = 0;  ///< interleavings that end in a broken state
    bool is_violated_between = false;  ///< also after some commit
  };
  /// Why it cannot be run on this server; empty: it was.
  std::string problem;
  LiveSummary summary;
  /// By what clients see, see `outcome_text`.
  std::map<std::string, Example> outcomes;
  std::set<std::string> finals;
  std::set<std::string> serial_finals;
  std::set<std::string> aborts;      ///< codes, `raised`
  std::vector<Property> properties;  ///< by Application::properties
};

/// Runs an application on a live server.
[[nodiscard]] LiveOutcomes run_live(LiveDatabase& database,
                                    const sql::Application& application,
                                    const Profile& level,
                                    const LiveOptions& options,
                                    bool judges_commits = false);

/// The same text for the same outcome, live or not: per session and call the
/// rows or counts of its statements and its end; then the rows of all tables.
[[nodiscard]] std::string outcome_text(const sql::Application& application,
                                       const engine::ObservedOutcome& outcome);

/// The rows of all tables, in the same words whoever has them.
[[nodiscard]] std::string rows_text(
    const sql::Application& application,
    const std::vector<std::vector<sql::Row>>& tables);
[[nodiscard]] std::string state_text(const sql::Application& application,
                                     const LiveState& state);

}  // namespace txscope::db
