#include <algorithm>

#include "base/suggest.h"
#include "tla/code/compiler.h"

namespace txscope::tla {
namespace {

constexpr int kLongestAliasChain = 16;

}  // namespace

const Binding& Compiler::resolve(const std::string& name, const Spot& spot,
                                 const Scope& scope) {
  const Binding* binding = scope.find(name);
  for (int i = 0; binding != nullptr && binding->kind == Binding::Kind::Alias;
       ++i) {
    if (i == kLongestAliasChain)
      fail(spot, name + " is replaced by itself in the configuration");
    binding = program_.root_scope_ == nullptr
                  ? nullptr
                  : program_.root_scope_->find(binding->alias);
  }
  if (binding != nullptr) return *binding;
  const std::string_view module = module_with(name);
  if (!module.empty())
    fail(spot, name + " is not known here",
         "it comes from EXTENDS " + std::string(module));
  fail(spot, name + " is not known here", suggestion(name, scope));
}

std::string Compiler::suggestion(const std::string& name,
                                 const Scope& scope) const {
  std::vector<std::string> names;
  for (const Scope* s = &scope; s != nullptr; s = s->outer)
    for (const auto& [other, binding] : s->names)
      if (!other.ends_with('!')) names.push_back(other);
  std::sort(names.begin(), names.end());
  return txscope::suggestion(name, names);
}

/// Follows `A!B!Op` to the last step.
const Binding& Compiler::resolve_path(const Expr& e, const Scope& scope,
                                      std::vector<InstanceStep>& parametrised) {
  const Scope* at = &scope;
  for (std::size_t i = 0; i + 1 < e.path.size(); ++i) {
    const PathStep& step = e.path[i];
    const Binding& binding = resolve(step.name, step.spot, *at);
    if (binding.kind != Binding::Kind::Instance)
      fail(step.spot, step.name + " is no instance of a module",
           "A!B needs A == INSTANCE Module");
    const Instance& instance = *binding.instance;
    const std::size_t params =
        instance.frame == nullptr ? 0 : instance.frame->params;
    check_arity(step, params);
    if (params > 0) parametrised.push_back({&instance, &step});
    at = instance.scope;
  }
  const PathStep& last = e.path.back();
  if (e.path.size() > 1) {
    const auto found = at->names.find(last.name);
    const bool hidden = found == at->names.end() ||
                        (found->second.is_local &&
                         found->second.kind != Binding::Kind::Builtin);
    if (hidden)
      fail(last.spot, e.path[e.path.size() - 2].name + " has no " + last.name,
           suggestion(last.name, *at));
    const auto original = at->names.find(original_name(last.name));
    if (original != at->names.end()) return original->second;
  }
  return resolve(last.name, last.spot, *at);
}

const Code* Compiler::compile_name(const Expr& e, Here here) {
  const PathStep& last = e.path.back();
  if (e.path.size() == 1 && last.name == "ENABLED")
    return &with_kids(make(Op::Enabled, e.spot),
                      {compile(*last.args[0], here)});
  if (e.path.size() == 1 && last.name == "\\cdot" &&
      here.scope->find(last.name) == nullptr)
    return &with_kids(
        make(Op::Compose, e.spot),
        {compile(*last.args[0], here), compile(*last.args[1], here)});
  if (e.path.size() == 1 && last.name == "\\X") {
    std::vector<const Code*> kids;
    for (const Expr* arg : last.args) kids.push_back(compile(*arg, here));
    return &with_kids(make(Op::Product, e.spot), std::move(kids));
  }
  if (const std::size_t i = first_selector(e, *here.scope); i > 0)
    return compile_part(e, i, here);
  std::vector<InstanceStep> instances;
  const Binding& binding = resolve_path(e, *here.scope, instances);
  if (!instances.empty())
    return compile_instance_call(instances, binding, last, here);
  return compile_reference(binding, last, here);
}

void Compiler::check_arity(const PathStep& step, std::size_t arity) const {
  if (step.args.size() == arity) return;
  fail(step.spot, step.name + " takes " + std::to_string(arity) + " argument" +
                      (arity == 1 ? "" : "s") + ", not " +
                      std::to_string(step.args.size()));
}

const Code* Compiler::compile_reference(const Binding& binding,
                                        const PathStep& step, Here here) {
  const Code* code = compile_meaning(binding, step, here);
  if (binding.stand_in == 0 || code->op == Op::Const ||
      (code->op == Op::Variable && !binding.shares_variable))
    return code;
  Code& marked = program_.codes_.emplace_back(*code);
  marked.stand_in = binding.stand_in;
  return &marked;
}

const Code* Compiler::compile_meaning(const Binding& binding,
                                      const PathStep& step, Here here) {
  switch (binding.kind) {
    case Binding::Kind::Slot: return compile_slot(binding, step, here);
    case Binding::Kind::Op: return compile_call(*binding.def, step, here);
    case Binding::Kind::LocalFunction: {
      check_arity(step, 0);
      Code& code = make(Op::FunctionDef, step.spot);
      code.def = binding.def;
      code.index = binding.def->slot;
      code.hops = hops_to(binding.def->level - 1, here);
      return &code;
    }
    case Binding::Kind::Variable: {
      check_arity(step, 0);
      Code& code = make(Op::Variable, step.spot);
      code.index = binding.index;
      return &code;
    }
    case Binding::Kind::Constant:
      check_arity(step, 0);
      return constant(binding.value, step.spot);
    case Binding::Kind::Unassigned:
      fail(step.spot, "the constant " + step.name + " has no value",
           "add CONSTANT " + step.name + " = ... to the configuration");
    case Binding::Kind::Substituted: {
      const Here there{binding.scope, here.frame};
      if (binding.arity == 0) {
        check_arity(step, 0);
        return compile(*binding.expr, there);
      }
      const Code* callee =
          compile_operator(*binding.expr, binding.arity, there);
      return compile_operation(*callee, binding.arity, step, here);
    }
    case Binding::Kind::Instance:
      fail(step.spot, step.name + " is an instance, not a value",
           "write " + step.name + "!Op");
    case Binding::Kind::Builtin:
      return compile_builtin(*binding.builtin, step, here);
    case Binding::Kind::Alias: break;  // resolve() has followed it
  }
  return nullptr;
}

const Code* Compiler::compile_slot(const Binding& binding, const PathStep& step,
                                   Here here) {
  check_arity(step, binding.arity);
  std::vector<const Code*> kids;
  for (const Expr* arg : step.args) kids.push_back(compile(*arg, here));
  Code& code = make(binding.arity == 0 ? Op::Slot : Op::CallSlot, step.spot);
  code.index = binding.index;
  code.hops = hops_to(binding.level, here);
  return &with_kids(code, std::move(kids));
}

/// Applies an operator that was itself given as an argument.
const Code* Compiler::compile_operation(const Code& callee, std::uint32_t arity,
                                        const PathStep& step, Here here) {
  check_arity(step, arity);
  std::vector<const Code*> kids;
  for (const Expr* arg : step.args) kids.push_back(compile(*arg, here));
  Code& code =
      make(callee.op == Op::Operator ? Op::Call : Op::CallSlot, step.spot);
  code.def = callee.def;
  code.index = callee.index;
  code.hops = callee.hops;
  return &with_kids(code, std::move(kids));
}

void Compiler::compile_arguments(const Def& def, const PathStep& step,
                                 Here here, std::vector<const Code*>& kids) {
  check_arity(step, def.params);
  for (std::size_t i = 0; i < step.args.size(); ++i) {
    const std::uint32_t arity = def.arities[i];
    kids.push_back(arity == 0 ? compile(*step.args[i], here)
                              : compile_operator(*step.args[i], arity, here));
  }
}

const Code* Compiler::compile_call(Def& def, const PathStep& step, Here here) {
  if (def.is_function) {
    check_arity(step, 0);
    Code& code = make(Op::FunctionDef, step.spot);
    code.def = &def;
    return &code;
  }
  std::vector<const Code*> kids;
  compile_arguments(def, step, here, kids);
  Code& code = make(Op::Call, step.spot);
  code.def = &def;
  code.hops = def.is_global() ? 0 : hops_to(def.level - 1, here);
  return &with_kids(code, std::move(kids));
}

const Code* Compiler::compile_instance_call(
    const std::vector<InstanceStep>& instances, const Binding& binding,
    const PathStep& step, Here here) {
  if (binding.kind != Binding::Kind::Op)
    return refuse(step.spot, step.name +
                                 " of an instance with parameters is not an "
                                 "operator, which is not supported");
  std::vector<const Code*> kids;
  Code& code = make(Op::CallInstance, step.spot);
  for (const InstanceStep& i : instances) {
    compile_arguments(*i.instance->frame, *i.step, here, kids);
    code.frames.push_back(i.instance->frame);
  }
  compile_arguments(*binding.def, step, here, kids);
  code.target = binding.def;
  const Def& outermost = *code.frames.front();
  code.hops = outermost.is_global() ? 0 : hops_to(outermost.level - 1, here);
  return &with_kids(code, std::move(kids));
}

const Code* Compiler::compile_builtin(const Builtin& builtin,
                                      const PathStep& step, Here here) {
  check_arity(step, builtin.arity);
  if (builtin.op == Op::Const) {
    Store& store = program_.store_;
    const std::string_view name = builtin.name;
    Value value = kTrue;
    if (name == "FALSE") value = kFalse;
    if (name == "BOOLEAN") {
      std::vector<Value> both = {kFalse, kTrue};
      value = store.set(both);
    }
    if (name == "STRING") value = store.lazy(NodeKind::Strings, {});
    if (name == "Nat") value = store.lazy(NodeKind::Naturals, {});
    if (name == "Int") value = store.lazy(NodeKind::Integers, {});
    if (name == "Any") return refuse(step.spot, "Any is not supported");
    return constant(value, step.spot);
  }
  std::vector<const Code*> kids;
  for (std::size_t i = 0; i < step.args.size(); ++i) {
    const std::uint32_t arity = builtin.arity_of_argument(i);
    kids.push_back(arity > 0 ? compile_operator(*step.args[i], arity, here)
                             : compile(*step.args[i], here));
  }
  if (builtin.op == Op::Negate && kids[0]->op == Op::Const &&
      kids[0]->value.is_int())
    return constant(Value::of_int(-kids[0]->value.as_int()), step.spot);
  Code& code = make(builtin.op, step.spot);
  code.index = static_cast<std::uint32_t>(builtin.function);
  return &with_kids(code, std::move(kids));
}

/// `\cap` as an argument is LAMBDA a, b: a \cap b.
const Code* Compiler::builtin_operator(const Builtin& builtin,
                                       const Spot& spot) {
  Def& def = new_def(std::string(builtin.name), spot, 1);
  def.params = builtin.arity;
  def.slots = builtin.arity;
  def.arities.assign(builtin.arity, 0);
  std::vector<const Code*> kids;
  for (std::uint32_t i = 0; i < builtin.arity; ++i) {
    Code& slot = make(Op::Slot, spot);
    slot.index = i;
    kids.push_back(&slot);
  }
  def.body = &with_kids(make(builtin.op, spot), std::move(kids));
  Code& code = make(Op::Operator, spot);
  code.def = &def;
  return &code;
}

const Code* Compiler::compile_operator(const Expr& e, std::uint32_t arity,
                                       Here here) {
  const auto wrong_arity = [&](std::size_t has) {
    if (has != arity)
      fail(e.spot, "an operator with " + std::to_string(arity) +
                       " arguments is expected here, this one has " +
                       std::to_string(has));
  };
  if (e.kind == ExprKind::Lambda) {
    wrong_arity(e.params.size());
    Def& def = new_def("LAMBDA", e.spot, here.frame->level + 1);
    def.params = arity;
    def.slots = arity;
    def.arities.assign(arity, 0);
    pending_.push_back({&def, e.args[0], here.scope, &e.params});
    Code& code = make(Op::Operator, e.spot);
    code.def = &def;
    return &code;
  }
  if (e.kind == ExprKind::Name && e.path.size() == 1 &&
      e.path[0].name == "ENABLED" && e.path[0].args.empty()) {
    wrong_arity(1);
    return builtin_operator({{}, "ENABLED", 1, Op::Enabled}, e.spot);
  }
  if (e.kind != ExprKind::Name || !e.path.back().args.empty())
    fail(e.spot, "an operator with " + std::to_string(arity) +
                     " arguments is expected here");
  if (e.path.size() > 1 && first_selector(e, *here.scope) > 0)
    return operator_of_part(e, arity, here);
  std::vector<InstanceStep> instances;
  const Binding& binding = resolve_path(e, *here.scope, instances);
  if (!instances.empty())
    return refuse(e.spot,
                  "an operator of an instance with parameters as an argument "
                  "is not supported");
  switch (binding.kind) {
    case Binding::Kind::Op: {
      wrong_arity(binding.def->params);
      Code& code = make(Op::Operator, e.spot);
      code.def = binding.def;
      code.hops =
          binding.def->is_global() ? 0 : hops_to(binding.def->level - 1, here);
      return &code;
    }
    case Binding::Kind::Slot: {
      wrong_arity(binding.arity);
      Code& code = make(Op::Slot, e.spot);
      code.index = binding.index;
      code.hops = hops_to(binding.level, here);
      return &code;
    }
    case Binding::Kind::Builtin:
      wrong_arity(binding.builtin->arity);
      return builtin_operator(*binding.builtin, e.spot);
    case Binding::Kind::Substituted:
      return compile_operator(*binding.expr, arity,
                              {binding.scope, here.frame});
    default:
      fail(e.spot, "an operator with " + std::to_string(arity) +
                       " arguments is expected here");
  }
}

}  // namespace txscope::tla
