#include "analyze/arguments.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/parameter_use.h"
#include "exec/sql/value/compare.h"

namespace txscope::analyze {
namespace {

using sql::Value;
using Values = std::vector<Value>;

constexpr std::size_t kMostRows = 3;     // of a table that are looked at
constexpr std::size_t kMostChoices = 8;  // of arguments
constexpr std::size_t kMostBranches = 4;

void add_once(Values& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end())
    values.push_back(value);
}

/// Something of a type, where nothing else is known.
Value plain_value(const sql::Type& type) {
  switch (kind_of(type.name)) {
    case sql::Kind::Bool: return Value::boolean(true);
    case sql::Kind::Integer: return Value::integer(1);
    case sql::Kind::Numeric: return Value::numeric(1, 0);
    case sql::Kind::Text: return Value::text("a");
    case sql::Kind::Date: return Value::date(0);
    case sql::Kind::Timestamp: return Value::timestamp(0);
    default: return {};
  }
}

bool is_number(const Value& value) {
  return value.kind() == sql::Kind::Integer ||
         value.kind() == sql::Kind::Numeric;
}

/// The number of a step on a ladder of one kind; none: the kind has no order
/// that people compare by.
std::optional<Value> rung(sql::Kind kind, std::int64_t step) {
  constexpr std::int64_t kHour = 3'600'000'000;
  switch (kind) {
    case sql::Kind::Integer: return Value::integer(10 + step);
    case sql::Kind::Numeric: return Value::numeric(10 + step, 0);
    case sql::Kind::Date: return Value::date(static_cast<std::int32_t>(step));
    case sql::Kind::Timestamp: return Value::timestamp(step * kHour);
    default: return std::nullopt;
  }
}

/// One choice per parameter, the rows that it comes from first.
class Chooser {
 public:
  Chooser(const sql::Application& application, sql::RoutineId routine,
          const sql::MemoryDatabase& initial)
      : application_(application),
        routine_(application.at(routine)),
        initial_(initial),
        uses_(parameter_uses(application, routine)) {}

  [[nodiscard]] std::vector<Arguments> choices() {
    std::vector<Arguments> all;
    for (const bool takes_all : {true, false})
      for (const bool is_swapped : {false, true})
        for (const bool is_new : {false, true}) {
          Arguments one = choice(takes_all, is_swapped, is_new);
          if (std::find(all.begin(), all.end(), one) == all.end())
            all.push_back(std::move(one));
        }
    return all;
  }

  /// A choice in which parameters by which no row is named stand one behind the
  /// other, as a beginning and an end do; or the other way round.
  [[nodiscard]] Arguments in_order(Arguments one, bool is_descending) const {
    std::map<sql::Kind, std::int64_t> steps;
    for (std::uint32_t p = 0; p < routine_.parameters; ++p) {
      if (!uses_[p].equals.empty()) continue;
      const sql::Kind kind = kind_of(routine_.variables[p + 1].type.name);
      const std::int64_t step = steps[kind]++;
      if (const auto value = rung(kind, is_descending ? 9 - step : step))
        one[p] = *value;
    }
    return one;
  }

  /// A choice with each of the constants that parameters are compared with: the
  /// branches of the routine are different transactions.
  [[nodiscard]] std::vector<Arguments> with_constants(
      const Arguments& one) const {
    std::vector<Arguments> all;
    for (std::uint32_t p = 0; p < routine_.parameters; ++p) {
      const sql::Kind kind = kind_of(routine_.variables[p + 1].type.name);
      for (const Value& value : uses_[p].constants) {
        if (value.kind() != kind || all.size() >= kMostBranches) continue;
        all.push_back(one);
        all.back()[p] = value;
      }
    }
    return all;
  }

 private:
  /// What a column has in the beginning, the first few.
  const Values& values_of(ColumnRef column) {
    const auto [found, is_first] = seen_.try_emplace(column);
    if (!is_first) return found->second;
    for (const sql::Row& row : initial_.rows(column.table)) {
      if (found->second.size() >= kMostRows) break;
      if (!row[column.column].is_null())
        add_once(found->second, row[column.column]);
    }
    return found->second;
  }

  /// A value that no row has.
  [[nodiscard]] Value new_value(ColumnRef column, const sql::Type& type) const {
    if (kind_of(type.name) == sql::Kind::Text) return Value::text("new");
    if (kind_of(type.name) != sql::Kind::Integer) return plain_value(type);
    std::int64_t most = 0;
    for (const sql::Row& row : initial_.rows(column.table))
      if (row[column.column].kind() == sql::Kind::Integer)
        most = std::max(most, row[column.column].integer());
    return Value::integer(most + 1);
  }

  [[nodiscard]] bool is_key(ColumnRef column) const {
    for (const sql::UniqueKey& key :
         application_.schema.at(column.table).unique)
      if (std::find(key.columns.begin(), key.columns.end(), column.column) !=
          key.columns.end())
        return true;
    return false;
  }

  /// The column that a foreign key of one column refers to.
  [[nodiscard]] std::optional<ColumnRef> parent(ColumnRef column) const {
    for (const sql::ForeignKey& key :
         application_.schema.at(column.table).foreign)
      if (key.columns.size() == 1 && key.columns[0] == column.column)
        return ColumnRef{key.parent, key.parent_columns[0]};
    return std::nullopt;
  }

  /// A foreign key's column stands for what it refers to.
  [[nodiscard]] ColumnRef root(ColumnRef column) const {
    for (int steps = 0; steps < 8; ++steps) {
      const auto up = parent(column);
      if (!up) break;
      column = *up;
    }
    return column;
  }

  Arguments choice(bool takes_all, bool is_swapped, bool is_new) {
    std::map<ColumnRef, std::size_t> taken;  // how many of a column so far
    Arguments one;
    for (std::uint32_t p = 0; p < routine_.parameters; ++p)
      one.push_back(value_for(p, takes_all, is_swapped, is_new, taken));
    return one;
  }

  Value value_for(std::uint32_t p, bool takes_all, bool is_swapped, bool is_new,
                  std::map<ColumnRef, std::size_t>& taken) {
    const sql::Type& type = routine_.variables[p + 1].type;
    const ParameterUse& use = uses_[p];
    const auto row_of = [&](ColumnRef column) -> std::optional<Value> {
      const Values& values = values_of(column);
      if (values.empty()) return std::nullopt;
      std::size_t k = taken[column]++;
      if (is_swapped && k < 2 && values.size() > 1) k = 1 - k;
      return values[std::min(k, values.size() - 1)];
    };
    for (const ColumnRef column : use.equals) {
      const bool creates = use.inserts.count(column) == 1;
      if (creates && is_new) return new_value(column, type);
      if (const auto value = row_of(root(column))) return *value;
      if (creates) return new_value(column, type);
    }
    for (const ColumnRef column : use.inserts) {
      if (parent(column)) {
        if (const auto value = row_of(root(column))) return *value;
      } else if (is_key(column)) {
        return new_value(column, type);
      }
    }
    for (const ColumnRef column : use.bounds) {
      if (!takes_all) break;
      for (const Value& value : values_of(column))
        if (is_number(value) && sql::compare(value, zero_like(value)) > 0)
          return value;
    }
    return plain_value(type);
  }

  static Value zero_like(const Value& value) {
    return value.kind() == sql::Kind::Integer ? Value::integer(0)
                                              : Value::numeric(0, 0);
  }

  const sql::Application& application_;
  const sql::Routine& routine_;
  const sql::MemoryDatabase& initial_;
  std::vector<ParameterUse> uses_;
  std::map<ColumnRef, Values> seen_;
};

}  // namespace

namespace {

/// What a call leaves behind; none: it does not commit.
std::optional<sql::MemoryDatabase> after_call(
    const sql::MemoryDatabase& initial, sql::RoutineId routine,
    const Arguments& arguments, const Budget& budget) {
  sql::MemoryDatabase database = initial;
  sql::Call call;
  call.routine = routine;
  call.arguments = arguments;
  if (database.run(call, budget).kind != sql::Request::Kind::Returned)
    return std::nullopt;
  return database;
}

}  // namespace

bool commits_alone(const sql::MemoryDatabase& initial, sql::RoutineId routine,
                   const Arguments& arguments, const Budget& budget) {
  return after_call(initial, routine, arguments, budget).has_value();
}

bool changes_alone(const sql::MemoryDatabase& initial, sql::RoutineId routine,
                   const Arguments& arguments, const Budget& budget) {
  const auto after = after_call(initial, routine, arguments, budget);
  return after && !(*after == initial);
}

std::vector<Arguments> calls_to_the_limit(const sql::MemoryDatabase& initial,
                                          const TransactionType& type,
                                          const Budget& budget) {
  constexpr std::size_t kMostCalls = 12;
  sql::MemoryDatabase database = initial;
  std::vector<Arguments> calls;
  const auto commits = [&](const Arguments& arguments) {
    auto next = after_call(database, type.routine, arguments, budget);
    if (!next) return false;
    database = std::move(*next);
    return true;
  };
  while (calls.size() < kMostCalls && !budget.spent_now()) {
    const auto next =
        std::find_if(type.choices.begin(), type.choices.end(), commits);
    if (next != type.choices.end()) {
      calls.push_back(*next);
      continue;
    }
    // Nobody gets any further: one back.
    if (!calls.empty()) calls.pop_back();
    return calls;
  }
  return {};
}

std::vector<Arguments> choose_arguments(const sql::Application& application,
                                        sql::RoutineId routine,
                                        const sql::MemoryDatabase& initial,
                                        const Budget& budget) {
  std::vector<Arguments> all;
  const auto add = [&](Arguments one) {
    if (std::find(all.begin(), all.end(), one) == all.end())
      all.push_back(std::move(one));
  };
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls)
      if (call.routine == routine && call.open.empty()) add(call.arguments);
  Chooser chooser(application, routine, initial);
  for (Arguments& one : chooser.choices()) add(std::move(one));
  auto branches = chooser.with_constants(all.front());
  std::erase_if(branches, [&](const Arguments& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  });
  all.insert(all.begin() + 1, branches.begin(), branches.end());
  const auto changes = [&](const Arguments& one) {
    return changes_alone(initial, routine, one, budget);
  };
  if (std::none_of(all.begin(), all.end(), changes)) {
    for (const bool is_descending : {false, true}) {
      Arguments one = chooser.in_order(all.front(), is_descending);
      if (changes(one)) all.insert(all.begin(), std::move(one));
    }
  }
  std::stable_partition(all.begin(), all.end(), [&](const Arguments& one) {
    return commits_alone(initial, routine, one, budget);
  });
  if (all.size() > kMostChoices) all.resize(kMostChoices);
  return all;
}

}  // namespace txscope::analyze
