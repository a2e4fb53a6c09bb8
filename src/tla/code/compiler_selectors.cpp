#include <algorithm>

#include "tla/code/compiler.h"

// `Inv!2!1`: the first part of the second part of what Inv is defined as, in
// `Op(x)!2` with x for its parameter (Lamport, TLA+ Version 2, Section 6).
namespace txscope::tla {
namespace {

bool is_number(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

bool is_selector(const PathStep& step) {
  return is_number(step.name) || step.name == PathStep::kBody ||
         step.name == PathStep::kAny;
}

/// The expression with a label, as far as it stands under no other, and the
/// LETs on the way to it, outermost first.
const Expr* labelled(const Expr& e, const std::string& label,
                     std::vector<const Expr*>& lets) {
  if (e.kind == ExprKind::Label) return e.name == label ? &e : nullptr;
  if (e.kind == ExprKind::Let) lets.push_back(&e);
  const Expr* found = nullptr;
  const auto look = [&](const Expr* part) {
    if (found == nullptr && part != nullptr)
      found = labelled(*part, label, lets);
  };
  for (const Expr* arg : e.args) look(arg);
  for (const PathStep& step : e.path)
    for (const Expr* arg : step.args) look(arg);
  for (const Bound& bound : e.bounds) look(bound.set);
  for (const Update& update : e.updates) look(update.value);
  if (found == nullptr && e.kind == ExprKind::Let) lets.pop_back();
  return found;
}

const Expr& unlabelled(const Expr& e) {
  const Expr* at = &e;
  while (at->kind == ExprKind::Label) at = at->args[0];
  return *at;
}

const OpDef* operator_in(const Expr& let, const std::string& name) {
  if (let.kind != ExprKind::Let) return nullptr;
  for (const LetItem& item : let.defs)
    if (item.op != nullptr && item.op->name == name) return item.op;
  return nullptr;
}

std::vector<std::string> bound_names(const Expr& e) {
  std::vector<std::string> names;
  for (const Bound& bound : e.bounds)
    names.insert(names.end(), bound.names.begin(), bound.names.end());
  return names;
}

}  // namespace

/// What has been selected so far: an expression, and where its names are.
struct Compiler::Part {
  const Expr* at;
  Scope* scope;
  Here here;
  std::string name;  ///< of the last step, for messages
  /// Arguments for the steps that have none: `Op!@` as an operator.
  std::vector<const Expr*> supply = {};
  std::size_t taken = 0;
};

Expr& Compiler::new_expr(ExprKind kind, const Spot& spot) {
  Expr& e = made_.emplace_back();
  e.kind = kind;
  e.spot = spot;
  return e;
}

/// What !1, !2, ... select: the items of a junction or of a tuple, the
/// arguments of an operator, the sets of bound variables, the arms of a CASE.
std::vector<const Expr*> Compiler::parts_of(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Name: return e.path.back().args;
    case ExprKind::SetFilter:
    case ExprKind::SetMap:
    case ExprKind::Function:
    case ExprKind::Forall:
    case ExprKind::Exists:
    case ExprKind::Choose: {
      std::vector<const Expr*> sets;
      for (const Bound& bound : e.bounds)
        if (bound.set != nullptr) sets.push_back(bound.set);
      return sets;
    }
    case ExprKind::Case: {
      std::vector<const Expr*> arms;
      for (std::size_t i = 0; i < e.args.size(); i += 2) {
        Expr& arm = new_expr(ExprKind::Tuple, e.args[i]->spot);
        const bool is_other = i + 1 == e.args.size();
        arm.args = {e.args[i], e.args[is_other ? i : i + 1]};
        arms.push_back(&arm);
      }
      return arms;
    }
    case ExprKind::Field: {
      Expr& name = new_expr(ExprKind::String, e.spot);
      name.name = e.name;
      return {e.args[0], &name};
    }
    case ExprKind::Except: return {e.args[0]};  // the others may have an @
    case ExprKind::Lambda: return {};
    default: return e.args;
  }
}

/// Where `A!B!Op!2!lab` begins to speak of parts of Op; 0 if it does not.
std::size_t Compiler::first_selector(const Expr& e, const Scope& scope) {
  const Scope* at = &scope;
  for (std::size_t i = 0; i + 1 < e.path.size(); ++i) {
    if (is_selector(e.path[i + 1])) return i + 1;
    const Binding& binding = resolve(e.path[i].name, e.path[i].spot, *at);
    if (binding.kind == Binding::Kind::Op && sources_.contains(binding.def))
      return i + 1;
    if (binding.kind != Binding::Kind::Instance) return 0;
    at = binding.instance->scope;
  }
  return 0;
}

void Compiler::substitute(const std::string& name, std::uint32_t arity,
                          const Expr& value, const Scope* where, Scope& scope) {
  Binding argument;
  argument.kind = Binding::Kind::Substituted;
  argument.arity = arity;
  argument.expr = &value;
  argument.scope = where;
  scope.names.insert_or_assign(name, argument);
}

/// The definition that parts are selected of.  An instance with parameters,
/// I(a), becomes one without, in which a stands for the parameter.
const Binding& Compiler::resolve_head(const Expr& e, std::size_t first,
                                      Here here) {
  const Scope* at = here.scope;
  for (std::size_t i = 0; i + 1 < first; ++i) {
    const PathStep& step = e.path[i];
    const Instance& instance =
        *resolve(step.name, step.spot, *at).instance;  // see first_selector
    at = instance.scope;
    const std::vector<Param>& params = instance.definition->params;
    check_arity(step, params.size());
    if (params.empty()) continue;
    Scope& around = new_scope(instance.context->outside->outer);
    for (std::size_t k = 0; k < params.size(); ++k)
      substitute(params[k].name, params[k].arity, *step.args[k], here.scope,
                 around);
    InstanceDef& plain = made_instances_.emplace_back(*instance.definition);
    plain.params.clear();
    around.names.erase(plain.name);
    add_instance(around, plain, here.frame->level, nullptr);
    at = around.names.at(plain.name).instance->scope;
  }
  const PathStep& last = e.path[first - 1];
  if (first > 1 && !at->names.contains(last.name))
    fail(last.spot, e.path[first - 2].name + " has no " + last.name,
         suggestion(last.name, *at));
  return resolve(last.name, last.spot, *at);
}

const Code* Compiler::compile_part(const Expr& e, std::size_t first,
                                   Here here) {
  const Binding& binding = resolve_head(e, first, here);
  const auto source = binding.kind == Binding::Kind::Op
                          ? sources_.find(binding.def)
                          : sources_.end();
  if (source == sources_.end())
    return refuse(e.spot, "this selector of a subexpression is not supported");
  const OpDef& whole = *source->second.first;
  const PathStep& called = e.path[first - 1];
  Part part{whole.body, &new_scope(source->second.second), here, called.name};
  for (const Param& p : e.params) {
    Expr& name = new_expr(ExprKind::Name, e.spot);
    name.path.push_back({p.name, e.spot, {}});
    part.supply.push_back(&name);
  }
  const auto args = arguments_of(part, called, whole.params.size());
  for (std::size_t i = 0; i < args.size(); ++i)
    substitute(whole.params[i].name, whole.params[i].arity, *args[i],
               here.scope, *part.scope);
  for (std::size_t i = first; i < e.path.size(); ++i) select(part, e.path[i]);
  if (part.taken != part.supply.size())
    fail(e.spot, "an operator with " + std::to_string(part.supply.size()) +
                     " arguments is expected here, this one has " +
                     std::to_string(part.taken));
  return compile(*part.at, {part.scope, here.frame});
}

/// `Op!@!2` as an argument: the operator that takes what Op and the @ need.
const Code* Compiler::operator_of_part(const Expr& e, std::uint32_t arity,
                                       Here here) {
  Expr& lambda = new_expr(ExprKind::Lambda, e.spot);
  for (std::uint32_t i = 0; i < arity; ++i)
    lambda.params.push_back({"#" + std::to_string(i + 1), 0, e.spot});
  Expr& body = made_.emplace_back(e);
  body.params = lambda.params;
  lambda.args = {&body};
  return compile_operator(lambda, arity, here);
}

/// The arguments of a step, or the next ones that are supplied.
std::vector<const Expr*> Compiler::arguments_of(Part& part,
                                                const PathStep& step,
                                                std::size_t arity) {
  if (!step.args.empty() || part.supply.empty()) {
    check_arity(step, arity);
    return step.args;
  }
  if (part.taken + arity > part.supply.size())
    fail(step.spot, "an operator with " + std::to_string(part.supply.size()) +
                        " arguments is expected here, this one has more");
  const auto from =
      part.supply.begin() + static_cast<std::ptrdiff_t>(part.taken);
  part.taken += arity;
  return {from, from + static_cast<std::ptrdiff_t>(arity)};
}

void Compiler::select(Part& part, const PathStep& step) {
  part.scope = &new_scope(part.scope);
  const Expr& plain = unlabelled(*part.at);
  if (is_number(step.name))
    select_number(part, step);
  else if (is_selector(step))
    select_bound(part, step);
  else if (const OpDef* op = operator_in(plain, step.name))
    select_operator(part, step, *op);
  else
    select_label(part, step);
  part.name = step.name;
}

void Compiler::select_number(Part& part, const PathStep& step) {
  const Expr& e = unlabelled(*part.at);
  std::size_t number = 0;
  for (const char c : step.name)
    number = std::min<std::size_t>(
        number * 10 + static_cast<std::size_t>(c - '0'), 1000);
  const auto parts = parts_of(e);
  if (number < 1 || number > parts.size())
    fail(step.spot, part.name + " has no part " + step.name);
  if (e.kind == ExprKind::Let) enter_let(part, e);
  part.at = parts[number - 1];
}

/// `Op!(a)`, where Op is `\E x \in S : P`: P with a for x.
void Compiler::select_bound(Part& part, const PathStep& step) {
  const Expr& e = unlabelled(*part.at);
  const std::vector<std::string> names = bound_names(e);
  if (names.empty() ||
      (step.name == PathStep::kBody && names.size() != step.args.size()))
    fail(step.spot, "this selects the body of an expression with " +
                        std::to_string(step.args.size()) +
                        " bound variables, and it has " +
                        std::to_string(names.size()));
  const auto args = arguments_of(part, step, names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    substitute(names[i], 0, *args[i], part.here.scope, *part.scope);
  part.at = e.args[0];
}

/// `Op!lab(a)`, where Op has a part `lab(x) :: P`: P with a for x.
void Compiler::select_label(Part& part, const PathStep& step) {
  std::vector<const Expr*> lets;
  const Expr* found = labelled(*part.at, step.name, lets);
  if (found == nullptr) fail(step.spot, "no part has the label " + step.name);
  for (const Expr* let : lets) enter_let(part, *let);
  const auto args = arguments_of(part, step, found->params.size());
  for (std::size_t i = 0; i < args.size(); ++i)
    substitute(found->params[i].name, 0, *args[i], part.here.scope,
               *part.scope);
  part.at = found->args[0];
}

/// `Op!F(a)`, where Op is `LET F(x) == P IN ..`: P with a for x.
void Compiler::select_operator(Part& part, const PathStep& step,
                               const OpDef& op) {
  enter_let(part, unlabelled(*part.at));
  part.scope = &new_scope(part.scope);
  const auto args = arguments_of(part, step, op.params.size());
  for (std::size_t i = 0; i < args.size(); ++i)
    substitute(op.params[i].name, op.params[i].arity, *args[i], part.here.scope,
               *part.scope);
  part.at = op.body;
}

/// Makes the names of a LET known, by what they stand for.  A function may
/// speak of itself, and is left out.
void Compiler::enter_let(Part& part, const Expr& let) {
  part.scope = &new_scope(part.scope);
  for (const LetItem& item : let.defs) {
    if (item.instance != nullptr) {
      add_instance(*part.scope, *item.instance, part.here.frame->level,
                   nullptr);
      continue;
    }
    if (item.op->is_function) continue;
    const Expr* value = item.op->body;
    if (!item.op->params.empty()) {
      Expr& lambda = new_expr(ExprKind::Lambda, item.op->spot);
      lambda.params = item.op->params;
      lambda.args = {value};
      value = &lambda;
    }
    substitute(item.op->name,
               static_cast<std::uint32_t>(item.op->params.size()), *value,
               part.scope, *part.scope);
  }
}

}  // namespace txscope::tla
