#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

std::string Evaluator::action_name() {
  if (action_ == nullptr) return {};
  std::string name = action_->name;
  if (action_->params == 0) return name;
  name += '(';
  for (std::uint32_t i = 0; i < action_->params; ++i) {
    if (i > 0) name += ", ";
    Value v = action_frame_->slots[i];
    if (v.tag() == Tag::Thunk) v = force(v);
    name += v.tag() == Tag::Closure ? "_" : brief(v);
  }
  return name + ')';
}

std::vector<std::pair<std::string, Value>> Evaluator::action_arguments() {
  std::vector<std::pair<std::string, Value>> result;
  if (action_ == nullptr) return result;
  for (std::uint32_t i = 0; i < action_->parameters.size(); ++i) {
    Value v = action_frame_->slots[i];
    if (v.tag() == Tag::Thunk) v = force(v);
    if (v.tag() == Tag::Closure) continue;
    result.emplace_back(action_->parameters[i], sets_.settle(v));
  }
  return result;
}

std::string Evaluator::action_process() {
  if (action_ == nullptr || action_->params == 0) return {};
  Value v = action_frame_->slots[0];
  if (v.tag() == Tag::Thunk) v = force(v);
  if (v.tag() == Tag::String || v.tag() == Tag::Model) return v.as_name()->text;
  return v.is_int() ? to_string(v) : std::string();
}

}  // namespace txscope::tla
