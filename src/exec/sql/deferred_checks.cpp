#include "exec/sql/deferred_checks.h"

#include <algorithm>

#include "exec/sql/row_keys.h"

namespace txscope::sql {
namespace {

class Queue {
 public:
  explicit Queue(const Schema& schema) : schema_(schema) {}

  void add(const DeferredChange& change) {
    const auto& keys = schema_.at(change.table).foreign;
    for (std::uint32_t k = 0; k < keys.size(); ++k)
      if (keys[k].is_deferred) add_child(change, k);
    if (!change.old) return;
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
      const auto& others = schema_.tables[t].foreign;
      for (std::uint32_t k = 0; k < others.size(); ++k)
        if (others[k].is_deferred && others[k].parent == change.table)
          add_parent(change, TableId(t), k);
    }
  }
  std::vector<DeferredCheck> take() { return std::move(checks_); }

 private:
  void add_child(const DeferredChange& change, std::uint32_t k) {
    const ForeignKey& key = schema_.at(change.table).foreign[k];
    bool is_due = !change.old;
    if (change.old) {
      // The row as it was is no more.
      const auto before =
          std::find(checks_.begin(), checks_.end(),
                    DeferredCheck{change.table, k, false, *change.old});
      is_due = before != checks_.end() ||
               (change.now && differ(key.columns, *change.old, *change.now));
      if (before != checks_.end()) checks_.erase(before);
    }
    if (is_due && change.now && !has_null(key.columns, *change.now))
      checks_.push_back({change.table, k, false, *change.now});
  }

  void add_parent(const DeferredChange& change, TableId child,
                  std::uint32_t k) {
    const ForeignKey& key = schema_.at(child).foreign[k];
    const OnDelete action = change.now ? key.on_update : key.on_delete;
    if (action != OnDelete::NoAction ||
        has_null(key.parent_columns, *change.old) ||
        (change.now && !differ(key.parent_columns, *change.old, *change.now))) {
      return;
    }
    checks_.push_back({child, k, true, *change.old});
  }

  const Schema& schema_;
  std::vector<DeferredCheck> checks_;
};

}  // namespace

bool is_deferred(const Schema& schema, TableId table) {
  const auto matters = [&](const Table& child) {
    return std::any_of(
        child.foreign.begin(), child.foreign.end(), [&](const ForeignKey& key) {
          return key.is_deferred &&
                 (key.parent == table || &child == &schema.at(table));
        });
  };
  return std::any_of(schema.tables.begin(), schema.tables.end(), matters);
}

std::vector<DeferredCheck> deferred_checks(
    const Schema& schema, std::span<const DeferredChange> changes) {
  Queue queue(schema);
  for (const DeferredChange& change : changes) queue.add(change);
  return queue.take();
}

}  // namespace txscope::sql
