#include "certify/clauses.h"

#include <algorithm>

namespace txscope::certify {

Clauses::Lit Clauses::add_variable() {
  const auto l = static_cast<Lit>(values_.size());
  values_.resize(values_.size() + 2, Value::Open);
  watching_.resize(watching_.size() + 2);
  return l;
}

// False if it is false already.
bool Clauses::assign(Lit l) {
  if (values_[l] != Value::Open) return values_[l] == Value::True;
  values_[l] = Value::True;
  values_[negation(l)] = Value::False;
  trail_.push_back(l);
  return true;
}

void Clauses::add(std::vector<Lit> clause) {
  if (is_contradiction_) return;
  std::sort(clause.begin(), clause.end());
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  // What is false here stays so.
  std::erase_if(clause, [&](Lit l) { return is_false(l); });
  if (clause.empty()) {
    is_contradiction_ = true;
  } else if (clause.size() == 1) {
    is_contradiction_ = !assign(clause[0]) || !propagate();
  } else {
    const auto number = static_cast<std::uint32_t>(clauses_.size());
    for (const std::size_t i : {0u, 1u}) watching_[clause[i]].push_back(number);
    clauses_.push_back({std::move(clause)});
  }
}

bool Clauses::imply(const std::vector<Lit>& clause) {
  if (is_contradiction_) return true;
  const std::size_t mark = trail_.size();
  bool is_possible = true;
  for (const Lit l : clause) is_possible = is_possible && assign(negation(l));
  is_possible = is_possible && propagate();
  while (trail_.size() > mark) {
    values_[trail_.back()] = values_[negation(trail_.back())] = Value::Open;
    trail_.pop_back();
  }
  next_ = mark;
  return !is_possible;
}

// False if some clause is false.
bool Clauses::propagate() {
  while (next_ < trail_.size()) {
    const Lit became_false = negation(trail_[next_++]);
    auto& all = watching_[became_false];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint32_t clause = all[i];
      if (look_at(clause, became_false)) continue;
      all[kept++] = clause;
      if (assign(clauses_[clause].lits[0])) continue;
      while (++i < all.size()) all[kept++] = all[i];
      all.resize(kept);
      return false;
    }
    all.resize(kept);
  }
  return true;
}

// True if another literal is watched instead.  Otherwise the first literal is
// true, or all others are false.
bool Clauses::look_at(std::uint32_t clause, Lit became_false) {
  auto& lits = clauses_[clause].lits;
  if (lits[0] == became_false) std::swap(lits[0], lits[1]);
  if (values_[lits[0]] == Value::True) return false;
  for (std::size_t i = 2; i < lits.size(); ++i) {
    if (is_false(lits[i])) continue;
    std::swap(lits[1], lits[i]);
    watching_[lits[1]].push_back(clause);
    return true;
  }
  return false;
}

}  // namespace txscope::certify
