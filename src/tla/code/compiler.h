#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tla/code/program.h"

namespace txscope::tla {

/// Turns modules into a Program; private to program.cpp.  Names and modules
/// are in compiler_modules.cpp, what the configuration says of constants in
/// compiler_constants.cpp, what a name stands for in compiler_names.cpp,
/// parts of definitions in compiler_selectors.cpp, expressions in
/// compiler_expressions.cpp.
///
/// Frames.  Every definition with a body runs in a frame of slots, linked to
/// the frame of the definition around it; bound variables and LET values use
/// slots of the frame they stand in.  Operators are only ever passed down, so
/// frames live on the stack.
class Compiler {
 public:
  Compiler(Program& program, const Config& config, Loader& loader,
           bool use_natives);
  void run();

 private:
  /// The definition whose frame code is being compiled for.
  struct Here {
    const Scope* scope;
    Def* frame;
  };
  /// An instance with parameters in a name, and its arguments.
  struct InstanceStep {
    const Instance* instance;
    const PathStep* step;
  };

  // compiler_modules.cpp
  Scope* module_scope(const Module& module, Context& context,
                      const Scope* around = nullptr);
  void add_standard(Scope& scope, std::string_view module, bool is_local,
                    const Module* home);
  void add_exports(Scope& scope, const Scope& from, bool is_local,
                   bool is_instance);
  void add_variable(Scope& scope, const Param& param, Context& context);
  void add_substitution(Scope& scope, const Param& param, Context& context,
                        bool is_variable);
  void add_operator(Scope& scope, const OpDef& op, const Module& module,
                    Context& context);
  void make_local_function(Def& def, const OpDef& op, const Scope& scope);
  void add_instance(Scope& scope, const InstanceDef& instance,
                    std::uint32_t level, const Module* home);
  void declare(Scope& scope, const std::string& name, const Spot& spot,
               Binding binding);
  const Module& find_module(const std::string& name, const Spot& spot,
                            const Module* home);
  void check_config();
  Scope& new_scope(const Scope* outer);
  Def& new_def(const std::string& name, const Spot& spot, std::uint32_t level);

  // compiler_constants.cpp
  Value config_value(const ConfigValue& value);
  void add_constant(Scope& scope, const Param& param, Context& context);
  Def& defined_by_points(const std::string& name, std::uint32_t arity,
                         const Spot& spot);

  // compiler_names.cpp
  const Code* compile_name(const Expr& e, Here here);
  const Code* compile_reference(const Binding& binding, const PathStep& step,
                                Here here);
  const Code* compile_meaning(const Binding& binding, const PathStep& step,
                              Here here);
  const Code* compile_slot(const Binding& binding, const PathStep& step,
                           Here here);
  const Code* compile_builtin(const Builtin& builtin, const PathStep& step,
                              Here here);
  const Code* compile_call(Def& def, const PathStep& step, Here here);
  const Code* compile_instance_call(const std::vector<InstanceStep>& instances,
                                    const Binding& binding,
                                    const PathStep& step, Here here);
  void compile_arguments(const Def& def, const PathStep& step, Here here,
                         std::vector<const Code*>& kids);
  const Code* compile_operation(const Code& callee, std::uint32_t arity,
                                const PathStep& step, Here here);
  const Code* builtin_operator(const Builtin& builtin, const Spot& spot);
  const Code* compile_operator(const Expr& e, std::uint32_t arity, Here here);
  const Binding& resolve(const std::string& name, const Spot& spot,
                         const Scope& scope);
  const Binding& resolve_path(const Expr& e, const Scope& scope,
                              std::vector<InstanceStep>& parametrised);
  std::string suggestion(const std::string& name, const Scope& scope) const;
  /// What a module itself says about a name that is replaced in its
  /// definitions: with Op <- MyOp, MyOp may still say I!Op.
  static std::string original_name(const std::string& name) {
    return name + "!";
  }
  static std::ptrdiff_t substitutes(const InstanceDef& instance,
                                    const InstanceDef::Substitution& with);
  void check_arity(const PathStep& step, std::size_t arity) const;

  // compiler_selectors.cpp
  struct Part;
  std::size_t first_selector(const Expr& e, const Scope& scope);
  const Code* compile_part(const Expr& e, std::size_t first, Here here);
  const Code* operator_of_part(const Expr& e, std::uint32_t arity, Here here);
  const Binding& resolve_head(const Expr& e, std::size_t first, Here here);
  void select(Part& part, const PathStep& step);
  void select_number(Part& part, const PathStep& step);
  void select_bound(Part& part, const PathStep& step);
  void select_label(Part& part, const PathStep& step);
  void select_operator(Part& part, const PathStep& step, const OpDef& op);
  std::vector<const Expr*> arguments_of(Part& part, const PathStep& step,
                                        std::size_t arity);
  void enter_let(Part& part, const Expr& let);
  std::vector<const Expr*> parts_of(const Expr& e);
  Expr& new_expr(ExprKind kind, const Spot& spot);
  static void substitute(const std::string& name, std::uint32_t arity,
                         const Expr& value, const Scope* where, Scope& scope);

  // compiler_expressions.cpp
  void compile_pending();
  const Code* compile(const Expr& e, Here here);
  const Code* compile_apply(const Expr& e, Here here);
  const Code* compile_let(const Expr& e, Here here);
  const Code* compile_except(const Expr& e, Here here);
  const Code* compile_prime(const Expr& e, Here here);
  const Code* diamond(const Code* action, const Code* subscript,
                      const Spot& spot);
  const Code* compile_record(const Expr& e, Op op, Here here);
  const Code* compile_bound(const Expr& e, Op op, Here here);
  Here bind(const Expr& e, std::vector<Binder>& binders, Here here);
  std::uint32_t take_slot(Here here) { return here.frame->slots++; }
  std::uint32_t hops_to(std::uint32_t level, Here here) const;

  Code& make(Op op, const Spot& spot);
  Code& with_kids(Code& code, std::vector<const Code*> kids);
  const Code* constant(Value value, const Spot& spot);
  const Code* refuse(const Spot& spot, std::string what);

  struct Pending {
    Def* def;
    const Expr* body;
    const Scope* scope;
    const std::vector<Param>* params;
  };

  Program& program_;
  const Config& config_;
  Loader& loader_;
  bool use_natives_;
  std::deque<Pending> pending_;
  std::unordered_set<const Module*> open_modules_;
  std::unordered_map<std::string, const Config::Assignment*> assigned_;
  std::unordered_map<std::string, const Config::Replacement*> replaced_;
  std::unordered_map<std::string, std::vector<const Config::Assignment*>>
      points_;  // operators that the configuration defines point by point
  std::uint32_t next_def_ = 0;
  /// What definitions were written as, and where, for selectors.
  std::unordered_map<const Def*, std::pair<const OpDef*, const Scope*>>
      sources_;
  /// What stands in no module: made by selectors.
  std::deque<Expr> made_;
  std::deque<InstanceDef> made_instances_;
};

/// Fills in what definitions read and whether they iterate; see Def.
void analyse(std::deque<Code>& codes, std::deque<Def>& defs);

}  // namespace txscope::tla
