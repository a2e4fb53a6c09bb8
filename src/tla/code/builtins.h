#pragma once

#include <span>
#include <string_view>

#include "tla/code/code.h"

namespace txscope::tla {

/// An operator that the evaluator knows itself.
struct Builtin {
  std::string_view module;  ///< that brings it into scope; empty: always there
  std::string_view name;
  std::uint32_t arity;
  Op op;
  Library function = Library::FoldLeft;  ///< if op is Library

  /// How many arguments the i-th argument takes; 0 if it is a value.
  [[nodiscard]] std::uint32_t arity_of_argument(std::size_t i) const;
};

[[nodiscard]] std::span<const Builtin> all_builtins();
/// Naturals, Integers, Sequences, FiniteSets, TLC, ...
[[nodiscard]] bool is_standard_module(std::string_view name);
/// The standard modules that `name` extends, itself included.
[[nodiscard]] std::span<const std::string_view> standard_closure(
    std::string_view name);
/// A standard module that would bring `name` into scope; empty if none does.
[[nodiscard]] std::string_view module_with(std::string_view name);

}  // namespace txscope::tla
