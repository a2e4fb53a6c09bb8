#include "tla/liveness/temporal.h"

#include <algorithm>

namespace txscope::tla {
namespace {

using Kind = Temporal::Kind;

Kind dual(Kind kind) {
  switch (kind) {
    case Kind::True: return Kind::False;
    case Kind::False: return Kind::True;
    case Kind::And: return Kind::Or;
    case Kind::Or: return Kind::And;
    case Kind::Always: return Kind::Eventually;
    case Kind::Eventually: return Kind::Always;
    case Kind::Atom: break;
  }
  return kind;
}

/// <<A>>_v, which the compiler has made A /\ ~UNCHANGED v.
bool is_diamond(const Code& code) {
  return code.op == Op::And && code.count == 2 && code.kid(1).op == Op::Not &&
         code.kid(1).kid(0).op == Op::Unchanged && !code.is_temporal;
}

/// The same place in the specification, whichever reference led there.
bool is_same(const Formula& a, const Formula& b) {
  if (a.code == b.code && a.frame == b.frame) return true;
  if (!a || !b) return false;
  return a.code->op == Op::Call && b.code->op == Op::Call &&
         a.code->def == b.code->def && a.code->count == 0 &&
         a.code->def->is_global();
}

}  // namespace

const Temporal* TemporalReader::make(Temporal t) {
  return &made_.emplace_back(std::move(t));
}

const Temporal* TemporalReader::join(Kind kind,
                                     std::vector<const Temporal*> parts) {
  const Kind neutral = kind == Kind::And ? Kind::True : Kind::False;
  std::vector<const Temporal*> kept;
  for (const Temporal* part : parts) {
    if (part->kind == neutral) continue;
    if (part->kind == dual(neutral)) return part;
    kept.push_back(part);
  }
  if (kept.empty()) return make({neutral, false, 0, {}});
  if (kept.size() == 1) return kept[0];
  return make({kind, false, 0, std::move(kept)});
}

const Temporal* TemporalReader::unary(Kind kind, const Temporal* part) {
  if (part->kind == Kind::True || part->kind == Kind::False) return part;
  if (part->kind == kind) return part;  // [][]P is []P
  return make({kind, false, 0, {part}});
}

const Temporal* TemporalReader::state(Formula f, bool is_negated) {
  if (f.code->reads == 0 && !f.code->is_impure) {
    try {  // P => []Q with a constant P
      const bool v = evaluator_.holds(*f.code, f.frame, nullptr);
      return make({v != is_negated ? Kind::True : Kind::False, false, 0, {}});
    } catch (const Fault&) {  // a parameter that stands for a state predicate
    }
  }
  for (std::size_t i = 0; i < atoms_.size(); ++i)
    if (!atoms_[i].is_step() && is_same(atoms_[i].formula, f))
      return make({Kind::Atom, is_negated, static_cast<std::uint32_t>(i), {}});
  atoms_.push_back({TemporalAtom::Kind::State, f, {}});
  return make({Kind::Atom,
               is_negated,
               static_cast<std::uint32_t>(atoms_.size() - 1),
               {}});
}

const Temporal* TemporalReader::step(TemporalAtom atom, bool is_negated) {
  atoms_.push_back(atom);
  return make({Kind::Atom,
               is_negated,
               static_cast<std::uint32_t>(atoms_.size() - 1),
               {}});
}

const Temporal* TemporalReader::fairness(Formula f, bool is_negated) {
  const Code& code = *f.code;
  const Kind box = is_negated ? Kind::Eventually : Kind::Always;
  const Kind diamond = dual(box);
  const Temporal* disabled = state({code.kids[3], f.frame}, !is_negated);
  const Temporal* taken = step({TemporalAtom::Kind::Taken,
                                {code.kids[1], f.frame},
                                {code.kids[0], f.frame}},
                               is_negated);
  const bool is_weak = code.op == Op::WeakFair;
  return join(
      is_negated ? Kind::And : Kind::Or,
      {unary(is_weak ? box : diamond, unary(is_weak ? diamond : box, disabled)),
       unary(box, unary(diamond, taken))});
}

/// IF p THEN f ELSE g is (p => f) /\ (~p => g).
const Temporal* TemporalReader::conditional(Formula f, bool is_negated) {
  const auto kid = [&](std::uint32_t i, bool negated) {
    return read({f.code->kids[i], f.frame}, negated);
  };
  const Temporal* yes = join(Kind::And, {kid(0, false), kid(1, is_negated)});
  const Temporal* no = join(Kind::And, {kid(0, true), kid(2, is_negated)});
  return join(Kind::Or, {yes, no});
}

void TemporalReader::bind_next(const Code& quantifier, std::size_t binder,
                               Frame* frame, std::vector<Value>& values) {
  const Binder& b = quantifier.binders[binder];
  if (b.set->reads != 0)
    fail(b.set->spot,
         "the set of a quantified temporal formula must be constant");
  for (const Value v : evaluator_.elements_of(*b.set, frame).all()) {
    if (b.tuple == 0) {
      values.push_back(v);
      continue;
    }
    const Node* node = v.is_node() ? v.as_node() : nullptr;
    if (node == nullptr || node->kind != NodeKind::Sequence ||
        node->size != b.tuple)
      fail(b.set->spot, "expected tuples of " + std::to_string(b.tuple) +
                            " elements, found " + brief(v));
    values.insert(values.end(), node->items, node->items + node->size);
  }
}

const Temporal* TemporalReader::read(Formula f, bool is_negated) {
  const Code& code = *f.code;
  if (evaluator_.is_state_level(f)) return state(f, is_negated);
  if (is_diamond(code))
    return step({TemporalAtom::Kind::Taken,
                 {code.kids[0], f.frame},
                 {code.kid(1).kid(0).kids[0], f.frame}},
                is_negated);
  const auto kid = [&](std::uint32_t i, bool negated) {
    return read({code.kids[i], f.frame}, negated);
  };
  const auto junction = [&](Kind kind) {
    std::vector<const Temporal*> parts;
    for (std::uint32_t i = 0; i < code.count; ++i)
      parts.push_back(kid(i, is_negated));
    return join(is_negated ? dual(kind) : kind, std::move(parts));
  };
  switch (code.op) {
    case Op::And: return junction(Kind::And);
    case Op::Or: return junction(Kind::Or);
    case Op::Not: return kid(0, !is_negated);
    case Op::Implies:
      return join(is_negated ? Kind::And : Kind::Or,
                  {kid(0, !is_negated), kid(1, is_negated)});
    case Op::Equiv:
      return join(Kind::Or,
                  {join(Kind::And, {kid(0, false), kid(1, is_negated)}),
                   join(Kind::And, {kid(0, true), kid(1, !is_negated)})});
    case Op::If: return conditional(f, is_negated);
    case Op::Always:
      return unary(is_negated ? Kind::Eventually : Kind::Always,
                   kid(0, is_negated));
    case Op::Eventually:
      return unary(is_negated ? Kind::Always : Kind::Eventually,
                   kid(0, is_negated));
    case Op::LeadsTo: {
      const Kind box = is_negated ? Kind::Eventually : Kind::Always;
      const Temporal* answer = unary(dual(box), kid(1, is_negated));
      return unary(box, join(is_negated ? Kind::And : Kind::Or,
                             {kid(0, !is_negated), answer}));
    }
    case Op::WeakFair:
    case Op::StrongFair: return fairness(f, is_negated);
    case Op::BoxAct:
      if (code.is_temporal) break;
      return step({TemporalAtom::Kind::Kept,
                   {code.kids[0], f.frame},
                   {code.kids[1], f.frame}},
                  is_negated);
    case Op::Forall:
    case Op::Exists: {
      if (!code.is_temporal) break;
      std::vector<const Temporal*> parts;
      for_each_instance(
          f, [&](Formula part) { parts.push_back(read(part, is_negated)); });
      const bool is_all = (code.op == Op::Forall) != is_negated;
      return join(is_all ? Kind::And : Kind::Or, std::move(parts));
    }
    default: {
      Formula inner = f;
      if (evaluator_.open(inner)) return read(inner, is_negated);
      break;
    }
  }
  if (!code.is_temporal)
    fail(code.spot, "an action in a temporal formula needs a subscript",
         "write [A]_v or <<A>>_v, so that a step that changes nothing may "
         "always be taken");
  fail(code.spot, "this form of temporal formula is not supported",
       "state predicates, [A]_v, <<A>>_v, WF, SF, [], <>, ~>, the connectives "
       "of logic, IF, and quantifiers over constant sets are");
}

}  // namespace txscope::tla
