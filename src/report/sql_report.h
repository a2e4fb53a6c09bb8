#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/explore_profile.h"
#include "engine/repair.h"
#include "explore/sql/explore_sql.h"

namespace txscope {

/// One level that was asked about: of theory, or an engine's.
struct SqlLevel {
  const LevelResult* theory = nullptr;
  const engine::ProfileResult* profile = nullptr;
  /// By violation, of an engine's level.
  std::vector<std::vector<engine::Repair>> repairs;
};

/// What `explore` found out about one application, ready to be shown.
struct SqlReport {
  std::string input;
  const sql::Application* application = nullptr;
  const sql::SqlExploration* exploration = nullptr;  ///< behind theory levels
  std::vector<SqlLevel> levels;                      ///< as asked for
  std::uint64_t loop_bound = 0;
  bool all = false;  ///< every property was decided
};

/// For people: verdicts first, then each violation in the user's statements
/// with what they saw, the rows in the end, what serial orders give, and
/// repairs that were tried.
[[nodiscard]] std::string sql_text(const SqlReport& report);
/// An array with one element of "results" per level.
[[nodiscard]] nlohmann::ordered_json sql_json(const SqlReport& report);
/// Each level's first violation as a sequence of statements, for Graphviz.
[[nodiscard]] std::string sql_dot(const SqlReport& report);

/// One violation, of whatever kind of level, in terms of statements.
struct SqlPicture {
  struct Step {
    enum class Kind : std::uint8_t { Statement, Wait, Error, Commit, Rollback };
    Kind kind = Kind::Statement;
    std::uint32_t session = 0;
    std::uint32_t call = 0;
    std::uint32_t attempt = 0;
    Span at;
    std::string statement;  ///< on one line, with values; COMMIT
    std::string seen;       ///< "100", "2 rows", "40001: could not ..."
    std::string code;       ///< of an Error
    std::vector<std::uint32_t> waits_for;  ///< sessions
    std::vector<std::string> misses;       ///< transactions, at theory levels
  };
  struct TableRows {
    TableId table;
    std::vector<sql::Row> rows;
  };
  struct Serial {
    std::vector<std::string> order;    ///< transactions
    std::vector<std::string> aborted;  ///< of these
    std::vector<TableRows> finals;
    bool is_violated = false;
  };
  std::string level;
  std::uint32_t property = 0;  ///< index into Application::properties
  std::string value;           ///< "false", "NULL" or an error
  std::vector<std::string> transactions;
  std::size_t all_transactions = 0;
  std::vector<Step> steps;
  std::vector<TableRows> finals;  ///< tables that the property mentions
  /// Variables that it mentions, and their values.
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<Serial> serial;
  bool is_avoided_serially = false;
  std::optional<Base> refused_by;  ///< the first level that refuses it
  Anomaly anomaly;
  std::optional<std::string> replay_problem;
  std::vector<engine::Repair> repairs;
};

/// The violations of a level, drawn.
[[nodiscard]] std::vector<SqlPicture> pictures(const SqlReport& report,
                                               const SqlLevel& level);

/// One violation: lanes, rows in the end, serial orders, repairs.  Part of
/// sql_text.
[[nodiscard]] std::string violation_text(const SqlReport& report,
                                         const SqlPicture& picture);

/// invariant "covered"
[[nodiscard]] std::string property_title(const sql::Property& property);

// What both kinds of levels have in common.
[[nodiscard]] std::string level_name(const SqlLevel& level);
[[nodiscard]] Outcome verdict_of(const SqlLevel& level);
[[nodiscard]] bool is_complete(const SqlLevel& level);
/// Of a property of the application.
[[nodiscard]] Outcome verdict_of(const SqlReport& report, const SqlLevel& level,
                                 std::size_t property);
/// In how many histories, or final states of an engine, a property is seen to
/// be violated.
[[nodiscard]] std::uint64_t violating(const SqlReport& report,
                                      const SqlLevel& level,
                                      std::size_t property);
/// "alice.buy"
[[nodiscard]] std::string call_name(const sql::Application& application,
                                    std::uint32_t session, std::uint32_t call);
/// (1, ann, 100)
[[nodiscard]] std::string row_text(const sql::Row& row);

}  // namespace txscope
