#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/span.h"

namespace txscope {

/// A change of a text: `length` bytes at `offset` go, and `text` comes.
struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;

  friend auto operator<=>(const Edit&, const Edit&) = default;
};

/// A line of a text, before and after; an empty side: there is none.
struct LineChange {
  /// In the text as it was; what is new goes before this line.
  std::size_t line = 0;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

/// A change after which something goes wrong no more; it was tried.
struct Repair {
  /// A SELECT whose rows are locked: by FOR UPDATE, or, where it has aggregates
  /// or DISTINCT, by a SELECT ... FOR UPDATE of the same rows just before it.
  struct Lock {
    Span select;
    bool is_before = false;
  };
  std::string kind;                  ///< a row of the table in src/repair
  std::vector<std::string> changes;  ///< in words
  /// Of the user's text; none: another level is the change.
  std::vector<Edit> edits;
  std::string diff;               ///< the lines before and after, for people
  std::vector<LineChange> lines;  ///< the same
  std::vector<Lock> locks;        ///< those among the changes
  std::string level;              ///< at which it was tried
  bool all_hold = false;          ///< every property
  /// Errors after which a transaction is to be run again, as they occur then.
  std::vector<std::string> retried;
  std::string cost;    ///< waits, aborts
  std::string leaves;  ///< what it does not repair

  /// All changes, in words.
  [[nodiscard]] std::string what() const;
};

}  // namespace txscope
