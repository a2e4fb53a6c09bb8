#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tla/syntax/source.h"

namespace txscope::tla {

/// A constant's value in a configuration file: a number, a string, TRUE or
/// FALSE, a model value, or a set of these.
struct ConfigValue {
  enum class Kind : std::uint8_t { Number, String, Boolean, Model, Set };
  Kind kind = Kind::Model;
  std::int64_t number = 0;  ///< 0 or 1 for Boolean
  std::string text;         ///< String, Model
  std::vector<ConfigValue> elements;
};

/// A name somewhere in a configuration file.
struct ConfigName {
  std::string name;
  Spot spot;
};

/// What a .cfg file asks for, as TLC reads it.
struct Config {
  struct Assignment {
    ConfigName constant;
    std::string module;  ///< `c = [Module]value`; empty for the root
    ConfigValue value;
    std::vector<ConfigValue> arguments;  ///< `Op(1, 2) = value`: one point
  };
  struct Replacement {
    ConfigName constant;
    std::string module;  ///< `c <- [Module]op`; empty everywhere else
    ConfigName definition;
  };
  std::vector<Assignment> assignments;
  std::vector<Replacement> replacements;
  std::optional<ConfigName> specification;
  std::optional<ConfigName> init;
  std::optional<ConfigName> next;
  std::optional<ConfigName> view;
  std::optional<ConfigName> alias;
  std::vector<ConfigName> postconditions;
  std::vector<ConfigName> possible;
  /// What TLC evaluates now and then while it simulates, else never.
  std::optional<ConfigName> periodic;
  std::vector<ConfigName> symmetry;
  std::vector<ConfigName> invariants;
  std::vector<ConfigName> properties;
  std::vector<ConfigName> constraints;
  std::vector<ConfigName> action_constraints;
  bool check_deadlock = true;
};

/// Throws Fault.
[[nodiscard]] Config parse_config(const Source& source);

}  // namespace txscope::tla
