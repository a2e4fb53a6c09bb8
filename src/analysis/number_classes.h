#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace txscope::analysis {

/// Values that may be the same number, as one class: union-find.
class NumberClasses {
 public:
  using Class = std::uint32_t;

  [[nodiscard]] Class add() {
    parent_.push_back(static_cast<Class>(parent_.size()));
    facts_.emplace_back();
    return parent_.back();
  }
  void join(Class a, Class b);

  /// Two of its values can be told apart by more than equality.
  void spoil(Class c) { facts_[root(c)].is_spoilt = true; }
  /// Its values are compared.
  void use(Class c) { facts_[root(c)].is_used = true; }
  void add_constant(Class c, std::int64_t number);
  void add_sequence(Class c, std::uint32_t sequence);
  /// A value of `made` is made of one of `from`: looking at it looks at that.
  void derive(Class made, Class from) { made_.emplace_back(made, from); }

  /// After everything was added: looks at what is derived.
  void finish();
  /// Whether this is the only sequence of its class, whose values are only
  /// compared with numbers below `next`.
  [[nodiscard]] bool identifies(std::uint32_t sequence,
                                std::int64_t next) const;
  /// Whether nobody looks at its values: they are only copied, as they are.
  [[nodiscard]] bool is_blank(Class c) const;
  /// Whether something else is made of numbers of the sequence.
  [[nodiscard]] bool is_shown(std::uint32_t sequence) const;

 private:
  struct Facts {
    bool is_spoilt = false;
    bool is_used = false;
    std::optional<std::int64_t> greatest;
    std::vector<std::uint32_t> sequences;
  };
  [[nodiscard]] Class root(Class c) const;

  mutable std::vector<Class> parent_;
  std::vector<Facts> facts_;  ///< of roots
  std::vector<std::pair<Class, Class>> made_;
};

}  // namespace txscope::analysis
