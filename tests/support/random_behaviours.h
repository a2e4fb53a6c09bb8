#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace txscope::test {

/// Random specifications about behaviours: fairness of several kinds and
/// subscripts, refinement under mappings that are no variables, ENABLED,
/// temporal formulas of many forms; actions with LET that reads what is given
/// its value later, arguments that are primed, and functions of the state.
class RandomBehaviours {
 public:
  explicit RandomBehaviours(Random& random) : random_(random) {}
  struct Model {
    std::string module;
    std::string config;
  };
  [[nodiscard]] Model make();

 private:
  std::string binding(const std::string& text);
  std::string number(int depth);
  std::string truth(int depth);
  std::string assignment(const std::string& variable);
  std::string function_assignment();
  std::string after(int depth);
  std::string action(bool has_parameter);
  std::string some_action();
  std::string subscript();
  std::string fairness();
  std::string initially();
  std::string temporal(int depth);
  std::string property();
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[random_.below(choices.size())];
  }
  std::string fresh() { return "n" + std::to_string(next_name_++); }
  bool chance(double p) { return random_.chance(p); }

  Random& random_;
  std::vector<std::string> names_;  // of numbers in scope
  int next_name_ = 0;
  bool may_ask_enabled_ = false;
};

}  // namespace txscope::test
