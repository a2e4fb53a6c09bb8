#include "tla/liveness/behaviour.h"

#include "base/suggest.h"
#include "tla/code/step_level.h"
#include "tla/pluscal/module_notes.h"

namespace txscope::tla {
namespace {

/// A hint for a configuration that names what is not there.
std::string suggested(const Program& program, std::string_view name,
                      std::string_view statement) {
  std::vector<std::string> names;
  for (const Module* module : program.modules())
    for (const Unit& unit : module->units)
      if (unit.op != nullptr && unit.op->params.empty())
        names.push_back(unit.op->name);
  if (std::string near = suggestion(name, names); !near.empty()) return near;
  for (const Module* module : program.modules())
    if (std::string wrong = PlusCalLabels(*module).complaint(); !wrong.empty())
      return wrong;
  return std::string(statement) + " names a definition";
}

}  // namespace

Behaviour::Behaviour(Evaluator& evaluator, const Config& config)
    : evaluator_(evaluator), temporal_(evaluator) {
  const Spot root = evaluator.program().root().spot;
  if (config.specification) {
    if (config.init || config.next)
      fail(config.specification->spot,
           "SPECIFICATION and INIT/NEXT exclude each other");
    const Def& def = find(*config.specification, "SPECIFICATION");
    add_specification(formula_of(def));
    const bool has_states = !evaluator.program().variables().empty();
    if (init.empty() && has_states)
      fail(def.spot, def.name + " has no initial predicate",
           "a specification has the form Init /\\ [][Next]_vars");
    if (!next && has_states)
      fail(def.spot, def.name + " has no next-state action",
           "a specification has the form Init /\\ [][Next]_vars");
  } else if (config.init && config.next) {
    init.push_back(formula_of(find(*config.init, "INIT")));
    const Def& def = find(*config.next, "NEXT");
    next = formula_of(def);
    next.named = &def;
  } else if (config.init || config.next) {
    fail(config.init ? config.init->spot : config.next->spot,
         "INIT and NEXT belong together");
  } else if (!evaluator.program().variables().empty() ||
             !config.invariants.empty() || !config.properties.empty()) {
    fail(root,
         "the configuration says neither SPECIFICATION nor INIT and NEXT");
  }
  for (const ConfigName& name : config.invariants) {
    const Def& def = find(name, "INVARIANT");
    add_invariant(def.name, def.spot, formula_of(def));
  }
  for (const ConfigName& name : config.properties) {
    const Def& def = find(name, "PROPERTY");
    property_names.push_back(def.name);
    add_property(def.name, def.spot, formula_of(def));
  }
  for (const ConfigName& name : config.constraints)
    constraints.push_back(formula_of(find(name, "CONSTRAINT")));
  for (const ConfigName& name : config.action_constraints)
    action_constraints.push_back(formula_of(find(name, "ACTION_CONSTRAINT")));
  for (const ConfigName& name : config.symmetry)
    symmetry.push_back(&find(name, "SYMMETRY"));
  if (config.view) view = &find(*config.view, "VIEW");
  if (config.alias) alias = &find(*config.alias, "ALIAS");
  for (const ConfigName& name : config.possible) {
    const Def& def = find(name, "_POSSIBLE");
    possible.push_back({def.name, def.spot, formula_of(def), {}});
  }
  if (config.periodic) periodic = &find(*config.periodic, "_PERIODIC");
  for (const ConfigName& name : config.postconditions)
    postconditions.push_back(&find(name, "POSTCONDITION"));
}

const Def& Behaviour::find(const ConfigName& name, std::string_view what) {
  const Def* def = evaluator_.program().find(name.name);
  if (def == nullptr)
    fail(name.spot, "the specification does not define " + name.name,
         suggested(evaluator_.program(), name.name, what));
  if (def->params != 0)
    fail(name.spot, name.name + " has parameters",
         std::string(what) + " names a definition without");
  return *def;
}

Formula Behaviour::formula_of(const Def& def) {
  return {def.body, evaluator_.new_frame(def.slots)};
}

void Behaviour::add_specification(Formula f) {
  const Code& code = *f.code;
  if (evaluator_.is_state_level(f)) {
    init.push_back(f);
    return;
  }
  switch (code.op) {
    case Op::And:
      for (const Code* kid : code.all()) add_specification({kid, f.frame});
      return;
    case Op::Always: {
      Formula box{code.kids[0], f.frame};
      while (evaluator_.open(box)) {
      }
      if (box.code->op == Op::BoxAct && !box.code->is_temporal) {
        if (next)
          fail(code.spot, "the specification has two next-state actions",
               "join them in one");
        next = {box.code->kids[0], box.frame};
        return;
      }
      if (evaluator_.is_state_level(box))
        fail(code.spot, "a specification cannot assume []P",
             "make it a CONSTRAINT, or part of Init and Next");
      break;
    }
    case Op::WeakFair:
    case Op::StrongFair:
      fairness.push_back({code.op == Op::StrongFair,
                          {code.kids[1], f.frame},
                          {code.kids[0], f.frame},
                          {code.kids[3], f.frame}});
      return;
    case Op::Forall:
      temporal_.for_each_instance(
          f, [&](Formula part) { add_specification(part); });
      return;
    default: {
      Formula inner = f;
      if (evaluator_.open(inner)) return add_specification(inner);
      break;
    }
  }
  if (!code.is_temporal)
    fail(code.spot, "this part of the specification is not supported",
         "Init, [][Next]_v, WF_v(A), SF_v(A), liveness and \\A of them are");
  const Temporal* t = temporal_.read(f, false);
  assumed = assumed == nullptr ? t : temporal_.both(assumed, t);
}

std::vector<std::uint32_t> Behaviour::variables_in(std::uint64_t reads) const {
  std::vector<std::uint32_t> variables;
  if (reads >> 63u != 0) return variables;
  for (std::uint32_t i = 0; i < 63; ++i)
    if ((reads >> i & 1u) != 0) variables.push_back(i);
  return variables;
}

/// Takes conjunctions apart, so that each part is remembered by what it alone
/// reads.
void Behaviour::add_invariant(const std::string& name, const Spot& spot,
                              Formula f) {
  const Code& code = *f.code;
  if (code.is_temporal || speaks_of_steps(code))
    fail(spot, name + " is no state predicate",
         "name temporal formulas under PROPERTY");
  if (code.op == Op::And) {
    for (const Code* kid : code.all())
      add_invariant(name, spot, {kid, f.frame});
    return;
  }
  Formula inner = f;
  if (code.op == Op::Call && code.def->params == 0 && code.def->is_global() &&
      code.def->body->op == Op::And && evaluator_.open(inner))
    return add_invariant(name, spot, inner);
  Check check{name, spot, f, {}};
  const std::size_t most =
      std::min(Check::kMostReads, evaluator_.program().variables().size() - 1);
  auto reads = variables_in(code.reads);
  if (code.is_heavy && !code.is_impure && !reads.empty() &&
      reads.size() <= most)
    check.reads = std::move(reads);
  invariants.push_back(std::move(check));
}

/// []P and [][A]_v are decided state by state and step by step; false if the
/// formula inside of the box is neither.
bool Behaviour::add_box(const std::string& name, const Spot& spot,
                        Formula inner) {
  while (!evaluator_.is_state_level(inner) && evaluator_.open(inner)) {
  }
  const Code& code = *inner.code;
  if (evaluator_.is_state_level(inner)) {
    add_invariant(name, spot, inner);
    return true;
  }
  if (code.op != Op::BoxAct || code.is_temporal) return false;
  properties.push_back({Property::Kind::AlwaysAction,
                        name,
                        spot,
                        {code.kids[0], inner.frame},
                        {code.kids[1], inner.frame},
                        nullptr});
  return true;
}

void Behaviour::add_property(const std::string& name, const Spot& spot,
                             Formula f) {
  const Code& code = *f.code;
  if (evaluator_.is_state_level(f)) {
    properties.push_back(
        {Property::Kind::Initially, name, spot, f, {}, nullptr});
    return;
  }
  switch (code.op) {
    case Op::And:
      for (const Code* kid : code.all())
        add_property(name, spot, {kid, f.frame});
      return;
    case Op::Forall:
      if (!code.is_temporal) break;
      temporal_.for_each_instance(
          f, [&](Formula part) { add_property(name, spot, part); });
      return;
    case Op::Always: {
      Formula inner{code.kids[0], f.frame};
      while (!evaluator_.is_state_level(inner) && evaluator_.open(inner)) {
      }
      if (inner.code->op != Op::And || !inner.code->is_temporal) {
        if (add_box(name, spot, inner)) return;
        break;
      }
      // [](P /\ Q) is []P /\ []Q.
      for (const Code* kid : inner.code->all())
        if (!add_box(name, spot, {kid, inner.frame}))
          add_temporal(name, spot, {kid, inner.frame}, true);
      return;
    }
    case Op::Implies: {
      const Formula condition{code.kids[0], f.frame};
      if (!evaluator_.is_state_level(condition) || condition.code->reads != 0)
        break;
      const Temporal* known = temporal_.read(condition, false);
      if (known->kind == Temporal::Kind::False) return;
      if (known->kind == Temporal::Kind::True)
        return add_property(name, spot, {code.kids[1], f.frame});
      break;
    }
    default: {
      Formula inner = f;
      if (evaluator_.open(inner)) return add_property(name, spot, inner);
      break;
    }
  }
  add_temporal(name, spot, f, false);
}

void Behaviour::add_temporal(const std::string& name, const Spot& spot,
                             Formula f, bool is_boxed) {
  const Temporal* negation = temporal_.read(f, true);
  if (is_boxed) negation = temporal_.eventually(negation);
  properties.push_back(
      {Property::Kind::Temporal, name, spot, {}, {}, negation});
}

}  // namespace txscope::tla
