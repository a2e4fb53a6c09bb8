#pragma once

#include <unordered_map>
#include <vector>

#include "analysis/row_touch.h"
#include "engine/server/versioned_statement.h"

namespace txscope::engine {

/// Which steps of sessions cannot matter to others, as far as the text of their
/// calls tells.  On PostgreSQL below serializable; elsewhere it knows nothing.
class Commuting {
 public:
  Commuting() = default;
  /// `calls`: by session, those that run.
  Commuting(const Surroundings& around,
            const std::vector<std::vector<const sql::Call*>>& calls);

  /// The sessions that can have to do with this one, directly or through
  /// others, with what is left of their calls.
  [[nodiscard]] SessionSet component(const State& state, SessionNo s) const;

  /// An INSERT that is nothing to anybody before it commits, provided that it
  /// succeeds: the row is new, and its parents stay as they are.
  [[nodiscard]] bool is_silent(const sql::DbStatement& statement) const;

  /// A statement that, if it has to wait for a row, may as well be sent later:
  /// it looks at that row alone, and sees the last version of it either way;
  /// and nobody waits otherwise, or can be in a deadlock.  At READ COMMITTED.
  [[nodiscard]] bool may_come_later(const sql::DbStatement& statement) const;

  /// A plain read of rows, named by their keys, that no other session writes in
  /// what is left of its calls.
  [[nodiscard]] bool reads_alone(const State& state, SessionNo s,
                                 const sql::DbStatement& statement) const;

 private:
  /// By session, its calls as bits.
  using CallBits = std::vector<std::uint64_t>;
  using Touches = std::vector<std::vector<analysis::CallTouch>>;
  struct Facts {
    bool is_silent = false;
    bool may_come_later = false;
  };
  void note_meetings(const Touches& uses);
  void note_writers(const Touches& uses);
  void note(const Surroundings& around,
            const std::vector<analysis::CallTouch>& all);
  [[nodiscard]] bool has_other_waits(
      const std::vector<analysis::CallTouch>& all) const;

  std::unordered_map<const sql::DbStatement*, Facts> statements_;
  /// By session and call: the calls that it can meet; for sessions of at most
  /// 64 calls.
  std::vector<std::vector<CallBits>> meets_;
  /// Likewise, by statement that reads: the calls that may write what it reads.
  using Writers = std::unordered_map<const sql::DbStatement*, CallBits>;
  std::vector<std::vector<Writers>> writers_;
};

}  // namespace txscope::engine
