#pragma once

#include "model/sql/routine.h"
#include "model/sql/schema.h"

namespace txscope::sql {

/// What statements do with instants, of which those around the current one
/// (`now`, a constant that stands for all of them) cannot be told apart.
class TimeUse {
 public:
  TimeUse(const Schema& schema, const Value& now)
      : schema_(schema), now_(now) {}

  void see(const DbStatement& statement);
  void see(const PlBlock& block);

  /// Something is the current time, if only by a column's default.
  [[nodiscard]] bool names_now() const { return names_now_; }
  /// What comes out may depend on how instants lie to each other: they are
  /// compared, sorted before something else, or computed with.  Storing and
  /// showing them, the least of them, and ORDER BY at the end do not count.
  [[nodiscard]] bool tells_apart() const { return tells_apart_; }

 private:
  void see(const Query& query, bool is_inside);
  void see(const Expr& e);
  void see_order(const std::vector<SortKey>& keys, bool is_free);
  void see_defaults(const Insert& insert);

  const Schema& schema_;
  const Value& now_;
  bool names_now_ = false;
  bool tells_apart_ = false;
};

}  // namespace txscope::sql
