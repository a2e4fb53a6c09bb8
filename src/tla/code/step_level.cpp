#include "tla/code/step_level.h"

#include <algorithm>
#include <unordered_set>

namespace txscope::tla {
namespace {

/// Whether a formula speaks of a variable of an INSTANCE that shares what it
/// stands for with another one, as with u <- x, v <- x.  Then ENABLED of such
/// a formula has two meanings, within the module and outside of it.
class SharedVariables {
 public:
  bool in(const Code* code) {
    if (code == nullptr) return false;
    if (code->op == Op::Variable && code->stand_in != 0) return true;
    const auto kids = code->all();
    return in(code->def) || in(code->target) ||
           std::any_of(kids.begin(), kids.end(),
                       [&](const Code* kid) { return in(kid); }) ||
           std::any_of(code->binders.begin(), code->binders.end(),
                       [&](const Binder& b) { return in(b.set); }) ||
           std::any_of(code->updates.begin(), code->updates.end(),
                       [&](const CodeUpdate& u) { return in(u.value); }) ||
           std::any_of(code->lets.begin(), code->lets.end(),
                       [&](const LetSlot& let) {
                         return in(let.code) || in(let.function);
                       });
  }

 private:
  bool in(const Def* def) {
    return def != nullptr && seen_.insert(def).second && in(def->body);
  }
  std::unordered_set<const Def*> seen_;
};

class StepLevel {
 public:
  bool speaks(const Code* code) {
    if (code == nullptr || !code->is_primed) return false;
    switch (code->op) {
      case Op::Enabled: return false;
      case Op::Primed:
      case Op::Prime:
      case Op::Unchanged:
      case Op::BoxAct:
      case Op::Compose: return true;
      default: break;
    }
    if (speaks(code->def) || speaks(code->target)) return true;
    if (code->op == Op::Let)
      return speaks(&code->kid(0)) ||
             (!code->kid(0).lifts && any_let_speaks(*code));
    const bool hides = hides_arguments(*code) && !SharedVariables().in(code);
    return !hides && any_part_speaks(*code);
  }

 private:
  bool speaks(const Def* def) {
    return def != nullptr && seen_.insert(def).second && speaks(def->body);
  }

  static bool hides_arguments(const Code& code) {
    const bool is_call = code.op == Op::Call || code.op == Op::CallSlot ||
                         code.op == Op::CallInstance;
    if (!is_call) return false;
    const auto kids = code.all();
    return (code.def != nullptr && code.def->lifts) ||
           (code.target != nullptr && code.target->lifts) ||
           std::any_of(kids.begin(), kids.end(), [](const Code* kid) {
             return kid->op == Op::Operator && kid->lifts;
           });
  }

  bool any_part_speaks(const Code& code) {
    const auto kids = code.all();
    return std::any_of(kids.begin(), kids.end(),
                       [&](const Code* kid) { return speaks(kid); }) ||
           std::any_of(code.binders.begin(), code.binders.end(),
                       [&](const Binder& b) { return speaks(b.set); }) ||
           std::any_of(code.updates.begin(), code.updates.end(),
                       [&](const CodeUpdate& u) {
                         return speaks(u.value) ||
                                std::any_of(u.path.begin(), u.path.end(),
                                            [&](const Code* step) {
                                              return speaks(step);
                                            });
                       });
  }
  bool any_let_speaks(const Code& code) {
    return std::any_of(code.lets.begin(), code.lets.end(),
                       [&](const LetSlot& let) {
                         return speaks(let.code) || speaks(let.function);
                       });
  }

  std::unordered_set<const Def*> seen_;
};

}  // namespace

bool speaks_of_steps(const Code& code) { return StepLevel().speaks(&code); }

}  // namespace txscope::tla
