#include "tla/code/closed.h"

#include <set>
#include <unordered_map>

#include "tla/code/fold.h"

namespace txscope::tla {
namespace {

/// What code needs from around it.
struct Needs {
  std::set<OuterSlot> slots;
  bool is_unknown = false;  ///< a local definition, which may need anything
};

bool is_worth_keeping(Op op) {
  switch (op) {
    case Op::Forall:
    case Op::Exists:
    case Op::Choose:
    case Op::SetEnum:
    case Op::SetFilter:
    case Op::SetMap:
    case Op::Function:
    case Op::Tuple:
    case Op::Record:
    case Op::Interval:
    case Op::Powerset:
    case Op::Product:
    case Op::FunctionSet:
    case Op::RecordSet:
    case Op::SeqSet:
    case Op::Cup:
    case Op::Cap:
    case Op::Minus:
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply: return true;
    default: return false;
  }
}

/// Whether a loop stands behind it, so that looking its value up takes less.
bool is_worth_looking_up(Op op) {
  return op == Op::Choose || op == Op::SetFilter || op == Op::SetMap ||
         op == Op::Function;
}

class ClosedCode {
 public:
  void visit(Code& code) {
    Needs needs;
    add(needs, code.all());
    for (const Binder& binder : code.binders) add(needs, binder.set);
    for (const CodeUpdate& u : code.updates) {
      add(needs, u.path);
      add(needs, u.value);
      needs.slots.erase({0, u.at_slot});
    }
    for (const LetSlot& let : code.lets) {
      if (let.function != nullptr) needs.is_unknown = true;
      add(needs, let.code);
    }
    // What stands beside a binder, or in another definition of the LET, has
    // slots of its own, so that taking these away takes away no others.
    for (const Binder& binder : code.binders)
      for (std::uint32_t i = 0; i < std::max(1u, binder.tuple); ++i)
        needs.slots.erase({0, binder.slot + i});
    for (const LetSlot& let : code.lets) needs.slots.erase({0, let.slot});
    switch (code.op) {
      case Op::Slot: needs.slots.insert({code.hops, code.index}); break;
      case Op::CallSlot:
      case Op::CallInstance: needs.is_unknown = true; break;
      default:
        if (code.def != nullptr && !code.def->is_global())
          needs.is_unknown = true;
    }
    const bool changes_with_slots_only = !needs.is_unknown && code.reads == 0 &&
                                         !code.is_primed && !code.is_temporal &&
                                         !code.is_impure;
    code.is_closed = changes_with_slots_only && needs.slots.empty() &&
                     is_worth_keeping(code.op);
    if (changes_with_slots_only && !needs.slots.empty() && !code.lifts &&
        needs.slots.size() <= Code::kMostNeeds &&
        is_worth_looking_up(code.op)) {
      code.needs.assign(needs.slots.begin(), needs.slots.end());
      code.memo = memos_++;
    }
    needs_.emplace(&code, std::move(needs));
    code.is_fold = is_fold(code);
  }

 private:
  /// Its term is evaluated where S is not as it was in the recursion.
  [[nodiscard]] bool is_fold(const Code& code) const {
    const auto fold = fold_of(code);
    if (!fold) return false;
    const auto found = needs_.find(fold->term);
    return found != needs_.end() && !found->second.is_unknown &&
           !found->second.slots.contains({0, fold->set});
  }
  void add(Needs& needs, const Code* part) const {
    if (part == nullptr) return;
    const auto found = needs_.find(part);
    if (found == needs_.end()) {  // not one that is made before its whole
      needs.is_unknown = true;
      return;
    }
    needs.slots.insert(found->second.slots.begin(), found->second.slots.end());
    needs.is_unknown = needs.is_unknown || found->second.is_unknown;
  }
  void add(Needs& needs, std::span<const Code* const> parts) const {
    for (const Code* part : parts) add(needs, part);
  }

  std::unordered_map<const Code*, Needs> needs_;
  std::uint32_t memos_ = 0;
};

}  // namespace

void mark_closed(std::deque<Code>& codes) {
  ClosedCode closed;
  for (Code& code : codes) closed.visit(code);
}

}  // namespace txscope::tla
