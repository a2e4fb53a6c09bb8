#include <algorithm>

#include "tla/code/compiler.h"

namespace txscope::tla {
namespace {

Op simple_op(ExprKind kind) {
  switch (kind) {
    case ExprKind::Tuple: return Op::Tuple;
    case ExprKind::SetEnum: return Op::SetEnum;
    case ExprKind::FunctionSet: return Op::FunctionSet;
    case ExprKind::If: return Op::If;
    case ExprKind::Case: return Op::Case;
    case ExprKind::And: return Op::And;
    case ExprKind::Or: return Op::Or;
    case ExprKind::BoxAct: return Op::BoxAct;
    default: return Op::Refuse;
  }
}

}  // namespace

Code& Compiler::make(Op op, const Spot& spot) {
  Code& code = program_.codes_.emplace_back();
  code.op = op;
  code.spot = spot;
  return code;
}

Code& Compiler::with_kids(Code& code, std::vector<const Code*> kids) {
  program_.kids_.push_back(std::move(kids));
  code.kids = program_.kids_.back().data();
  code.count = static_cast<std::uint32_t>(program_.kids_.back().size());
  return code;
}

const Code* Compiler::constant(Value value, const Spot& spot) {
  Code& code = make(Op::Const, spot);
  code.value = value;
  return &code;
}

const Code* Compiler::refuse(const Spot& spot, std::string what) {
  Code& code = make(Op::Refuse, spot);
  code.text = std::move(what);
  return &code;
}

void Compiler::compile_pending() {
  while (!pending_.empty()) {
    const Pending next = pending_.front();
    pending_.pop_front();
    const Scope* scope = next.scope;
    if (next.params != nullptr && !next.params->empty()) {
      Scope& inner = new_scope(scope);
      std::uint32_t slot = 0;
      for (const Param& p : *next.params) {
        Binding binding;
        binding.kind = Binding::Kind::Slot;
        binding.level = next.def->level;
        binding.index = slot++;
        binding.arity = p.arity;
        inner.names.insert_or_assign(p.name, binding);
      }
      scope = &inner;
    }
    next.def->body = compile(*next.body, {scope, next.def});
  }
}

std::uint32_t Compiler::hops_to(std::uint32_t level, Here here) const {
  return here.frame->level - level;
}

const Code* Compiler::compile(const Expr& e, Here here) {
  switch (e.kind) {
    case ExprKind::Number: return constant(Value::of_int(e.number), e.spot);
    case ExprKind::String:
      return constant(program_.store_.string(e.name), e.spot);
    case ExprKind::Name: return compile_name(e, here);
    case ExprKind::At: {
      const Binding* at = here.scope->find("@");
      if (at == nullptr) fail(e.spot, "@ has a meaning only inside EXCEPT");
      return compile_slot(*at, {"@", e.spot, {}}, here);
    }
    case ExprKind::Tuple:
    case ExprKind::SetEnum:
    case ExprKind::FunctionSet:
    case ExprKind::If:
    case ExprKind::Case:
    case ExprKind::And:
    case ExprKind::Or:
    case ExprKind::BoxAct: {
      std::vector<const Code*> kids;
      bool all_constant = true;
      for (const Expr* arg : e.args) {
        kids.push_back(compile(*arg, here));
        all_constant = all_constant && kids.back()->op == Op::Const;
      }
      if (all_constant && e.kind == ExprKind::Tuple) {
        std::vector<Value> values;
        for (const Code* kid : kids) {
          values.push_back(kid->value);
          if (values.back().is_node() && values.back().as_node()->is_lazy())
            all_constant = false;
        }
        if (all_constant)
          return constant(program_.store_.sequence(values), e.spot);
      }
      return &with_kids(make(simple_op(e.kind), e.spot), std::move(kids));
    }
    case ExprKind::DiamondAct:
      return diamond(compile(*e.args[0], here), compile(*e.args[1], here),
                     e.spot);
    case ExprKind::SetFilter: return compile_bound(e, Op::SetFilter, here);
    case ExprKind::SetMap: return compile_bound(e, Op::SetMap, here);
    case ExprKind::Function: return compile_bound(e, Op::Function, here);
    case ExprKind::Forall: return compile_bound(e, Op::Forall, here);
    case ExprKind::Exists: return compile_bound(e, Op::Exists, here);
    case ExprKind::Choose: return compile_bound(e, Op::Choose, here);
    case ExprKind::TemporalQuantifier:
      return refuse(e.spot,
                    "temporal quantifiers (\\AA, \\EE) are not supported");
    case ExprKind::Apply: return compile_apply(e, here);
    case ExprKind::Record: return compile_record(e, Op::Record, here);
    case ExprKind::RecordSet: return compile_record(e, Op::RecordSet, here);
    case ExprKind::Field: {
      const Code* base = compile(*e.args[0], here);
      Code& code = make(Op::Field, e.spot);
      code.value = program_.store_.string(e.name);
      return &with_kids(code, {base});
    }
    case ExprKind::Except: return compile_except(e, here);
    case ExprKind::Let: return compile_let(e, here);
    case ExprKind::Lambda:
      fail(e.spot, "LAMBDA can only be an argument of an operator");
    case ExprKind::Label: return compile(*e.args[0], here);
    case ExprKind::Prime: return compile_prime(e, here);
    case ExprKind::Fairness: {
      const Code* subscript = compile(*e.args[0], here);
      const Code* action = compile(*e.args[1], here);
      const Op op = e.name == "WF" ? Op::WeakFair : Op::StrongFair;
      const Code* step = diamond(action, subscript, e.spot);
      const Code* enabled = &with_kids(make(Op::Enabled, e.spot), {step});
      return &with_kids(make(op, e.spot), {subscript, action, step, enabled});
    }
  }
  return nullptr;
}

/// <<A>>_v is A /\ ~UNCHANGED v.
const Code* Compiler::diamond(const Code* action, const Code* subscript,
                              const Spot& spot) {
  const Code* same = &with_kids(make(Op::Unchanged, spot), {subscript});
  const Code* changed = &with_kids(make(Op::Not, spot), {same});
  return &with_kids(make(Op::And, spot), {action, changed});
}

const Code* Compiler::compile_apply(const Expr& e, Here here) {
  const Code* function = compile(*e.args[0], here);
  std::vector<const Code*> args;
  for (std::size_t i = 1; i < e.args.size(); ++i)
    args.push_back(compile(*e.args[i], here));
  const Code* argument = args[0];
  if (args.size() > 1)
    argument = &with_kids(make(Op::Tuple, e.spot), std::move(args));
  if (function->op == Op::FunctionDef) {
    Code& code = make(Op::ApplyFunctionDef, e.spot);
    code.def = function->def;
    code.index = function->index;
    code.hops = function->hops;
    return &with_kids(code, {argument});
  }
  return &with_kids(make(Op::Apply, e.spot), {function, argument});
}

const Code* Compiler::compile_let(const Expr& e, Here here) {
  Scope& scope = new_scope(here.scope);
  const Here inside{&scope, here.frame};
  std::vector<LetSlot> lets;
  std::vector<const OpDef*> values;
  for (const LetItem& item : e.defs) {
    if (item.instance != nullptr) {
      add_instance(scope, *item.instance, here.frame->level, nullptr);
      continue;
    }
    const OpDef& op = *item.op;
    if (scope.names.contains(op.name))
      fail(op.spot, op.name + " is defined twice in this LET");
    Binding binding;
    if (op.params.empty() && !op.is_function) {
      binding.kind = Binding::Kind::Slot;
      binding.level = here.frame->level;
      binding.index = take_slot(here);
      lets.push_back({binding.index, nullptr, nullptr});
      values.push_back(&op);
    } else {
      Def& def = new_def(op.name, op.spot, here.frame->level + 1);
      def.params = static_cast<std::uint32_t>(op.params.size());
      for (const Param& p : op.params) {
        def.arities.push_back(p.arity);
        def.parameters.push_back(p.name);
      }
      def.slots = def.params;
      def.is_function = op.is_function;
      binding.def = &def;
      binding.kind = Binding::Kind::Op;
      binding.arity = def.params;
      if (op.is_function) {
        binding.kind = Binding::Kind::LocalFunction;
        def.slot = take_slot(here);
        lets.push_back({def.slot, nullptr, &def});
        values.push_back(nullptr);
      }
      pending_.push_back({&def, op.body, &scope, &op.params});
    }
    scope.names.insert_or_assign(op.name, binding);
  }
  for (std::size_t i = 0; i < lets.size(); ++i)
    if (values[i] != nullptr) lets[i].code = compile(*values[i]->body, inside);
  const Code* body = compile(*e.args[0], inside);
  Code& code = make(Op::Let, e.spot);
  code.lets = std::move(lets);
  code.home = here.frame;
  return &with_kids(code, {body});
}

const Code* Compiler::compile_except(const Expr& e, Here here) {
  const Code* base = compile(*e.args[0], here);
  std::vector<CodeUpdate> updates;
  for (const Update& update : e.updates) {
    CodeUpdate compiled;
    for (const Update::Step& step : update.steps)
      compiled.path.push_back(
          step.index != nullptr
              ? compile(*step.index, here)
              : constant(program_.store_.string(step.field), step.spot));
    compiled.at_slot = take_slot(here);
    Scope& scope = new_scope(here.scope);
    Binding at;
    at.kind = Binding::Kind::Slot;
    at.level = here.frame->level;
    at.index = compiled.at_slot;
    scope.names.insert_or_assign("@", at);
    compiled.value = compile(*update.value, {&scope, here.frame});
    updates.push_back(std::move(compiled));
  }
  Code& code = make(Op::Except, e.spot);
  code.updates = std::move(updates);
  return &with_kids(code, {base});
}

const Code* Compiler::compile_prime(const Expr& e, Here here) {
  const Code* kid = compile(*e.args[0], here);
  if (kid->op == Op::Const) return kid;
  if (kid->op == Op::Variable && kid->stand_in == 0) {
    Code& code = make(Op::Primed, e.spot);
    code.index = kid->index;
    return &code;
  }
  return &with_kids(make(Op::Prime, e.spot), {kid});
}

const Code* Compiler::compile_record(const Expr& e, Op op, Here here) {
  std::vector<std::pair<Value, const Code*>> fields;
  for (std::size_t i = 0; i < e.fields.size(); ++i)
    fields.emplace_back(program_.store_.string(e.fields[i]),
                        compile(*e.args[i], here));
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) {
    return compare(a.first, b.first) < 0;
  });
  std::vector<Value> names;
  std::vector<const Code*> kids;
  for (const auto& [name, code] : fields) {
    names.push_back(name);
    kids.push_back(code);
  }
  Code& code = make(op, e.spot);
  code.value = program_.store_.sorted_set(names);
  return &with_kids(code, std::move(kids));
}

/// Slots for the variables of a quantifier or constructor, and their sets.
Compiler::Here Compiler::bind(const Expr& e, std::vector<Binder>& binders,
                              Here here) {
  Scope& scope = new_scope(here.scope);
  const auto add = [&](const std::string& name) {
    Binding binding;
    binding.kind = Binding::Kind::Slot;
    binding.level = here.frame->level;
    binding.index = take_slot(here);
    scope.names.insert_or_assign(name, binding);
    return binding.index;
  };
  for (const Bound& bound : e.bounds) {
    const Code* set =
        bound.set == nullptr ? nullptr : compile(*bound.set, here);
    const auto first = static_cast<std::uint32_t>(binders.size());
    if (bound.is_tuple) {
      Binder binder;
      binder.set = set;
      binder.slot = add(bound.names[0]);
      for (std::size_t i = 1; i < bound.names.size(); ++i) add(bound.names[i]);
      binder.tuple = static_cast<std::uint32_t>(bound.names.size());
      binder.same_set_as = first;
      binders.push_back(binder);
      continue;
    }
    for (const std::string& name : bound.names)
      binders.push_back({set, add(name), 0, first});
  }
  return {&scope, here.frame};
}

const Code* Compiler::compile_bound(const Expr& e, Op op, Here here) {
  std::vector<Binder> binders;
  const Here inside = bind(e, binders, here);
  for (const Binder& binder : binders)
    if (binder.set == nullptr)
      return refuse(e.spot, op == Op::Choose
                                ? "unbounded CHOOSE is not supported"
                                : "unbounded quantifiers are not supported");
  const Code* body = compile(*e.args[0], inside);
  Code& code = make(op, e.spot);
  code.binders = std::move(binders);
  code.home = here.frame;
  return &with_kids(code, {body});
}

}  // namespace txscope::tla
