#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "model/sql/application.h"

namespace txscope::analysis {

/// What a statement does with rows of a table.
struct RowTouch {
  enum class Kind : std::uint8_t {
    Read,
    Lock,    ///< SELECT ... FOR UPDATE and its like
    Update,  ///< DELETE, too
    Insert,
    Parent,  ///< a foreign key looks for it, and keeps it from going away
  };
  Kind kind = Kind::Read;
  TableId table;
  /// The value of the primary key that its condition gives; none: any row.
  std::optional<sql::Value> key;
  /// Of the lock that it takes.
  sql::LockStrength strength = sql::LockStrength::None;
  bool moves = false;  ///< rows go away or get other keys
  /// Of Insert: no row can be in its way.
  bool is_fresh = false;
  bool is_in_loop = false;
  const sql::DbStatement* statement = nullptr;

  /// It keeps foreign keys from naming the row: FOR UPDATE, DELETE, another
  /// key.
  [[nodiscard]] bool is_strong() const {
    return strength == sql::LockStrength::Update;
  }
};

/// What a call may do with rows, in the order of its text.
struct CallTouch {
  std::vector<RowTouch> all;
  /// Sequences that it takes numbers from, which others can take as well.
  std::set<std::uint32_t> draws;
  bool is_known = true;  ///< else it may do anything
};

/// `own_numbers`: sequences that give every session numbers of its own.
[[nodiscard]] CallTouch row_touches(const sql::Application& application,
                                    const sql::Call& call,
                                    const std::vector<bool>& own_numbers);

/// Whether it matters to one who comes first, or one may wait for the other; at
/// levels where a plain read neither waits nor is remembered.
[[nodiscard]] bool can_meet(const CallTouch& a, const CallTouch& b);

/// Whether the call may write a row that the other use is about.
[[nodiscard]] bool may_write(const CallTouch& call, const RowTouch& of);

/// Whether no order of these calls can end in a deadlock: there is an order of
/// rows in which all of them lock.
[[nodiscard]] bool cannot_deadlock(const std::vector<CallTouch>& calls);

}  // namespace txscope::analysis
