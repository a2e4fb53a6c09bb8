#include "tla/code/program.h"

#include <algorithm>

#include "tla/code/closed.h"
#include "tla/code/compiler.h"

namespace txscope::tla {
namespace {

bool iterates(Op op) {
  switch (op) {
    case Op::Forall:
    case Op::Exists:
    case Op::Choose:
    case Op::SetFilter:
    case Op::SetMap:
    case Op::Function:
    case Op::BigUnion:
    case Op::FunctionDef:
    case Op::ApplyFunctionDef:
    case Op::SelectSeq:
    case Op::SortSeq:
    case Op::Permutations: return true;
    default: return false;
  }
}

std::uint64_t bit_of(std::uint32_t variable) {
  return std::uint64_t{1} << std::min(variable, 63u);
}

struct Traits {
  std::uint64_t reads = 0;
  bool is_primed = false;
  bool is_temporal = false;
  bool is_heavy = false;
  bool lifts = false;
  bool is_impure = false;
  bool has_effects = false;

  template <class Part>
  void add(const Part* part) {
    if (part == nullptr) return;
    reads |= part->reads;
    is_primed = is_primed || part->is_primed;
    is_temporal = is_temporal || part->is_temporal;
    is_heavy = is_heavy || part->is_heavy;
    lifts = lifts || part->lifts;
    is_impure = is_impure || part->is_impure;
    has_effects = has_effects || part->has_effects;
  }
  /// True if that changed anything.
  template <class Part>
  bool store(Part& part) const {
    const bool same = reads == part.reads && is_primed == part.is_primed &&
                      is_temporal == part.is_temporal &&
                      is_heavy == part.is_heavy && lifts == part.lifts &&
                      is_impure == part.is_impure &&
                      has_effects == part.has_effects;
    part.reads = reads;
    part.is_primed = is_primed;
    part.is_temporal = is_temporal;
    part.is_heavy = is_heavy;
    part.lifts = lifts;
    part.is_impure = is_impure;
    part.has_effects = has_effects;
    return !same;
  }
};

/// UNCHANGED of variables asks for nothing but those variables.
bool is_plain(const Code& code) {
  if (code.op == Op::Variable) return true;
  if (code.op == Op::Call && code.count == 0 && code.def->body != nullptr)
    return code.def->body->op == Op::Tuple || code.def->body->op == Op::Variable
               ? is_plain(*code.def->body)
               : false;
  if (code.op != Op::Tuple) return false;
  return std::all_of(code.all().begin(), code.all().end(), [](const Code* kid) {
    return kid->op == Op::Variable || (kid->op == Op::Tuple && is_plain(*kid));
  });
}

/// Whether TLC would take the guard apart and find more than one branch.
bool may_branch(const Code& code) {
  const auto any_kid = [&](std::uint32_t from, std::uint32_t step) {
    for (std::uint32_t i = from; i < code.count; i += step)
      if (code.kid(i).branches) return true;
    return false;
  };
  switch (code.op) {
    case Op::Or: return code.count > 1 || any_kid(0, 1);
    case Op::Exists:
    case Op::Slot:
    case Op::CallSlot:
    case Op::CallInstance:
    case Op::Compose:
    case Op::BoxAct: return true;
    case Op::And:
    case Op::Forall:
    case Op::Let:
    case Op::If:
    case Op::Case: return any_kid(0, 1);
    case Op::Implies: return code.kid(1).branches;
    case Op::ApplyFunctionDef:
      return code.def->body != nullptr && code.def->body->kid(0).branches;
    case Op::Equal:
    case Op::Subseteq:
    case Op::In:  // may give a value to x', if that is the argument
      return code.kid(0).op == Op::Slot;
    case Op::Call: return code.def->body != nullptr && code.def->body->branches;
    default: return false;
  }
}

bool update(Code& code) {
  Traits traits;
  traits.add(&code);
  traits.is_heavy = traits.is_heavy || iterates(code.op);
  for (const Code* kid : code.all()) traits.add(kid);
  for (const Binder& binder : code.binders) traits.add(binder.set);
  for (const CodeUpdate& u : code.updates) {
    traits.add(u.value);
    for (const Code* step : u.path) traits.add(step);
  }
  for (const LetSlot& let : code.lets) {
    traits.add(let.code);
    traits.add(let.function);
  }
  traits.add(code.def);
  traits.add(code.target);
  switch (code.op) {
    case Op::Variable: traits.reads |= bit_of(code.index); break;
    case Op::Primed:
      traits.reads |= bit_of(code.index);
      traits.is_primed = true;
      break;
    case Op::Prime:
    case Op::Compose:  // parameters are asked for in the state between
      traits.is_primed = true;
      traits.lifts = true;
      break;
    case Op::Unchanged:
    case Op::BoxAct:
      traits.is_primed = true;
      traits.lifts = traits.lifts || !is_plain(code.kid(code.count - 1));
      break;
    case Op::Enabled:
      traits.is_primed = false;  // it speaks of the current state
      traits.is_heavy = true;
      traits.lifts = true;  // what is asked for is a step, not its value here
      break;
    case Op::Always:
    case Op::Eventually:
    case Op::LeadsTo:
    case Op::WeakFair:
    case Op::StrongFair: traits.is_temporal = true; break;
    case Op::Library: {
      const auto which = static_cast<Library>(code.index);
      traits.is_heavy = traits.is_heavy || which != Library::IsPrefix;
      traits.has_effects = traits.has_effects || which == Library::GetOr ||
                           which == Library::Trace ||
                           which == Library::AssertError;
      traits.is_impure = traits.is_impure || traits.has_effects ||
                         which == Library::RandomSubset ||
                         which == Library::RandomSubsets;
      break;
    }
    case Op::RandomElement: traits.is_impure = true; break;
    case Op::TlcGet:
    case Op::TlcSet:
    case Op::JavaTime:
    case Op::Print:
    case Op::PrintT: traits.is_impure = traits.has_effects = true; break;
    default: break;
  }
  const bool branches = code.branches || may_branch(code);
  const bool changed = branches != code.branches;
  code.branches = branches;
  return traits.store(code) || changed;
}

bool update(Def& def) {
  Traits traits;
  traits.add(&def);
  traits.add(def.body);
  return traits.store(def);
}

}  // namespace

/// The least fixpoint; nodes come after their parts, so few rounds suffice
/// but for recursion.
void analyse(std::deque<Code>& codes, std::deque<Def>& defs) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Code& code : codes) changed = update(code) || changed;
    for (Def& def : defs) changed = update(def) || changed;
  }
  constexpr std::uint32_t kMostKeys = 6;
  for (Def& def : defs)
    def.is_memoised = def.native >= 0 ||
                      (def.is_global() && def.is_constant() && def.is_heavy &&
                       !def.lifts && def.params > 0 && def.params <= kMostKeys);
  mark_closed(codes);
}

Program::Program(const Module& root, const Config& config, Loader& loader,
                 bool use_natives)
    : root_(root) {
  Compiler(*this, config, loader, use_natives).run();
}

const Def* Program::find(std::string_view name) const {
  const Binding* binding = root_scope_->find(std::string(name));
  // INVARIANT Inv where the configuration says Inv <- MyInv.
  if (binding != nullptr && binding->kind == Binding::Kind::Alias)
    binding = root_scope_->find(binding->alias);
  if (binding == nullptr || binding->kind != Binding::Kind::Op) return nullptr;
  return binding->def;
}

void Program::mark_values() const {
  for (const Code& code : codes_) {
    Store::mark(code.value);
    Store::mark(code.cache_key);
    Store::mark(code.known);
  }
  for (const Def& def : defs_) {
    Store::mark(def.known);
    def.known_now = Value();
    def.known_state = nullptr;
    def.known_epoch = 0;
  }
  for (const Scope& scope : scopes_)
    for (const auto& [name, binding] : scope.names) Store::mark(binding.value);
}

}  // namespace txscope::tla
