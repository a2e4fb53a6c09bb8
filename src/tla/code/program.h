#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tla/code/code.h"
#include "tla/syntax/config.h"
#include "tla/syntax/loader.h"
#include "tla/code/scope.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// A specification ready to be evaluated: all definitions of the root module
/// and what it extends, compiled for one worker.  Workers share nothing; each
/// compiles its own Program from the same modules, with its own values.
class Program {
 public:
  /// Throws Fault.  The loader and the config must outlive the program.
  Program(const Module& root, const Config& config, Loader& loader,
          bool use_natives = true);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] Store& store() { return store_; }
  [[nodiscard]] const std::vector<std::string>& variables() const {
    return variables_;
  }
  /// A definition of the root module without parameters, or null.
  [[nodiscard]] const Def* find(std::string_view name) const;
  [[nodiscard]] const std::vector<const Def*>& assumptions() const {
    return assumptions_;
  }
  /// Variables of instantiated modules that expressions stand for.
  [[nodiscard]] std::size_t stand_ins() const { return stand_ins_; }
  [[nodiscard]] const Module& root() const { return root_; }
  /// Marks the values that code and definitions hold, see Store::sweep.
  void mark_values() const;
  /// The root module and those it extends, in order of appearance.
  [[nodiscard]] const std::vector<const Module*>& modules() const {
    return modules_;
  }

 private:
  friend class Compiler;
  const Module& root_;
  std::vector<const Module*> modules_;
  Store store_;
  std::vector<std::string> variables_;
  std::uint32_t stand_ins_ = 0;
  std::deque<Code> codes_;
  std::deque<Def> defs_;
  std::deque<Scope> scopes_;
  std::deque<Context> contexts_;
  std::deque<Instance> instances_;
  std::deque<std::vector<const Code*>> kids_;
  std::vector<const Def*> assumptions_;
  const Scope* root_scope_ = nullptr;
};

}  // namespace txscope::tla
