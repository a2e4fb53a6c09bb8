#include "analyze/arguments/arguments.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/arguments/argument_values.h"
#include "analyze/arguments/parameter_use.h"

namespace txscope::analyze {
namespace {

using sql::Value;

constexpr std::size_t kMostChoices = 8;  // of arguments
constexpr std::size_t kMostBranches = 4;

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
      : routine_(application.at(routine)),
        values_(application, initial),
        uses_(parameter_uses(application, routine)) {}

  [[nodiscard]] std::vector<Arguments> choices() {
    std::vector<Arguments> all;
    const bool has_settings = uses_.size() > routine_.parameters;
    for (const bool takes_all : {true, false})
      for (const bool is_swapped : {false, true})
        for (const bool is_new : {false, true})
          for (const bool is_other : {false, true}) {
            if (is_other && !has_settings) continue;
            Arguments one = choice({takes_all, is_swapped, is_new}, is_other);
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

  /// Without the parameters that the routine tests for NULL.
  [[nodiscard]] Arguments with_nulls(Arguments one) const {
    for (std::uint32_t p = 0; p < routine_.parameters; ++p)
      if (uses_[p].is_tested_for_null) one[p] = Value();
    return one;
  }

 private:
  Arguments choice(Taking taking, bool is_other_session) {
    Taking of_session = taking;
    of_session.is_swapped ^= is_other_session;
    of_session.is_new = false;
    Arguments one;
    for (std::uint32_t p = 0; p < routine_.parameters; ++p)
      one.push_back(
          values_.value(uses_[p], routine_.variables[p + 1].type, taking));
    for (std::size_t p = routine_.parameters; p < uses_.size(); ++p)
      one.push_back(values_.setting(uses_[p], of_session));
    return one;
  }

  const sql::Routine& routine_;
  ArgumentValues values_;
  std::vector<ParameterUse> uses_;
};

/// What a call leaves behind; none: it does not commit.
std::optional<sql::MemoryDatabase> after_call(
    const sql::MemoryDatabase& initial, sql::RoutineId routine,
    const Arguments& arguments, const Budget& budget) {
  sql::MemoryDatabase database = initial;
  const sql::Call call =
      call_with(initial.routines().application(), routine, arguments);
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
  add(chooser.with_nulls(all.front()));
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
