#include "tla/code/compiler.h"

namespace txscope::tla {

Value Compiler::config_value(const ConfigValue& value) {
  switch (value.kind) {
    case ConfigValue::Kind::Number: return Value::of_int(value.number);
    case ConfigValue::Kind::String: return program_.store_.string(value.text);
    case ConfigValue::Kind::Boolean: return Value::of_bool(value.number != 0);
    case ConfigValue::Kind::Model: return program_.store_.model(value.text);
    case ConfigValue::Kind::Set: {
      std::vector<Value> elements;
      for (const ConfigValue& e : value.elements)
        elements.push_back(config_value(e));
      return program_.store_.set(elements);
    }
  }
  return {};
}

void Compiler::add_constant(Scope& scope, const Param& param,
                            Context& context) {
  if (context.definition != nullptr)
    return add_substitution(scope, param, context, false);
  Binding binding;
  binding.arity = param.arity;
  auto assigned = assigned_.find(param.name);
  if (assigned == assigned_.end())  // `c = [Module]v` of what a module extends
    for (const Module* module : program_.modules_)
      if (assigned == assigned_.end())
        assigned = assigned_.find(module->name + "!" + param.name);
  const auto replaced = replaced_.find(param.name);
  if (replaced != replaced_.end()) {
    binding.kind = Binding::Kind::Alias;
    binding.alias = replaced->second->definition.name;
  } else if (assigned != assigned_.end() && param.arity == 0) {
    binding.kind = Binding::Kind::Constant;
    binding.value = config_value(assigned->second->value);
  } else if (param.arity > 0 && points_.contains(param.name)) {
    binding.kind = Binding::Kind::Op;
    binding.def = &defined_by_points(param.name, param.arity, param.spot);
  } else {
    binding.kind = Binding::Kind::Unassigned;
  }
  declare(scope, param.name, param.spot, std::move(binding));
}

/// `Op(1, 2) = 3` and its like: the operator has a value at these points and at
/// no others.
Def& Compiler::defined_by_points(const std::string& name, std::uint32_t arity,
                                 const Spot& spot) {
  Def& def = new_def(name, spot, 1);
  def.params = def.slots = arity;
  def.arities.assign(arity, 0);
  const Code* otherwise =
      refuse(spot, "the configuration gives " + name + " no value here");
  const auto& points = points_.at(name);
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    const Config::Assignment& at = **point;
    if (at.arguments.size() != arity)
      fail(at.constant.spot,
           name + " takes " + std::to_string(arity) + " arguments, not " +
               std::to_string(at.arguments.size()));
    std::vector<const Code*> equal;
    for (std::uint32_t i = 0; i < arity; ++i) {
      Code& slot = make(Op::Slot, spot);
      slot.index = i;
      equal.push_back(&with_kids(
          make(Op::Equal, spot),
          {&slot, constant(config_value(at.arguments[i]), spot)}));
    }
    const Code& is_here = with_kids(make(Op::And, spot), std::move(equal));
    otherwise = &with_kids(
        make(Op::If, spot),
        {&is_here, constant(config_value(at.value), spot), otherwise});
  }
  def.body = otherwise;
  return def;
}

}  // namespace txscope::tla
