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
  using Calls = std::vector<std::vector<const sql::Call*>>;
  /// `calls`: by session, those that run; `keeps_snapshots`: one of them does.
  Commuting(const Surroundings& around, const Calls& calls,
            bool keeps_snapshots);

  /// Few sessions, `s` among them, such that nothing that the others can still
  /// do has to do with the next step of one of these: a persistent set.
  [[nodiscard]] SessionSet persistent(const State& state, SessionNo s) const;

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
  /// `follows`: from one statement to the next.
  void note_meetings(const Touches& uses, const Calls& calls, bool follows);
  void note_writers(const Touches& uses);
  void note(const Surroundings& around,
            const std::vector<analysis::CallTouch>& all);
  [[nodiscard]] bool has_other_waits(
      const std::vector<analysis::CallTouch>& all) const;

  std::unordered_map<const sql::DbStatement*, Facts> statements_;
  /// The places at which a session can be in a call: what it does next, and
  /// what it does from there on.  The first is for all of the call.
  struct Places {
    std::size_t first = 0;  ///< its number among those of all calls
    std::unordered_map<const sql::DbStatement*, std::size_t> of_statement;
    bool is_followed = false;  ///< else there is but the first
  };
  [[nodiscard]] std::size_t place_of(const SessionState& session,
                                     SessionNo s) const;
  [[nodiscard]] bool can_meet(const State& state, SessionNo next,
                              SessionNo rest) const;
  std::vector<std::vector<Places>> places_;  ///< by session and call
  /// By place, and place: whether the next step there can meet what is left
  /// here.
  std::vector<std::vector<bool>> meets_;
  /// Likewise, by statement that reads: the calls that may write what it reads.
  using Writers = std::unordered_map<const sql::DbStatement*, CallBits>;
  std::vector<std::vector<Writers>> writers_;
};

}  // namespace txscope::engine
