// Calls of the file's own routines: which of several of one name is meant, and
// what its parameters get.

#include <algorithm>
#include <utility>

#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

/// For types alone: what is lifted goes nowhere.
class NoLifter final : public Lifter {
 public:
  std::uint32_t lift(const Signature&, std::vector<Expr>, Span) override {
    return 0;
  }
  std::uint32_t lift_row(std::vector<Expr>, Type, Span) override { return 0; }
  std::uint32_t lift_lock(ExplicitLock, Type, std::vector<DbStatement::Mention>,
                          Span) override {
    return 0;
  }
};

using CallPlaces = std::vector<const Signature::Parameter*>;

/// Those that a call has a place for: a procedure's OUT parameters, too.
CallPlaces places_of(const Signature& routine) {
  CallPlaces places;
  for (const auto& parameter : routine.parameters) {
    if (parameter.is_in || !routine.is_function) places.push_back(&parameter);
  }
  return places;
}

/// What a call gives.
struct Placed {
  std::vector<const Node*> given;  ///< by place; null: the default
  std::vector<const Node*> rest;   ///< of a VARIADIC one, its items
  bool has_rest = false;
};

/// Its arguments in order, then those by name.  Nothing at all: it does not
/// fit.
std::optional<Placed> placed(const PgQuery__FuncCall& call,
                             const CallPlaces& places) {
  Placed result;
  std::vector<const Node*>& given = result.given;
  given.resize(places.size(), nullptr);
  const bool is_open = !places.empty() && places.back()->is_variadic &&
                       !call.func_variadic && call.n_args >= places.size();
  for (std::size_t i = 0; i < call.n_args; ++i) {
    const Node* arg = call.args[i];
    std::size_t at = i;
    if (is_open && i + 1 >= places.size()) {
      result.has_rest = true;
      result.rest.push_back(arg);
      continue;
    }
    if (arg->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) {
      const auto found = std::find_if(
          places.begin(), places.end(), [&](const Signature::Parameter* p) {
            return p->name == view(arg->named_arg_expr->name);
          });
      at = static_cast<std::size_t>(found - places.begin());
      arg = arg->named_arg_expr->arg;
    }
    if (at >= places.size() || given[at] != nullptr) return std::nullopt;
    given[at] = arg;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_rest = result.has_rest && i + 1 == places.size();
    if (given[i] == nullptr && !places[i]->default_value && !is_rest)
      return std::nullopt;
  }
  return result;
}

}  // namespace

/// The reason, at its own place: that is what has to be changed.
void Calls::check_runs(const Signature& routine) const {
  if (routine.problem != nullptr) throw Failure{*routine.problem, true};
}

Type Calls::type_of(const Node& node) {
  NoLifter none;
  Lifter* const lifter = std::exchange(scope_.lifter, &none);
  const std::size_t mentioned = scope_.mentions.size();
  const std::size_t lifted = scope_.lifted.size();
  const bool looked = scope_.looks_at_tables;
  const bool is_open = !scope_.levels.empty();
  if (!is_open) scope_.levels.push_back(std::make_unique<OpenQuery>());
  const std::size_t aggregates = level().aggregates.size();
  const bool had_aggregate = level().has_aggregate;
  const Type type = all_.expressions.expr(&node).type;
  level().aggregates.resize(aggregates);
  level().has_aggregate = had_aggregate;
  if (!is_open) scope_.levels.pop_back();
  scope_.looks_at_tables = looked;
  scope_.lifted.resize(lifted);
  scope_.mentions.resize(mentioned);
  scope_.lifter = lifter;
  return type;
}

const Signature* Calls::meant(const PgQuery__FuncCall& call) {
  const std::string name(string_of(call.funcname[call.n_funcname - 1]));
  const auto all = scope_.catalog.routines_named(scope_.catalog.routine_key(
      qualified(list(call.n_funcname, call.funcname))));
  if (all.size() < 2) return all.empty() ? nullptr : all[0];
  // PostgreSQL's func_select_candidate(): the most arguments of the very type,
  // then a literal is rather a text than anything else.
  struct Candidate {
    const Signature* routine = nullptr;
    std::size_t exact = 0;
    std::size_t texts = 0;
    std::size_t defaults = 0;
  };
  std::vector<Candidate> fitting;
  for (const Signature* routine : all) {
    const CallPlaces places = places_of(*routine);
    const auto given = placed(call, places);
    if (!given) continue;
    Candidate candidate{routine};
    bool fits = true;
    for (const Node* item : given->rest)
      fits = fits && converts(type_of(*item), element_of(places.back()->type));
    for (std::size_t i = 0; i < places.size() && fits; ++i) {
      if (given->given[i] == nullptr) {
        ++candidate.defaults;
        continue;
      }
      const Type type = type_of(*given->given[i]);
      const Type& wanted = places[i]->type;
      fits = converts(type, wanted);
      if (type.name == TypeName::Unknown) {
        if (is_text(wanted.name)) ++candidate.texts;
      } else if (bare(type) == bare(wanted)) {
        ++candidate.exact;
      }
    }
    if (fits) fitting.push_back(candidate);
  }
  const Span at = scope_.tree.at(call.location);
  if (fitting.empty()) {
    source().fail(at, "no '" + name + "' takes these arguments",
                  "there are " + std::to_string(all.size()) +
                      " routines of this name; a cast may help");
  }
  const auto keep_most = [&](auto member) {
    std::size_t most = 0;
    for (const Candidate& c : fitting) most = std::max(most, c.*member);
    std::erase_if(fitting,
                  [&](const Candidate& c) { return c.*member < most; });
  };
  keep_most(&Candidate::exact);
  keep_most(&Candidate::texts);
  std::size_t fewest = fitting[0].defaults;
  for (const Candidate& c : fitting) fewest = std::min(fewest, c.defaults);
  std::erase_if(fitting,
                [&](const Candidate& c) { return c.defaults > fewest; });
  if (fitting.size() > 1) {
    source().fail(at, "which '" + name + "' is meant is not unique",
                  "add casts to the arguments");
  }
  return fitting[0].routine;
}

std::vector<Expr> Calls::arguments(const PgQuery__FuncCall& node,
                                   const Signature& routine,
                                   const std::set<std::size_t>& open) {
  const Span at = scope_.tree.at(node.location);
  check_runs(routine);
  const bool is_open = !scope_.levels.empty();
  if (!is_open) {
    scope_.levels.push_back(std::make_unique<OpenQuery>());
    level().clause = Clause::Values;
  }
  const CallPlaces wanted = places_of(routine);
  const auto given = placed(node, wanted);
  if (!given) {
    std::size_t least = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i]->default_value) least = i + 1;
    }
    for (const Node* arg : list(node.n_args, node.args)) {
      if (arg->node_case != PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) continue;
      source().fail(at, "these names are not those of the parameters of '" +
                            routine.name + "'");
    }
    const std::string count =
        least == wanted.size()
            ? std::to_string(least)
            : std::to_string(least) + " to " + std::to_string(wanted.size());
    source().fail(
        at, "'" + routine.name + "' takes " + count +
                (wanted.size() == 1 ? " argument, not " : " arguments, not ") +
                std::to_string(node.n_args));
  }
  std::vector<Expr> result;
  std::size_t i = 0;
  for (const Signature::Parameter& parameter : routine.parameters) {
    if (!parameter.is_in && routine.is_function) {
      result.push_back(constant({}, parameter.type, at));
      continue;
    }
    const Node* argument = given->given[i++];
    if (parameter.is_variadic && given->has_rest) {
      const Type element = element_of(parameter.type);
      std::vector<Expr> items;
      for (const Node* item : given->rest) {
        Expr e = all_.expressions.expr(item);
        if (!converts(e.type, element)) {
          source().fail(e.at, "an argument of '" + routine.name +
                                  "' is of type " + to_string(element) +
                                  " but the expression is of type " +
                                  to_string(e.type));
        }
        items.push_back(convert(source(), std::move(e), element));
      }
      result.push_back(make_builtin(Builtin::MakeArray, parameter.type,
                                    std::move(items), at));
      continue;
    }
    if (argument == nullptr) {
      result.push_back(*parameter.default_value);
      continue;
    }
    Expr e = all_.expressions.expr(argument);
    if (open.contains(e.at.offset)) {
      result.push_back(constant({}, parameter.type, e.at));
      continue;
    }
    if (is_mysql(scope_.dialect)) {
      result.push_back(parameter.is_in
                           ? mariadb_assigned(source(),
                                              decided(source(), std::move(e)),
                                              parameter.type)
                           : std::move(e));
      continue;
    }
    if (!converts(e.type, parameter.type)) {
      source().fail(e.at,
                    "argument " + std::to_string(i) + " of '" + routine.name +
                        "' is of type " + to_string(parameter.type) +
                        " but the expression is of type " + to_string(e.type),
                    "add a cast, as in x::" + to_string(parameter.type));
    }
    // CallPlaces have no sizes: varchar(3) takes any varchar.
    result.push_back(parameter.is_in
                         ? convert(source(), std::move(e), parameter.type)
                         : std::move(e));
  }
  if (!is_open) scope_.levels.pop_back();
  return result;
}

Expr Calls::own_function(const PgQuery__FuncCall& node,
                         const Signature& function, Span at) {
  if (!function.is_function) {
    source().fail(at, "'" + function.name + "' is a procedure",
                  "use CALL " + function.name + "(...)");
  }
  const std::size_t mentioned = scope_.mentions.size();
  const bool looked = scope_.looks_at_tables;
  scope_.looks_at_tables = false;
  std::vector<Expr> args = arguments(node, function);
  const bool argument_looks = scope_.looks_at_tables;
  scope_.looks_at_tables = looked || argument_looks;
  if (!function.must_be_lifted()) {
    scope_.looks_at_tables |= function.touches_tables || function.draws_numbers;
    const Type type = function.returns_row() ? function.row : function.result;
    Expr e = make(Op::Function, type, std::move(args), at);
    e.index = function.id.index;
    return e;
  }
  const bool has_no_place = scope_.lifter == nullptr ||
                            scope_.levels.size() > 1 || scope_.conditional > 0;
  // Statements of the setup, and invariants: nobody else is there.
  const bool is_alone =
      scope_.lifter == nullptr &&
      scope_.tree.statement().node_case == PG_QUERY__NODE__NODE_SELECT_STMT;
  if (is_alone && !function.does_more) {
    scope_.looks_at_tables = true;
    Expr e = make(Op::Function,
                  function.returns_row() ? function.row : function.result,
                  std::move(args), at);
    e.index = function.id.index;
    return e;
  }
  const std::string call = "a call of '" + function.name + "', which ";
  if (has_no_place) {
    source().gap(
        at, call + "is VOLATILE and uses tables, is not supported here",
        "assign its value to a variable first, or declare it STABLE if it "
        "changes nothing");
  }
  if (argument_looks) {
    source().unsupported(at, call + "has a query among its arguments, is",
                         "assign the query's value to a variable first");
  }
  const Span whole = scope_.tree.call(node.location);
  scope_.mentions.resize(mentioned);
  const std::uint32_t slot =
      scope_.lifter->lift(function, std::move(args), whole);
  scope_.lifted.push_back(slot);
  return scope_.variable(
      {slot, function.returns_row() ? function.row : function.result}, whole);
}

}  // namespace txscope::sql::analyzer
