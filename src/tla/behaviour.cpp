#include "tla/behaviour.h"

namespace txscope::tla {
namespace {

constexpr std::string_view kForms =
    "[]P, [][A]_v, <>P, []<>P, <>[]P, P ~> Q, P => <>Q, P => []Q, [](P => "
    "[]Q), "
    "[]<><<A>>_v, WF_v(A), SF_v(A), their conjunctions and \\A of them are";

bool is_state_level(const Code& code) {
  return !code.is_temporal && !code.is_primed;
}

}  // namespace

Behaviour::Behaviour(Evaluator& evaluator, const Config& config)
    : evaluator_(evaluator) {
  const Spot root = evaluator.program().root().spot;
  if (config.specification) {
    if (config.init || config.next)
      fail(config.specification->spot,
           "SPECIFICATION and INIT/NEXT exclude each other");
    const Def& def = find(*config.specification, "SPECIFICATION");
    add_specification(formula_of(def));
    if (init.empty())
      fail(def.spot, def.name + " has no initial predicate",
           "a specification has the form Init /\\ [][Next]_vars");
    if (!next)
      fail(def.spot, def.name + " has no next-state action",
           "a specification has the form Init /\\ [][Next]_vars");
  } else if (config.init && config.next) {
    init.push_back(formula_of(find(*config.init, "INIT")));
    next = formula_of(find(*config.next, "NEXT"));
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
    add_property(def.name, def.spot, formula_of(def));
  }
  for (const ConfigName& name : config.constraints)
    constraints.push_back(formula_of(find(name, "CONSTRAINT")));
  for (const ConfigName& name : config.action_constraints)
    action_constraints.push_back(formula_of(find(name, "ACTION_CONSTRAINT")));
  for (const ConfigName& name : config.symmetry)
    symmetry.push_back(&find(name, "SYMMETRY"));
  if (config.view) view = &find(*config.view, "VIEW");
}

const Def& Behaviour::find(const ConfigName& name, std::string_view what) {
  const Def* def = evaluator_.program().find(name.name);
  if (def == nullptr)
    fail(name.spot, "the specification does not define " + name.name,
         std::string(what) + " names a definition");
  if (def->params != 0)
    fail(name.spot, name.name + " has parameters",
         std::string(what) + " names a definition without");
  return *def;
}

Formula Behaviour::formula_of(const Def& def) {
  return {def.body, evaluator_.new_frame(def.slots)};
}

/// Replaces a reference to a definition by its body, in a frame of its own.
bool Behaviour::open_call(Formula& f) {
  if (f.code->op != Op::Call || f.code->def->native >= 0) return false;
  const Def& def = *f.code->def;
  if (!def.is_global()) return false;
  Frame* frame = evaluator_.new_frame(def.slots);
  for (std::uint32_t i = 0; i < def.params; ++i) {
    if (def.arities[i] != 0 || f.code->kid(i).reads != 0 ||
        f.code->kid(i).is_primed)
      return false;
    frame->slots[i] = evaluator_.sets().settle(
        evaluator_.evaluate(f.code->kid(i), f.frame, nullptr));
  }
  f = {def.body, frame};
  return true;
}

/// Every instance of \A x \in S : F with constant S, in a frame of its own.
template <class Visit>
void Behaviour::for_each_instance(Formula quantifier, const Visit& visit) {
  const Code& code = *quantifier.code;
  const auto recurse = [&](const auto& self, std::size_t i,
                           Frame* frame) -> void {
    if (i == code.binders.size())
      return visit(Formula{code.kids[0],
                           evaluator_.keep_frame(*frame, code.home->slots)});
    const Binder& binder = code.binders[i];
    if (binder.tuple != 0)
      fail(code.spot,
           "tuples in quantified temporal formulas are not "
           "supported");
    if (binder.set->reads != 0)
      fail(binder.set->spot,
           "the set of a quantified temporal formula must be constant");
    const Node& set = evaluator_.elements_of(*binder.set, frame);
    for (const Value v : set.all()) {
      frame->slots[binder.slot] = v;
      self(self, i + 1, frame);
    }
  };
  Frame* frame = evaluator_.keep_frame(*quantifier.frame, code.home->slots);
  recurse(recurse, 0, frame);
}

void Behaviour::add_specification(Formula f) {
  const Code& code = *f.code;
  if (is_state_level(code)) {
    init.push_back(f);
    return;
  }
  switch (code.op) {
    case Op::And:
      for (const Code* kid : code.all()) add_specification({kid, f.frame});
      return;
    case Op::Always: {
      Formula box{code.kids[0], f.frame};
      while (box.code->op == Op::Call && open_call(box)) {
      }
      if (box.code->op != Op::BoxAct)
        fail(code.spot, "expected [][Next]_vars in the specification");
      if (next)
        fail(code.spot, "the specification has two next-state actions",
             "join them in one");
      next = {box.code->kids[0], box.frame};
      return;
    }
    case Op::WeakFair:
    case Op::StrongFair:
      fairness.push_back({code.op == Op::StrongFair,
                          {code.kids[1], f.frame},
                          {code.kids[0], f.frame}});
      return;
    case Op::Forall:
      for_each_instance(f, [&](Formula part) { add_specification(part); });
      return;
    case Op::Call:
      if (open_call(f)) return add_specification(f);
      break;
    default: break;
  }
  fail(code.spot, "this part of the specification is not supported",
       "Init, [][Next]_v, WF_v(A), SF_v(A) and \\A of them are");
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
  if (code.is_temporal || code.is_primed)
    fail(spot, name + " is no state predicate",
         "name temporal formulas under PROPERTY");
  if (code.op == Op::And) {
    for (const Code* kid : code.all())
      add_invariant(name, spot, {kid, f.frame});
    return;
  }
  Formula inner = f;
  if (code.op == Op::Call && code.def->params == 0 &&
      code.def->body->op == Op::And && open_call(inner))
    return add_invariant(name, spot, inner);
  Check check{name, spot, f, {}};
  const std::size_t most =
      std::min<std::size_t>(6, evaluator_.program().variables().size() - 1);
  auto reads = variables_in(code.reads);
  if (code.is_heavy && !code.is_impure && !reads.empty() &&
      reads.size() <= most)
    check.reads = std::move(reads);
  invariants.push_back(std::move(check));
}

/// p => <>q, and inside a box [](p => <>q) and [](p => []q).
bool Behaviour::add_response(Property property, Formula f, bool is_always) {
  const Code& code = *f.code;
  if (code.op != Op::Implies || !is_state_level(code.kid(0))) return false;
  Formula then{code.kids[1], f.frame};
  while (then.code->is_temporal && then.code->op == Op::Call &&
         open_call(then)) {
  }
  const bool is_box = then.code->op == Op::Always;
  if ((then.code->op != Op::Eventually && !is_box) ||
      !is_state_level(then.code->kid(0)))
    return false;
  using Kind = Property::Kind;
  property.kind =
      is_always ? (is_box ? Kind::Stays : Kind::LeadsTo)
                : (is_box ? Kind::InitiallyStays : Kind::ImpliesEventually);
  property.p = {code.kids[0], f.frame};
  property.q = {then.code->kids[0], then.frame};
  properties.push_back(property);
  return true;
}

/// <<A>>_v inside []<>, which the compiler has made A /\\ ~UNCHANGED v.
bool Behaviour::add_repeated_action(Property property, Formula f) {
  while (f.code->op == Op::Call && open_call(f)) {
  }
  const Code& code = *f.code;
  if (code.op != Op::And || code.count != 2 || code.is_temporal ||
      code.kid(1).op != Op::Not || code.kid(1).kid(0).op != Op::Unchanged)
    return false;
  property.kind = Property::Kind::AlwaysEventuallyAction;
  property.p = {code.kids[0], f.frame};
  property.q = {code.kid(1).kid(0).kids[0], f.frame};
  properties.push_back(property);
  return true;
}

void Behaviour::add_box(const std::string& name, const Spot& spot,
                        Formula box) {
  Formula inner{box.code->kids[0], box.frame};
  while (inner.code->op == Op::Call &&
         (inner.code->is_temporal || inner.code->is_primed) &&
         open_call(inner)) {
  }
  const Code& code = *inner.code;
  if (is_state_level(code)) return add_invariant(name, spot, inner);
  Property property;
  property.name = name;
  property.spot = spot;
  if (code.op == Op::BoxAct && !code.is_temporal) {
    property.kind = Property::Kind::AlwaysAction;
    property.p = {code.kids[0], inner.frame};
    property.q = {code.kids[1], inner.frame};
    properties.push_back(property);
    return;
  }
  if (code.op == Op::Eventually && is_state_level(code.kid(0))) {
    property.kind = Property::Kind::AlwaysEventually;
    property.p = {code.kids[0], inner.frame};
    properties.push_back(property);
    return;
  }
  if (add_response(property, inner, true)) return;
  if (code.op == Op::Eventually &&
      add_repeated_action(property, {code.kids[0], inner.frame}))
    return;
  if (code.op == Op::And) {
    for (const Code* kid : code.all()) {
      Code& part = made_.emplace_back();
      part.op = Op::Always;
      part.spot = kid->spot;
      part.is_temporal = true;
      made_kids_.push_back({kid});
      part.kids = made_kids_.back().data();
      part.count = 1;
      add_box(name, spot, {&part, inner.frame});
    }
    return;
  }
  fail(code.spot, "this form of temporal property is not supported",
       std::string(kForms));
}

void Behaviour::add_property(const std::string& name, const Spot& spot,
                             Formula f) {
  const Code& code = *f.code;
  Property property;
  property.name = name;
  property.spot = spot;
  if (is_state_level(code)) {
    property.kind = Property::Kind::Initially;
    property.p = f;
    properties.push_back(property);
    return;
  }
  switch (code.op) {
    case Op::And:
      for (const Code* kid : code.all())
        add_property(name, spot, {kid, f.frame});
      return;
    case Op::Forall:
      for_each_instance(f,
                        [&](Formula part) { add_property(name, spot, part); });
      return;
    case Op::Always: return add_box(name, spot, f);
    case Op::Eventually: {
      Formula inner{code.kids[0], f.frame};
      while (inner.code->is_temporal && inner.code->op == Op::Call &&
             open_call(inner)) {
      }
      property.kind = Property::Kind::Eventually;
      property.p = inner;
      if (inner.code->op == Op::Always) {
        property.kind = Property::Kind::EventuallyAlways;
        property.p = {inner.code->kids[0], inner.frame};
      }
      if (!is_state_level(*property.p.code)) break;
      properties.push_back(property);
      return;
    }
    case Op::WeakFair:
    case Op::StrongFair:
      property.kind = code.op == Op::WeakFair ? Property::Kind::WeakFair
                                              : Property::Kind::StrongFair;
      property.p = {code.kids[1], f.frame};
      property.q = {code.kids[0], f.frame};
      properties.push_back(property);
      return;
    case Op::Implies:
      if (add_response(property, f, false)) return;
      break;
    case Op::LeadsTo:
      if (!is_state_level(code.kid(0)) || !is_state_level(code.kid(1))) break;
      property.kind = Property::Kind::LeadsTo;
      property.p = {code.kids[0], f.frame};
      property.q = {code.kids[1], f.frame};
      properties.push_back(property);
      return;
    case Op::Call:
      if (open_call(f)) return add_property(name, spot, f);
      break;
    default: break;
  }
  fail(code.spot, "this form of temporal property is not supported",
       std::string(kForms));
}

}  // namespace txscope::tla
