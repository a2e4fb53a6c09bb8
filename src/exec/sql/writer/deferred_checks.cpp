#include "exec/sql/writer/deferred_checks.h"

#include <algorithm>
#include <unordered_map>

#include "exec/sql/query/aggregate.h"
#include "exec/sql/value/row_keys.h"

namespace txscope::sql {
namespace {

class Queue {
 public:
  Queue(const Schema& schema, WhichKeys which)
      : schema_(schema), which_(which) {}

  void add(const DeferredChange& change) {
    const auto& keys = schema_.at(change.table).foreign;
    add_keys(change);
    for (std::uint32_t k = 0; k < keys.size(); ++k)
      if (is_left(change, keys[k])) add_child(change, k);
    for (std::size_t t = 0; change.old && t < schema_.tables.size(); ++t) {
      const auto& others = schema_.tables[t].foreign;
      for (std::uint32_t k = 0; k < others.size(); ++k)
        if (is_left(change, others[k]) && others[k].parent == change.table)
          add_parent(change, TableId(t), k);
    }
    for (const std::uint32_t trigger : change.triggers)
      checks_.push_back({change.table, trigger, DeferredCheck::Kind::Trigger,
                         change.now, change.old});
  }
  std::vector<DeferredCheck> take() {
    std::erase_if(checks_, [](const DeferredCheck& check) {
      return !check.row && !check.old;  // forgotten
    });
    return std::move(checks_);
  }

 private:
  using Kind = DeferredCheck::Kind;

  [[nodiscard]] bool is_left(const DeferredChange& change,
                             const ForeignKey& key) const {
    return which_ == WhichKeys::All || change.modes.is_deferred(key);
  }

  void add_keys(const DeferredChange& change) {
    const Table& table = schema_.at(change.table);
    for (std::uint32_t k = 0; k < table.unique.size(); ++k) {
      if (!table.unique[k].is_deferrable) continue;
      const bool was_due =
          change.old && forget({change.table, k, Kind::Unique, *change.old});
      const bool is_due =
          std::find(change.keys.begin(), change.keys.end(), k) !=
              change.keys.end() ||
          (was_due && change.now &&
           !differ(table.unique[k].columns, *change.old, *change.now));
      if (is_due && change.now)
        remember({change.table, k, Kind::Unique, *change.now});
    }
  }

  void add_child(const DeferredChange& change, std::uint32_t k) {
    const ForeignKey& key = schema_.at(change.table).foreign[k];
    // The row as it was is no more.
    const bool was_due =
        change.old && forget({change.table, k, Kind::Child, *change.old});
    const bool is_due =
        was_due || !change.old ||
        (change.now && differ(key.columns, *change.old, *change.now));
    if (is_due && change.now && !has_null(key.columns, *change.now))
      remember({change.table, k, Kind::Child, *change.now});
  }

  void remember(DeferredCheck check) {
    by_row_.emplace(hash_of(check), checks_.size());
    checks_.push_back(std::move(check));
  }
  /// True: it was there.
  bool forget(const DeferredCheck& check) {
    const auto [from, to] = by_row_.equal_range(hash_of(check));
    const auto found = std::find_if(from, to, [&](const auto& entry) {
      return checks_[entry.second] == check;
    });
    if (found == to) return false;
    checks_[found->second].row.reset();
    by_row_.erase(found);
    return true;
  }

  void add_parent(const DeferredChange& change, TableId child,
                  std::uint32_t k) {
    const ForeignKey& key = schema_.at(child).foreign[k];
    const OnDelete action = change.now ? key.on_update : key.on_delete;
    const bool restricts =
        change.now ? key.restricts_update : key.restricts_delete;
    if (action != OnDelete::NoAction ||
        (restricts && which_ != WhichKeys::All) ||
        has_null(key.parent_columns, *change.old) ||
        (change.now && !differ(key.parent_columns, *change.old, *change.now))) {
      return;
    }
    checks_.push_back({child, k, Kind::Parent, *change.old});
  }

  static std::size_t hash_of(const DeferredCheck& check) {
    return RowHash()(*check.row) * 31 + check.key * 7 + check.table.index * 5 +
           static_cast<std::size_t>(check.kind);
  }

  const Schema& schema_;
  const WhichKeys which_;
  std::vector<DeferredCheck> checks_;
  std::unordered_multimap<std::size_t, std::size_t> by_row_;
};

}  // namespace

bool is_linked(const Schema& schema, TableId table, WhichKeys which) {
  const auto matters = [&](const Table& child) {
    return std::any_of(
        child.foreign.begin(), child.foreign.end(), [&](const ForeignKey& key) {
          return (key.is_deferrable || which == WhichKeys::All) &&
                 (key.parent == table || &child == &schema.at(table));
        });
  };
  return std::any_of(schema.tables.begin(), schema.tables.end(), matters);
}

std::vector<DeferredCheck> deferred_checks(
    const Schema& schema, std::span<const DeferredChange> changes,
    WhichKeys which) {
  Queue queue(schema, which);
  for (const DeferredChange& change : changes) queue.add(change);
  return queue.take();
}

}  // namespace txscope::sql
