#include <algorithm>

#include "fuzz/sql_exec/generator.h"

// Window calls and WITH RECURSIVE.

namespace txscope::test {
namespace {

Draft of_type(const std::string& type, std::vector<Draft> parts) {
  return Draft(type, std::move(parts));
}

bool counts(const std::string& type) {
  return type == "smallint" || type == "integer" || type == "bigint";
}

}  // namespace

/// PARTITION BY and ORDER BY.  `is_total`: by all names, so that rows in the
/// same place are the same rows.
std::string Generator::window_order(const Names& names, bool is_total,
                                    std::string* sorted_by) {
  std::string text;
  if (!names.empty() && chance(0.5)) {
    text = "PARTITION BY " + names[below(names.size())].name;
    if (chance(0.3)) text += ", " + names[below(names.size())].name;
  }
  if (names.empty() || (!is_total && chance(0.2))) return text;
  std::vector<Named> keys = names;
  for (std::size_t i = keys.size(); i > 1; --i)
    std::swap(keys[i - 1], keys[below(i)]);
  if (!is_total)
    keys.resize(chance(0.6) ? 1 : std::min<std::size_t>(2, keys.size()));
  if (keys.size() == 1) *sorted_by = keys[0].type;
  text += text.empty() ? "ORDER BY " : " ORDER BY ";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    text += (i > 0 ? ", " : "") + keys[i].name;
    if (chance(0.3)) text += " DESC";
    if (chance(0.2)) text += chance(0.5) ? " NULLS FIRST" : " NULLS LAST";
  }
  return text;
}

/// `sorted_by`: the type of the one key of ORDER BY, if there is one.
std::string Generator::frame(const std::string& unit,
                             const std::string& sorted_by, bool may_fail) {
  const auto offset = [&]() -> std::string {
    if (unit != "RANGE" || counts(sorted_by))
      return may_fail && chance(0.03) ? (chance(0.5) ? "(-1)" : "NULL::bigint")
                                      : std::to_string(below(4));
    if (sorted_by == "numeric") return chance(0.5) ? "1.5" : "0.00";
    return chance(0.5) ? "'1 month'::interval" : "'20 days 12:00'::interval";
  };
  const bool has_offsets =
      unit != "RANGE" ||
      (!sorted_by.empty() && sorted_by != "text" && sorted_by != "boolean");
  static const std::vector<std::string> kStarts = {
      "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING"};
  static const std::vector<std::string> kEnds = {
      "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"};
  std::size_t start = below(4);
  if (!has_offsets && start % 2 == 1) --start;
  std::size_t end = start < 2 ? below(4) : start - 1 + below(5 - start);
  if (!has_offsets && end % 2 == 0) ++end;
  const auto bound = [&](const std::string& kind, bool is_plain) {
    return is_plain ? kind : offset() + " " + kind;
  };
  std::string text = " " + unit + " BETWEEN " +
                     bound(kStarts[start], start % 2 == 0) + " AND " +
                     bound(kEnds[end], end % 2 == 1);
  if (chance(0.15)) {
    static const std::vector<std::string> kExclusions = {"CURRENT ROW", "GROUP",
                                                         "TIES", "NO OTHERS"};
    text += " EXCLUDE " + pick(kExclusions);
  }
  return text;
}

/// function(...) OVER (...) of a type, over rows that have these names.
Draft Generator::window(const std::string& type, const Names& names, int depth,
                        bool may_fail) {
  static const std::vector<std::string> kUnits = {"ROWS", "RANGE", "GROUPS"};
  std::string unit = chance(0.5) ? pick(kUnits) : "";
  bool needs_order = unit == "ROWS";
  Draft call;
  const auto value = [&] { return expr(type, depth); };
  const std::size_t kind = below(10);
  if (kind < 3 && (type == "bigint" || type == "integer")) {
    static const std::vector<std::string> kRanks = {"rank()", "dense_rank()",
                                                    "row_number()"};
    std::string name = "ntile(" + std::to_string(1 + below(4)) + ")";
    if (type == "bigint") name = pick(kRanks);
    needs_order |= name[0] == 'n' || name == "row_number()";
    call = Draft(name);
  } else if (kind < 6) {
    std::vector<Draft> parts = {chance(0.5) ? "lag(" : "lead(", value()};
    if (chance(0.5)) {
      parts.emplace_back(", " + std::to_string(random_.between(-1, 3)));
      if (chance(0.5)) {
        parts.emplace_back(", ");
        parts.push_back(value());
      }
    }
    parts.emplace_back(")");
    call = Draft("", std::move(parts));
    needs_order = true;
  } else if (kind < 8) {
    const std::size_t which = below(3);
    call = Draft("", {which == 0   ? "first_value("
                      : which == 1 ? "last_value("
                                   : "nth_value(",
                      value(), which == 2 ? ", 2)" : ")"});
    needs_order = true;
  } else {
    is_plain_ = true;
    call = own_aggregate(type, depth);
    is_plain_ = false;
    if (chance(0.2))
      call.parts.push_back(Draft("opt", {" FILTER (WHERE ", boolean(1), ")"}));
  }
  std::string sorted_by;
  std::string over = window_order(names, needs_order, &sorted_by);
  const bool is_sorted = over.find("ORDER BY") != std::string::npos;
  if (unit == "GROUPS" && !is_sorted) unit.clear();
  if (unit == "ROWS" && names.empty()) unit.clear();
  if (!unit.empty()) over += frame(unit, sorted_by, may_fail);
  call = Draft("", {call, " OVER (" + over + ")"});
  // The types of ranks and sums are their own.
  return of_type(type, {"CAST(", call, " AS " + type + ")"});
}

/// WITH RECURSIVE name(n, x), n counting up to a bound, and a query over it.
Draft Generator::recursive_query() {
  const std::string name = fresh("w");
  const std::string type = any_type();
  std::vector<Names> outer;
  std::swap(outer, scopes_);
  scopes_.emplace_back();
  const bool has_source = chance(0.5);
  const Draft source = has_source ? from(1, 0) : Draft();
  const Draft first = expr(type, 1);
  scopes_.back() = {{name + ".n", "integer"}, {name + ".x", type}};
  Draft joined;
  if (chance(0.4)) {
    const TableInfo& table = tables_[below(tables_.size())];
    const std::string alias = fresh("r");
    for (const Named& column : table.columns)
      scopes_.back().push_back({alias + "." + column.name, column.type});
    joined =
        Draft("", {" JOIN " + table.name + " " + alias + " ON ", boolean(1)});
  }
  const Draft next = expr(type, 1);
  const Draft condition =
      chance(0.5) ? Draft("opt", {" AND ", boolean(1)}) : Draft();
  scopes_.back() = {{name + ".n", "integer"}, {name + ".x", type}};
  const Draft shown =
      chance(0.3) ? window(type, Names(scopes_.back()), 1) : expr(type, 1);
  std::swap(outer, scopes_);
  return Draft(
      "", {"WITH RECURSIVE " + name + "(n, x) AS (SELECT 1, CAST(", first,
           " AS " + type + ")", source, chance(0.5) ? " UNION ALL " : " UNION ",
           "SELECT " + name + ".n + 1, CAST(", next,
           " AS " + type + ") FROM " + name, joined,
           " WHERE " + name + ".n < " + std::to_string(1 + below(4)), condition,
           ") SELECT ", shown, ", " + name + ".n FROM " + name});
}

}  // namespace txscope::test
