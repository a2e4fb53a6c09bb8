#include <algorithm>

#include "tla/compiler.h"

namespace txscope::tla {
namespace {

bool is_number(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

bool is_selector(const PathStep& step) {
  return is_number(step.name) || step.name == PathStep::kBody;
}

/// What !1, !2, ... select: the items of a junction or of a tuple, the
/// arguments of an operator, the sets of bound variables.
std::vector<const Expr*> parts_of(const Expr& e) {
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
    case ExprKind::Case:
    case ExprKind::Except:
    case ExprKind::Lambda:
    case ExprKind::Let:
    case ExprKind::Record:
    case ExprKind::RecordSet: return {};
    default: return e.args;
  }
}

/// The expression with a label, as far as it stands under no other.
const Expr* labelled(const Expr& e, const std::string& label) {
  if (e.kind == ExprKind::Label) return e.name == label ? &e : nullptr;
  const Expr* found = nullptr;
  const auto look = [&](const Expr* part) {
    if (found == nullptr && part != nullptr) found = labelled(*part, label);
  };
  for (const Expr* arg : e.args) look(arg);
  for (const PathStep& step : e.path)
    for (const Expr* arg : step.args) look(arg);
  for (const Bound& bound : e.bounds) look(bound.set);
  for (const Update& update : e.updates) look(update.value);
  return found;
}

const Expr& unlabelled(const Expr& e) {
  const Expr* at = &e;
  while (at->kind == ExprKind::Label) at = at->args[0];
  return *at;
}

}  // namespace

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
                          const Expr& value, Here here, Scope& scope) {
  Binding argument;
  argument.kind = Binding::Kind::Substituted;
  argument.arity = arity;
  argument.expr = &value;
  argument.scope = here.scope;
  scope.names.insert_or_assign(name, argument);
}

/// `Inv!2!1`: the first part of the second part of what Inv is defined as, in
/// `Op(x)!2` with x for its parameter (Lamport, TLA+ Version 2, Section 6).
const Code* Compiler::compile_part(const Expr& e, std::size_t first,
                                   Here here) {
  Expr head = e;
  head.path.resize(first);
  std::vector<InstanceStep> instances;
  const Binding& binding = resolve_path(head, *here.scope, instances);
  const auto source = binding.kind == Binding::Kind::Op
                          ? sources_.find(binding.def)
                          : sources_.end();
  if (!instances.empty() || source == sources_.end())
    return refuse(e.spot, "this selector of a subexpression is not supported");
  const OpDef& whole = *source->second.first;
  const PathStep& called = e.path[first - 1];
  check_arity(called, whole.params.size());
  Scope* scope = &new_scope(source->second.second);
  for (std::size_t i = 0; i < whole.params.size(); ++i)
    substitute(whole.params[i].name, whole.params[i].arity, *called.args[i],
               here, *scope);
  const Expr* at = whole.body;
  for (std::size_t i = first; i < e.path.size(); ++i) {
    const PathStep& step = e.path[i];
    scope = &new_scope(scope);
    if (!is_selector(step)) {
      at = select_label(*at, step, here, *scope);
      continue;
    }
    at = &unlabelled(*at);
    if (step.name == PathStep::kBody) {
      at = select_bound(*at, step, here, *scope);
      continue;
    }
    std::size_t number = 0;
    for (const char c : step.name)
      number = std::min<std::size_t>(
          number * 10 + static_cast<std::size_t>(c - '0'), 1000);
    const auto parts = parts_of(*at);
    if (number < 1 || number > parts.size())
      fail(step.spot, e.path[i - 1].name + " has no part " + step.name);
    at = parts[number - 1];
  }
  return compile(*at, {scope, here.frame});
}

/// `Op!(a)`, where Op is `\E x \in S : P`: P with a for x.
const Expr* Compiler::select_bound(const Expr& e, const PathStep& step,
                                   Here here, Scope& scope) {
  std::vector<std::string> names;
  for (const Bound& bound : e.bounds)
    names.insert(names.end(), bound.names.begin(), bound.names.end());
  if (names.empty() || names.size() != step.args.size())
    fail(step.spot, "this selects the body of an expression with " +
                        std::to_string(step.args.size()) +
                        " bound variables, and it has " +
                        std::to_string(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    substitute(names[i], 0, *step.args[i], here, scope);
  return e.args[0];
}

/// `Op!lab(a)`, where Op has a part `lab(x) :: P`: P with a for x.
const Expr* Compiler::select_label(const Expr& e, const PathStep& step,
                                   Here here, Scope& scope) {
  const Expr* found = labelled(e, step.name);
  if (found == nullptr) fail(step.spot, "no part has the label " + step.name);
  check_arity(step, found->params.size());
  for (std::size_t i = 0; i < found->params.size(); ++i)
    substitute(found->params[i].name, 0, *step.args[i], here, scope);
  return found->args[0];
}

}  // namespace txscope::tla
