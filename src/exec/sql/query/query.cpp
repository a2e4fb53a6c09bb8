#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "exec/sql/query/aggregate.h"
#include "exec/sql/query/fold.h"
#include "exec/sql/query/join.h"
#include "exec/sql/query/plans.h"
#include "exec/sql/value/row_order.h"
#include "exec/sql/query/window_rows.h"

namespace txscope::sql {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

struct Group {
  std::vector<Row> rows;  ///< one row of it, by relation
  std::vector<Accumulator> aggregates;
};

/// The rows of FROM in groups, in the order in which they first appear.
class Groups {
 public:
  Groups(Evaluation& evaluation, const Query& query)
      : evaluation_(evaluation), query_(query) {}

  void add(const NestedLoops& loops) {
    Row key;
    key.reserve(query_.group_by.size());
    for (const Expr& e : query_.group_by)
      key.push_back(canonical(evaluation_.eval(e, loops.scope())));
    const auto [found, is_new] =
        numbers_.emplace(std::move(key), groups_.size());
    if (is_new) {
      Group& group = add_empty();
      for (const Row* row : loops.rows()) group.rows.push_back(*row);
    }
    Group& group = groups_[found->second];
    for (std::size_t i = 0; i < query_.aggregates.size(); ++i) {
      const Aggregate& aggregate = query_.aggregates[i];
      const Value value =
          aggregate.argument
              ? evaluation_.eval(*aggregate.argument, loops.scope())
              : Value();
      if (evaluation_.halt().is_set()) return;
      group.aggregates[i].add(aggregate, value, evaluation_.halt());
    }
  }
  Group& add_empty() {
    groups_.emplace_back();
    groups_.back().aggregates.resize(query_.aggregates.size());
    return groups_.back();
  }
  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }

 private:
  Evaluation& evaluation_;
  const Query& query_;
  std::unordered_map<Row, std::size_t, RowHash> numbers_;
  std::vector<Group> groups_;
};

/// The rows of a query: targets, DISTINCT, ORDER BY, LIMIT.
class Output {
 public:
  Output(Evaluation& evaluation, const Query& query, Window window,
         std::uint64_t max_rows)
      : evaluation_(evaluation), query_(query), window_(window) {
    const std::uint64_t limit = window.limit.value_or(kAll);
    most_ = std::min(limit, max_rows == 0 ? kAll : max_rows);
  }

  /// How many rows are looked at; 0: all of them.
  [[nodiscard]] std::uint64_t wanted() const {
    const bool is_all = most_ == kAll || window_.offset > kAll - most_ ||
                        query_.is_distinct || !query_.order_by.empty();
    return is_all ? 0 : most_ + window_.offset;
  }
  /// Nothing is wanted at all.
  [[nodiscard]] bool is_empty() const { return most_ == 0; }

  /// False: enough.
  bool add(const Scope& scope) {
    const bool is_sorted = !query_.order_by.empty();
    // A row that OFFSET skips is not evaluated.
    if (!is_sorted && !query_.is_distinct && skipped_ < window_.offset) {
      ++skipped_;
      return true;
    }
    Row row;
    row.reserve(query_.targets.size());
    for (const Target& target : query_.targets)
      row.push_back(evaluation_.eval(target.expr, scope));
    Row keys;
    keys.reserve(query_.order_by.size());
    for (const SortKey& key : query_.order_by)
      keys.push_back(evaluation_.eval(key.expr, scope));
    if (evaluation_.halt().is_set()) return false;
    if (query_.is_distinct && query_.distinct_on == 0 &&
        !seen_.insert(canonical_row(row)).second)
      return true;
    if (!is_sorted && skipped_ < window_.offset) {
      ++skipped_;
      return true;
    }
    rows_.push_back(std::move(row));
    if (is_sorted) keys_.push_back(std::move(keys));
    return is_sorted || rows_.size() < most_;
  }

  std::vector<Row> finish() {
    if (query_.order_by.empty()) return std::move(rows_);
    std::vector<std::size_t> order(rows_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(
        order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
          return compare_sorted(query_.order_by, keys_[a], keys_[b]) < 0;
        });
    if (query_.distinct_on != 0) keep_first(order);
    std::vector<Row> sorted;
    for (std::uint64_t i = window_.offset;
         i < order.size() && sorted.size() < most_; ++i)
      sorted.push_back(std::move(rows_[order[i]]));
    return sorted;
  }

 private:
  /// DISTINCT ON.
  void keep_first(std::vector<std::size_t>& order) const {
    const auto is_same = [this](std::size_t a, std::size_t b) {
      for (std::size_t i = 0; i < query_.distinct_on; ++i)
        if (compare_sorted(keys_[a][i], keys_[b][i], false, false) != 0)
          return false;
      return true;
    };
    order.erase(std::unique(order.begin(), order.end(), is_same), order.end());
  }

  Evaluation& evaluation_;
  const Query& query_;
  Window window_;
  std::uint64_t most_ = 0;
  std::uint64_t skipped_ = 0;
  std::vector<Row> rows_;
  std::vector<Row> keys_;
  std::unordered_set<Row, RowHash> seen_;
};

/// Calls `on_group` with the scope of each group that HAVING leaves.
template <class OnGroup>
void add_groups(Evaluation& evaluation, const Query& query, const Scope* outer,
                const Groups& groups, const OnGroup& on_group) {
  std::vector<const Row*> rows(query.relations.size());
  std::vector<Value> aggregates(query.aggregates.size());
  const Scope scope{rows.data(), aggregates.data(), outer};
  for (const Group& group : groups.all()) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = group.rows.empty() ? &null_row(query.relations[i].columns)
                                   : &group.rows[i];
    for (std::size_t i = 0; i < aggregates.size(); ++i)
      aggregates[i] =
          group.aggregates[i].result(query.aggregates[i], evaluation.halt());
    if (!evaluation.goes_on()) return;
    if (query.having && !evaluation.is_true(*query.having, scope)) continue;
    if (!on_group(scope)) return;
  }
}

std::optional<std::uint64_t> row_number(const Value& value, bool is_limit,
                                        Halt& halt) {
  if (value.is_null() || halt.is_set()) return std::nullopt;
  if (value.integer() < 0) {
    (void)halt.raise(is_limit ? "2201W" : "2201X",
                     is_limit ? "LIMIT must not be negative"
                              : "OFFSET must not be negative");
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(value.integer());
}

}  // namespace

const Plan& Evaluation::plan(const Query& query) {
  return plan(query.part, &query, query.relations, query.joins, query.where);
}

const Plan& Evaluation::plan(PartId part, const void* where_it_is,
                             std::span<const Relation> relations,
                             std::span<const Join> joins,
                             const std::optional<Expr>& where) {
  if (const Plan* known = routines_.plans().of(part)) return *known;
  for (const auto& [query, plan] : plans_)
    if (query == where_it_is) return *plan;
  plans_.emplace_back(where_it_is, std::make_unique<const Plan>(plan_of(
                                       schema(), relations, joins, where)));
  return *plans_.back().second;
}

void Evaluation::start(PartId statement) {
  halt_.clear();
  if (const SqlError* error = routines_.plans().error(statement))
    return halt_.set(*error);
  const Plans::Risk* risk = routines_.plans().risk(statement);
  if (risk == nullptr || slots_.empty()) return;
  for (const Expr* e : risk->exprs) (void)eval(*e, Scope{});
  if (!halt_.is_error()) return;
  // One fails: whether planning comes to it is another question.
  halt_.clear();
  if (auto error = planning_error(routines_, *risk->statement, slots_))
    halt_.set(std::move(*error));
}

Window Evaluation::window(const Query& query, const Scope& scope) {
  Window window;
  if (query.offset)
    window.offset =
        row_number(eval(*query.offset, scope), false, halt_).value_or(0);
  if (query.limit)
    window.limit = row_number(eval(*query.limit, scope), true, halt_);
  return window;
}

std::vector<Row> Evaluation::rows_of(const Query& query, const Scope* outer,
                                     std::uint64_t max_rows) {
  if (halt_.is_set()) return {};
  if (query.set != SetKind::None) return set_rows(query, outer, max_rows);
  if (depth_ > 2900) {  // queries may nest without an expression between
    (void)halt_.raise_ours("queries that nest too deep");
    return {};
  }
  depth_ += 5;
  NestedLoops loops(*this, plan(query), query.relations, query.joins, outer);
  Output output(*this, query, window(query, loops.scope()), max_rows);
  if (!halt_.is_set() && !output.is_empty()) {
    const bool shows_each_row = query.relations.size() == 1 && !query.where &&
                                !query.is_grouped && query.windows.empty();
    if (shows_each_row) loops.want(output.wanted());
    WindowRows windows(*this, query, outer);
    const auto on_row = [&](const Scope& scope) {
      if (query.windows.empty()) return output.add(scope);
      windows.add({scope.rows, query.relations.size()},
                  {scope.aggregates, query.aggregates.size()});
      return goes_on();
    };
    if (query.is_grouped) {
      Groups groups(*this, query);
      loops.run([&] {
        groups.add(loops);
        return goes_on();
      });
      if (query.group_by.empty() && groups.all().empty()) groups.add_empty();
      if (!halt_.is_set()) add_groups(*this, query, outer, groups, on_row);
    } else {
      loops.run([&] { return on_row(loops.scope()); });
    }
    if (!query.windows.empty() && !halt_.is_set())
      windows.run([&](const Scope& scope) { return output.add(scope); });
  }
  depth_ -= 5;
  if (halt_.is_set()) return {};
  return output.finish();
}

std::vector<JoinedRow> Evaluation::candidates(const Query& query) {
  struct Candidate {
    JoinedRow row;
    Row keys;
  };
  std::vector<Candidate> found;
  if (halt_.is_set()) return {};
  NestedLoops loops(*this, plan(query), query.relations, query.joins, nullptr);
  loops.run([&] {
    Candidate candidate;
    const auto handles = loops.handles();
    candidate.row.handles.assign(handles.begin(), handles.end());
    for (std::size_t i = 0; i < loops.rows().size(); ++i) {
      const Row& row = *loops.rows()[i];
      const auto columns = static_cast<std::ptrdiff_t>(
          std::min<std::size_t>(query.relations[i].columns, row.size()));
      candidate.row.rows.emplace_back(row.begin(), row.begin() + columns);
    }
    for (const SortKey& key : query.order_by)
      candidate.keys.push_back(eval(key.expr, loops.scope()));
    found.push_back(std::move(candidate));
    return goes_on();
  });
  std::stable_sort(found.begin(), found.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     return compare_sorted(query.order_by, a.keys, b.keys) < 0;
                   });
  std::vector<JoinedRow> rows;
  rows.reserve(found.size());
  for (Candidate& candidate : found) rows.push_back(std::move(candidate.row));
  return rows;
}

}  // namespace txscope::sql
