#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/tables/tables.h"
#include "base/result.h"

namespace txscope::audit {

/// Where a Replay stands; those that wait for their place are not part of it.
struct ReplayState {
  std::vector<Position> points;
  std::vector<std::int64_t> ends;
  std::vector<Position> session_last;  ///< by session
  std::optional<std::int64_t> latest_start;
};

/// What one level has explained so far: the versions that may still be seen.
struct LevelState {
  std::string level;  ///< with "strict-" in front of it if it is
  ReplayState replay;
  /// By table the versions of each row.
  std::vector<std::vector<std::vector<Tables::Version>>> tables;
  std::vector<std::int64_t> next_ids;
  /// Transactions that were read and have no place yet, by their number in the
  /// log, from 0; ascending.
  std::vector<std::uint64_t> waiting;
};

/// An explained prefix of a log, from which its audit can go on.
struct SavedState {
  std::uint64_t lines = 0;  ///< transactions read, of whatever status
  std::string log;      ///< the digest of the log up to there, header included
  std::string options;  ///< what changes which answers there are
  std::vector<std::string> sessions;
  std::vector<std::string> unknown_tables;
  std::uint64_t transactions = 0;
  std::uint64_t statements = 0;
  std::uint64_t aborted = 0;
  std::uint64_t unknown = 0;
  std::uint64_t skipped = 0;
  std::uint64_t not_judged = 0;
  std::vector<LevelState> levels;
};

/// As JSON.  Values are texts in the types of their columns.
[[nodiscard]] std::string state_text(const SavedState& state);
/// The state that a file holds; `file` names it in messages.
[[nodiscard]] Result<SavedState> parse_state(const std::string& text,
                                             const sql::Schema& schema,
                                             const std::string& file);

}  // namespace txscope::audit
