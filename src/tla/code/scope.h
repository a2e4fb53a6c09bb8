#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tla/code/builtins.h"
#include "tla/code/code.h"
#include "tla/syntax/syntax.h"

namespace txscope::tla {

struct Scope;
struct Instance;

/// What a name stands for.
struct Binding {
  enum class Kind : std::uint8_t {
    Slot,  ///< bound variable, parameter or LET value: level, index, arity
    Op,    ///< def
    LocalFunction,  ///< def: LET f[x \in S] == e
    Variable,       ///< index
    Constant,       ///< value
    Unassigned,     ///< a constant that the configuration does not mention
    Substituted,    ///< expr in scope: x <- expr of an INSTANCE
    Instance,       ///< instance
    Builtin,        ///< builtin
    Alias,          ///< alias: `c <- op` of the configuration
  };
  Kind kind = Kind::Slot;
  std::uint32_t level = 0;
  std::uint32_t index = 0;
  std::uint32_t arity = 0;
  bool is_local = false;
  bool is_parameter = false;     ///< of an instantiated module: not exported
  std::uint32_t stand_in = 0;    ///< Substituted variable: see Code
  bool shares_variable = false;  ///< two variables stand for the same one
  Value value;
  Def* def = nullptr;
  const Expr* expr = nullptr;
  const Scope* scope = nullptr;
  Instance* instance = nullptr;
  const Builtin* builtin = nullptr;
  std::string alias;
};

/// Names in sight at some place; what is not here is looked for outside.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, Binding> names;

  [[nodiscard]] const Binding* find(const std::string& name) const {
    for (const Scope* s = this; s != nullptr; s = s->outer) {
      const auto found = s->names.find(name);
      if (found != s->names.end()) return &found->second;
    }
    return nullptr;
  }
};

/// A module with its constants and variables replaced, once per INSTANCE.
/// `substitution` is null for the specification itself.
struct Context {
  const Scope* outside = nullptr;  ///< where the INSTANCE stands
  const InstanceDef* definition = nullptr;
  std::uint32_t level = 0;  ///< of the frame that its definitions see
  std::unordered_map<std::string, Scope*> modules;
};

struct Instance {
  const InstanceDef* definition = nullptr;
  Context* context = nullptr;
  const Scope* scope = nullptr;  ///< exported names
  Def* frame = nullptr;          ///< for the parameters, if it has any
};

}  // namespace txscope::tla
