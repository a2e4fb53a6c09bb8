#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace txscope::test {

/// Random specifications of rarer shapes: RECURSIVE, operators as arguments,
/// labels and their selectors, instances with parameters inside of each other,
/// CASE with primes, nested EXCEPT, functions of two arguments, bags, strings;
/// and configurations with SYMMETRY, VIEW, constraints, and fairness under
/// quantifiers.
class RandomShapes {
 public:
  explicit RandomShapes(Random& random) : random_(random) {}
  struct Model {
    std::string module;
    std::string config;
  };
  [[nodiscard]] Model make();

 private:
  std::string number(int depth);
  std::string truth(int depth);
  /// What CONSTANTS of an instance may stand for.
  std::string constant() { return one_of({"0", "1", "2"}); }
  std::string change(char variable);
  std::string action(const std::string& name);
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[random_.below(choices.size())];
  }
  bool chance(double p) { return random_.chance(p); }

  Random& random_;
  std::vector<std::string> names_;  // of numbers in scope
  int next_name_ = 0;
  std::string live_;  // the variables that change
};

}  // namespace txscope::test
