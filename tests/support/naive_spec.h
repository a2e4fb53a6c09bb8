#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"

namespace txscope::test {

/// The values of the variables x, y and z, each in 0..2.
using NaiveState = std::array<int, 3>;

/// A random small specification: its text, and what it means by the
/// definitions of TLA+.  An action is a predicate on two states, nothing else;
/// a LET or an operator is what it abbreviates, a primed expression the same
/// expression in the second state.
struct NaiveSpec {
  std::string module;  ///< defines Init, Next, Inv, and the actions A1, A2
  std::function<bool(const NaiveState&)> init;
  std::function<bool(const NaiveState&)> inv;
  std::function<bool(const NaiveState&, const NaiveState&)> next;
  /// A1 and A2, for fairness.
  std::vector<std::function<bool(const NaiveState&, const NaiveState&)>> parts;

  /// All states that can be reached, by trying all 27 as successors of each.
  [[nodiscard]] std::vector<NaiveState> reachable() const;
};

/// Builds actions as people write them: guards, LET, operators with primes in
/// their arguments or bodies, instances with parameters, disjunctions, \E, IF
/// and CASE in odd places, x' \in S.  Every variable is given a value before it
/// is read, from left to right, as TLC needs it; but a LET may be written
/// before what it reads has its value.
class NaiveSpecGenerator {
 public:
  explicit NaiveSpecGenerator(Random& random) : random_(random) {}
  NaiveSpec make();

 private:
  struct Env {
    NaiveState now;
    NaiveState next;
    std::map<std::string, int> bound;
  };
  /// An integer, or a Boolean as 0 or 1.
  struct Term {
    std::string text;
    std::function<int(const Env&)> value;
  };
  /// What may be read: variables with a value, names in scope.
  struct Scope {
    std::array<bool, 3> now{};
    std::array<bool, 3> next{};
    std::vector<Term> names;
  };

  Term variable(int v);
  Term primed(const Term& t);
  Term number(const Scope& scope, int depth);
  Term test(const Scope& scope, int depth);
  Term assignment(int v, const Scope& scope, bool is_initial);
  Term conjunction(Scope scope, bool is_initial);
  Term both(const Term& a, const Term& b);
  Term either(const Term& a, const Term& b);
  std::string fresh() { return "n" + std::to_string(++names_); }
  std::uint64_t pick(std::uint64_t n) { return random_.below(n); }

  Random& random_;
  int names_ = 0;
};

}  // namespace txscope::test
