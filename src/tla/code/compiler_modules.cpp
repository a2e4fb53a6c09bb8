#include <algorithm>

#include "tla/code/compiler.h"
#include "tla/evaluate/native.h"

namespace txscope::tla {

Compiler::Compiler(Program& program, const Config& config, Loader& loader,
                   bool use_natives)
    : program_(program),
      config_(config),
      loader_(loader),
      use_natives_(use_natives) {
  for (const auto& a : config.assignments)
    if (!a.arguments.empty())
      points_[a.constant.name].push_back(&a);
    else
      assigned_[a.module.empty() ? a.constant.name
                                 : a.module + "!" + a.constant.name] = &a;
  for (const auto& r : config.replacements)
    replaced_[r.module.empty() ? r.constant.name
                               : r.module + "!" + r.constant.name] = &r;
}

void Compiler::run() {
  Context& context = program_.contexts_.emplace_back();
  program_.root_scope_ = module_scope(program_.root_, context);
  check_config();
  compile_pending();
  analyse(program_.codes_, program_.defs_);
}

Scope& Compiler::new_scope(const Scope* outer) {
  Scope& scope = program_.scopes_.emplace_back();
  scope.outer = outer;
  return scope;
}

Def& Compiler::new_def(const std::string& name, const Spot& spot,
                       std::uint32_t level) {
  Def& def = program_.defs_.emplace_back();
  def.name = name;
  def.spot = spot;
  def.level = level;
  def.id = next_def_++;
  return def;
}

const Module& Compiler::find_module(const std::string& name, const Spot& spot,
                                    const Module* home) {
  for (const Module* at = home; at != nullptr; at = at->around)
    for (const Module& inner : at->inner)
      if (inner.name == name) return inner;
  if (home == nullptr)  // an INSTANCE inside LET
    for (const Module* module : program_.modules_)
      for (const Module& inner : module->inner)
        if (inner.name == name) return inner;
  return loader_.load(name, spot);
}

/// The names of a module in a context: its own and those it extends.  Units
/// are taken in order, but a name may be used anywhere, as bodies are only
/// compiled afterwards.
Scope* Compiler::module_scope(const Module& module, Context& context,
                              const Scope* around) {
  const auto known = context.modules.find(module.name);
  if (known != context.modules.end()) return known->second;
  if (!open_modules_.insert(&module).second)
    fail(module.spot, "module " + module.name + " extends itself");
  if (context.definition == nullptr) program_.modules_.push_back(&module);
  Scope& scope = new_scope(around);
  add_standard(scope, "", true, &module);
  for (const Extend& extend : module.extends) {
    if (is_standard_module(extend.module)) {
      for (const auto standard : standard_closure(extend.module))
        add_standard(scope, standard, false, &module);
      continue;
    }
    const Module& other = find_module(extend.module, extend.spot, &module);
    add_exports(scope, *module_scope(other, context), false, false);
  }
  for (const Unit& unit : module.units) {
    for (const Param& p : unit.constants) add_constant(scope, p, context);
    for (const Param& p : unit.variables) add_variable(scope, p, context);
    if (unit.op != nullptr) add_operator(scope, *unit.op, module, context);
    if (unit.instance != nullptr)
      add_instance(scope, *unit.instance, context.level, &module);
    if (unit.assume != nullptr && context.definition == nullptr) {
      Def& def = new_def("ASSUME", unit.assume->spot, 1);
      pending_.push_back({&def, unit.assume, &scope, nullptr});
      program_.assumptions_.push_back(&def);
    }
  }
  open_modules_.erase(&module);
  context.modules[module.name] = &scope;
  return &scope;
}

void Compiler::add_standard(Scope& scope, std::string_view module,
                            bool is_local, const Module* home) {
  for (const Builtin& builtin : all_builtins()) {
    if (builtin.module != module) continue;
    Binding binding;
    binding.kind = Binding::Kind::Builtin;
    binding.builtin = &builtin;
    binding.arity = builtin.arity;
    binding.is_local = is_local;
    auto replaced = replaced_.find(std::string(builtin.name));
    if (replaced == replaced_.end() && home != nullptr)
      replaced = replaced_.find(home->name + "!" + std::string(builtin.name));
    if (replaced == replaced_.end())  // Nat <- [Naturals]Few
      replaced = replaced_.find(std::string(builtin.module) + "!" +
                                std::string(builtin.name));
    if (replaced != replaced_.end()) {
      binding.kind = Binding::Kind::Alias;
      binding.alias = replaced->second->definition.name;
    }
    scope.names.insert_or_assign(std::string(builtin.name), binding);
  }
}

/// What EXTENDS or INSTANCE brings along.  The constants and variables of an
/// instantiated module are no names outside of it.
void Compiler::add_exports(Scope& scope, const Scope& from, bool is_local,
                           bool is_instance) {
  for (const auto& [name, binding] : from.names) {
    if (binding.is_local || (is_instance && binding.is_parameter)) continue;
    Binding copy = binding;
    copy.is_local = is_local;
    scope.names.insert_or_assign(name, copy);
  }
}

void Compiler::declare(Scope& scope, const std::string& name, const Spot& spot,
                       Binding binding) {
  const auto known = scope.names.find(name);
  if (known != scope.names.end() && !binding.is_local &&
      known->second.kind != Binding::Kind::Builtin &&
      known->second.kind != Binding::Kind::Alias && !known->second.is_local)
    fail(spot, name + " is declared or defined twice");
  scope.names.insert_or_assign(name, std::move(binding));
}

void Compiler::add_variable(Scope& scope, const Param& param,
                            Context& context) {
  if (context.definition != nullptr)
    return add_substitution(scope, param, context, true);
  Binding binding;
  binding.kind = Binding::Kind::Variable;
  binding.index = static_cast<std::uint32_t>(program_.variables_.size());
  program_.variables_.push_back(param.name);
  declare(scope, param.name, param.spot, std::move(binding));
}

/// How many names of an instantiated module stand for the same name as this.
std::ptrdiff_t Compiler::substitutes(const InstanceDef& instance,
                                     const InstanceDef::Substitution& with) {
  const auto named = [](const Expr& e) -> const std::string* {
    const bool is_name = e.kind == ExprKind::Name && e.path.size() == 1 &&
                         e.path[0].args.empty();
    return is_name ? &e.path[0].name : nullptr;
  };
  const std::string* name = named(*with.value);
  if (name == nullptr) return 1;
  return std::count_if(instance.with.begin(), instance.with.end(),
                       [&](const auto& other) {
                         const std::string* its = named(*other.value);
                         return its != nullptr && *its == *name;
                       });
}

/// `x` of an instantiated module: what WITH says, else x where it stands.
void Compiler::add_substitution(Scope& scope, const Param& param,
                                Context& context, bool is_variable) {
  Binding binding;
  for (const auto& with : context.definition->with) {
    if (with.name != param.name) continue;
    binding.kind = Binding::Kind::Substituted;
    binding.expr = with.value;
    binding.scope = context.outside;
    binding.arity = param.arity;
    binding.is_parameter = true;
    if (is_variable) {
      binding.stand_in = ++program_.stand_ins_;
      binding.shares_variable = substitutes(*context.definition, with) > 1;
    }
    return declare(scope, param.name, param.spot, std::move(binding));
  }
  const Binding* outside = context.outside->find(param.name);
  if (outside == nullptr)
    fail(context.definition->module_spot,
         "module " + context.definition->module + " declares " + param.name +
             ", which has no value here",
         "add WITH " + param.name + " <- ...");
  binding = *outside;
  binding.is_local = false;
  binding.is_parameter = true;
  if (is_variable && binding.kind != Binding::Kind::Variable &&
      binding.stand_in == 0)
    binding.stand_in = ++program_.stand_ins_;
  declare(scope, param.name, param.spot, std::move(binding));
}

void Compiler::add_operator(Scope& scope, const OpDef& op, const Module& module,
                            Context& context) {
  Binding binding;
  binding.is_local = op.is_local;
  binding.arity = static_cast<std::uint32_t>(op.params.size());
  // What the specification extends is replaced in instances of it, too.
  const auto& extended = program_.modules_;
  const bool is_root =
      std::find(extended.begin(), extended.end(), &module) != extended.end();
  auto replaced = replaced_.find(module.name + "!" + op.name);
  const bool is_of_module = replaced != replaced_.end();
  if (replaced == replaced_.end() && is_root)
    replaced = replaced_.find(op.name);
  std::string name = op.name;
  if (replaced != replaced_.end() &&
      replaced->second->definition.name != op.name) {
    binding.kind = Binding::Kind::Alias;
    binding.alias = replaced->second->definition.name;
    declare(scope, op.name, op.spot, binding);
    if (is_of_module || context.definition == nullptr) return;
    name = original_name(op.name);
  }
  auto assigned = assigned_.find(module.name + "!" + op.name);
  if (assigned == assigned_.end() && is_root)
    assigned = assigned_.find(op.name);
  if (assigned != assigned_.end() && op.params.empty()) {
    binding.kind = Binding::Kind::Constant;
    binding.value = config_value(assigned->second->value);
    return declare(scope, op.name, op.spot, std::move(binding));
  }
  if (is_root && points_.contains(op.name)) {
    binding.kind = Binding::Kind::Op;
    binding.def = &defined_by_points(op.name, binding.arity, op.spot);
    return declare(scope, op.name, op.spot, std::move(binding));
  }
  Def& def = new_def(op.name, op.spot, context.level + 1);
  def.params = binding.arity;
  for (const Param& p : op.params) {
    def.arities.push_back(p.arity);
    def.parameters.push_back(p.name);
  }
  def.slots = def.params;
  def.is_function = op.is_function && def.is_global();
  if (use_natives_ && op.spot.source->is_ours)
    def.native = native_index(op.name);
  binding.kind = Binding::Kind::Op;
  binding.def = &def;
  declare(scope, name, op.spot, std::move(binding));
  sources_[&def] = {&op, &scope};
  if (op.is_function && !def.is_global())
    return make_local_function(def, op, scope);
  pending_.push_back({&def, op.body, &scope, &op.params});
}

/// f[x \in S] == e in an instance with parameters is an operator,
/// f == LET f[x \in S] == e IN f, as it is another function for each of them.
void Compiler::make_local_function(Def& def, const OpDef& op,
                                   const Scope& scope) {
  Def& function = new_def(op.name, op.spot, def.level + 1);
  function.is_function = true;
  function.slot = def.slots++;
  Scope& inner = new_scope(&scope);
  Binding itself;
  itself.kind = Binding::Kind::LocalFunction;
  itself.def = &function;
  inner.names.insert_or_assign(op.name, itself);
  pending_.push_back({&function, op.body, &inner, &op.params});
  Code& value = make(Op::FunctionDef, op.spot);
  value.def = &function;
  value.index = function.slot;
  Code& let = make(Op::Let, op.spot);
  let.lets.push_back({function.slot, nullptr, &function});
  let.home = &def;
  def.body = &with_kids(let, {&value});
}

void Compiler::add_instance(Scope& scope, const InstanceDef& instance,
                            std::uint32_t level, const Module* home) {
  if (is_standard_module(instance.module)) {
    Scope* target = &scope;
    if (!instance.name.empty()) target = &new_scope(nullptr);
    for (const auto standard : standard_closure(instance.module))
      add_standard(*target, standard,
                   instance.name.empty() && instance.is_local, home);
    if (instance.name.empty()) return;
    Instance& built = program_.instances_.emplace_back();
    built.definition = &instance;
    built.scope = target;
    Binding binding;
    binding.kind = Binding::Kind::Instance;
    binding.instance = &built;
    return declare(scope, instance.name, instance.spot, std::move(binding));
  }
  const Module& module =
      find_module(instance.module, instance.module_spot, home);
  Context& context = program_.contexts_.emplace_back();
  context.definition = &instance;
  context.level = level;
  context.outside = &scope;
  Instance& built = program_.instances_.emplace_back();
  built.definition = &instance;
  built.context = &context;
  if (!instance.params.empty()) {
    // The parameters get a frame between the place of the INSTANCE and the
    // definitions of the module.
    Def& frame = new_def(instance.name, instance.spot, level + 1);
    Scope& inner = new_scope(&scope);
    for (const Param& p : instance.params) {
      Binding parameter;
      parameter.kind = Binding::Kind::Slot;
      parameter.level = frame.level;
      parameter.index = frame.params++;
      parameter.arity = p.arity;
      frame.arities.push_back(p.arity);
      inner.names.insert_or_assign(p.name, parameter);
    }
    frame.slots = frame.params;
    built.frame = &frame;
    context.outside = &inner;
    context.level = frame.level;
  }
  for (const auto& with : instance.with) {
    bool is_declared = false;
    const auto look = [&](const Module& m, const auto& self) -> void {
      for (const Unit& unit : m.units) {
        for (const Param& p : unit.constants)
          is_declared = is_declared || p.name == with.name;
        for (const Param& p : unit.variables)
          is_declared = is_declared || p.name == with.name;
      }
      for (const Extend& e : m.extends)
        if (!is_declared && !is_standard_module(e.module))
          self(find_module(e.module, e.spot, &m), self);
    };
    look(module, look);
    if (!is_declared)
      fail(with.spot, "module " + instance.module +
                          " has no constant or variable " + with.name);
  }
  bool is_inner = false;  // an inner module sees the names around it
  for (const Module* at = home; at != nullptr; at = at->around)
    is_inner = is_inner || module.around == at;
  built.scope = module_scope(module, context, is_inner ? &scope : nullptr);
  if (instance.name.empty())
    return add_exports(scope, *built.scope, instance.is_local, true);
  Binding binding;
  binding.kind = Binding::Kind::Instance;
  binding.instance = &built;
  binding.is_local = instance.is_local;
  declare(scope, instance.name, instance.spot, std::move(binding));
}

/// A replacement must name something; an assignment to what is no constant
/// is ignored, as TLC does.
void Compiler::check_config() {
  std::vector<std::string> missing;
  for (const auto& [name, binding] : program_.root_scope_->names)
    if (binding.kind == Binding::Kind::Unassigned) missing.push_back(name);
  if (!missing.empty()) {
    std::sort(missing.begin(), missing.end());
    fail(program_.root_.spot,
         "the constant " + missing.front() + " has no value",
         "add CONSTANT " + missing.front() + " = ... to the configuration");
  }
  for (const auto& r : config_.replacements) {
    const Binding* target = program_.root_scope_->find(r.definition.name);
    if (target == nullptr && r.module.empty())
      fail(r.definition.spot,
           "the specification does not define " + r.definition.name);
  }
}

}  // namespace txscope::tla
