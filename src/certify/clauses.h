#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace txscope::certify {

/// Clauses over numbered variables, and what follows from them by unit
/// propagation: as long as a clause has all literals false but one, that one is
/// true.  Each clause is found by two of its literals that are not false.
///
/// A literal is twice its variable, plus one if it is negated.
class Clauses {
 public:
  using Lit = std::uint32_t;
  [[nodiscard]] static Lit negation(Lit l) { return l ^ 1; }

  /// A new variable, as the literal that says it is true.
  Lit add_variable();
  void add(std::vector<Lit> clause);
  /// Whether the clause follows: with its literals false some clause is false.
  [[nodiscard]] bool imply(const std::vector<Lit>& clause);

 private:
  enum class Value : std::uint8_t { Open, True, False };
  struct Clause {
    std::vector<Lit> lits;  // the first two are watched
  };

  [[nodiscard]] bool is_false(Lit l) const {
    return values_[l] == Value::False;
  }
  bool assign(Lit l);
  bool propagate();
  bool look_at(std::uint32_t clause, Lit became_false);

  std::vector<Value> values_;  // by literal
  std::vector<Clause> clauses_;
  std::vector<std::vector<std::uint32_t>> watching_;  // clauses, by literal
  std::vector<Lit> trail_;                            // what is true
  std::size_t next_ = 0;                              // of trail_
  bool is_contradiction_ = false;
};

}  // namespace txscope::certify
