#include <unordered_map>
#include <unordered_set>

#include "exec/sql/query/aggregate.h"
#include "exec/sql/query/evaluation.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/numeric.h"
#include "exec/sql/value/row_order.h"
#include "exec/sql/value/times.h"
#include "exec/sql/value/to_json.h"
#include "model/sql/value/json.h"

namespace txscope::sql {
namespace {

constexpr std::size_t kMostRows = 1'000'000;

using Counts = std::unordered_map<Row, std::size_t, RowHash>;

Counts counted(const std::vector<Row>& rows) {
  Counts counts;
  for (const Row& row : rows) ++counts[canonical_row(row)];
  return counts;
}

/// UNION, INTERSECT and EXCEPT, with or without ALL; rows in the order in
/// which they first appear.
std::vector<Row> combined(const Query& query, std::vector<Row> a,
                          const std::vector<Row>& b) {
  if (query.set == SetKind::Union) a.insert(a.end(), b.begin(), b.end());
  Counts other = query.set == SetKind::Union ? Counts() : counted(b);
  Counts seen;
  std::vector<Row> rows;
  for (Row& row : a) {
    const Row key = canonical_row(row);
    if (query.set != SetKind::Union) {
      const auto found = other.find(key);
      const bool is_there = found != other.end() && found->second > 0;
      if (is_there != (query.set == SetKind::Intersect)) {
        if (query.is_all && is_there) --found->second;
        continue;
      }
      if (query.is_all && is_there) --found->second;
    }
    if (!query.is_all && seen[key]++ > 0) continue;
    rows.push_back(std::move(row));
  }
  return rows;
}

constexpr std::size_t kMostRounds = 100'000;

std::vector<Row> series(const Row& args, Halt& halt) {
  std::vector<Row> rows;
  for (const Value& arg : args)
    if (arg.is_null()) return rows;
  const bool is_time =
      args[0].kind() == Kind::Timestamp || args[0].kind() == Kind::TimestampTz;
  const Value one = args[0].kind() == Kind::Numeric ? Value::numeric(1, 0)
                                                    : Value::integer(1);
  const Value step = args.size() > 2 ? args[2] : one;
  const Value zero = is_time                        ? Value::interval(0, 0, 0)
                     : step.kind() == Kind::Numeric ? Value::numeric(0, 0)
                                                    : Value::integer(0);
  const int direction = compare(step, zero);
  if (direction == 0) {
    (void)halt.raise("22023", "step size cannot equal zero");
    return rows;
  }
  Value now = args[0];
  while (direction > 0 ? compare(now, args[1]) <= 0
                       : compare(now, args[1]) >= 0) {
    if (rows.size() >= kMostRows) {
      (void)halt.raise_ours("a series of more than a million rows");
      return {};
    }
    rows.push_back({now});
    if (is_time) {
      now = later(now, step, halt);
    } else if (now.kind() == Kind::Numeric) {
      now = add_numeric(now, step, halt);
    } else {
      std::int64_t next = 0;
      if (__builtin_add_overflow(now.integer(), step.integer(), &next)) break;
      now = Value::integer(next);
    }
    if (halt.is_set()) return {};
  }
  return rows;
}

/// unnest(): arrays side by side, the shorter ones filled up with NULLs.
std::vector<Row> items(const Row& arrays) {
  std::size_t most = 0;
  for (const Value& array : arrays)
    if (!array.is_null()) most = std::max(most, array.items().size());
  std::vector<Row> rows(most);
  for (std::size_t i = 0; i < most; ++i)
    for (const Value& array : arrays)
      rows[i].push_back(array.is_null() || i >= array.items().size()
                            ? Value()
                            : array.items()[i]);
  return rows;
}

std::vector<Row> json_rows(const Query& query, const Row& args, Halt& halt) {
  std::vector<Row> rows;
  if (args[0].is_null()) return rows;
  const auto json = parse_json(args[0].text());
  if (!json) {
    (void)halt.raise_ours("this json");
    return rows;
  }
  const bool as_text =
      query.set == SetKind::JsonItemsText || query.set == SetKind::JsonEachText;
  const bool is_each =
      query.set == SetKind::JsonEach || query.set == SetKind::JsonEachText;
  const Json::Kind wanted = is_each ? Json::Kind::Object : Json::Kind::Array;
  if (json->kind != wanted) {
    (void)halt.raise("22023", is_each
                                  ? "cannot call json_each on a non-object"
                                  : "cannot extract elements from a scalar");
    return rows;
  }
  const Type type = query.values[0][0].type;
  const auto shown = [&](const Json& part) {
    return json_part(&part, args[0].text(), type, as_text);
  };
  for (const Json& item : json->items) rows.push_back({shown(item)});
  for (const auto& [name, value] : json->members)
    rows.push_back({Value::text(name), shown(value)});
  return rows;
}

}  // namespace

/// Goes on only for as long as somebody wants rows, and its bounds make an
/// endless one end, whatever the budget.
std::vector<Row> Evaluation::recursive_rows(const Query& query,
                                            const Scope& scope,
                                            std::uint64_t max_rows) {
  std::vector<Row> all;
  std::unordered_set<Row, RowHash> seen;
  std::vector<Row> working;
  for (std::size_t round = 0;; ++round) {
    recursions_.emplace_back(query.recursion, &working);
    std::vector<Row> next =
        rows_of(*query.parts[round == 0 ? 0 : 1], &scope, 0);
    recursions_.pop_back();
    if (!goes_on()) return {};
    if (!query.is_all)
      std::erase_if(next, [&seen](const Row& row) {
        return !seen.insert(canonical_row(row)).second;
      });
    if (next.empty()) break;
    working = std::move(next);
    all.insert(all.end(), working.begin(), working.end());
    if (max_rows != 0 && all.size() >= max_rows) break;
    if (round > kMostRounds || all.size() > kMostRows) {
      (void)halt_.raise_ours("a WITH RECURSIVE that seems to have no end");
      return {};
    }
  }
  return all;
}

std::vector<Row> Evaluation::set_rows(const Query& query, const Scope* outer,
                                      std::uint64_t max_rows) {
  if (depth_ > 2900) {
    (void)halt_.raise_ours("queries that nest too deep");
    return {};
  }
  depth_ += 5;
  const Scope scope{nullptr, nullptr, outer};
  std::vector<Row> rows;
  const auto row_of = [&](const std::vector<Expr>& exprs) {
    Row row;
    for (const Expr& e : exprs) row.push_back(eval(e, scope));
    return row;
  };
  switch (query.set) {
    case SetKind::Union:
    case SetKind::Intersect:
    case SetKind::Except: {
      std::vector<Row> a = rows_of(*query.parts[0], &scope, 0);
      const std::vector<Row> b = rows_of(*query.parts[1], &scope, 0);
      if (!halt_.is_set()) rows = combined(query, std::move(a), b);
      break;
    }
    case SetKind::Recursive:
      rows = recursive_rows(query, scope, max_rows);
      break;
    case SetKind::Working:
      for (auto at = recursions_.rbegin(); at != recursions_.rend(); ++at) {
        if (at->first != query.recursion) continue;
        rows = *at->second;
        break;
      }
      break;
    case SetKind::Values:
      for (const auto& exprs : query.values) rows.push_back(row_of(exprs));
      break;
    case SetKind::Given:
      if (query.number < given_.size()) rows = given_[query.number];
      break;
    case SetKind::Transition:
      for (const Row& row : store_->transition(query.number))
        rows.push_back(row);
      break;
    case SetKind::None: break;
    default: {
      const Row args = row_of(query.values[0]);
      if (halt_.is_set()) break;
      rows = query.set == SetKind::Series  ? series(args, halt_)
             : query.set == SetKind::Items ? items(args)
                                           : json_rows(query, args, halt_);
      if (!query.is_all) break;
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].push_back(Value::integer(static_cast<std::int64_t>(i + 1)));
    }
  }
  depth_ -= 5;
  if (halt_.is_set()) return {};
  return rows;
}

}  // namespace txscope::sql
