#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace txscope::test {

/// Random specifications over a set, a function, a sequence and a record:
/// quantifiers, filters, CHOOSE (of what is unique), EXCEPT, LET, LAMBDA, IF,
/// `x' \in S`, disjunctions and parameters.  Numbers stay in 0..2 and sequences
/// below three elements, so that there are few states.
class RandomSpec {
 public:
  explicit RandomSpec(Random& random) : random_(random) {}
  /// Defines vars, Init, Next, Spec and Inv.
  [[nodiscard]] std::string make();

 private:
  std::string number(int depth);
  std::string set(int depth);
  std::string truth(int depth);
  std::string function(int depth);
  std::string sequence(int depth);
  std::string record(int depth);
  std::string action(const std::string& name);
  std::string assignments();
  std::string bound();  // a new name, in scope until end()
  void end() { names_.pop_back(); }
  std::size_t pick(std::size_t n) { return random_.below(n); }

  Random& random_;
  std::vector<std::string> names_;  // of numbers in scope
  int next_name_ = 0;
};

}  // namespace txscope::test
