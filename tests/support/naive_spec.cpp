#include "support/naive_spec.h"

#include <algorithm>

namespace txscope::test {
namespace {

const std::array<std::string, 3> kVariables = {"x", "y", "z"};

std::vector<NaiveState> all_states() {
  std::vector<NaiveState> all;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) all.push_back({x, y, z});
  return all;
}

}  // namespace

std::vector<NaiveState> NaiveSpec::reachable() const {
  std::vector<NaiveState> found;
  const auto add = [&](const NaiveState& s) {
    if (std::find(found.begin(), found.end(), s) == found.end())
      found.push_back(s);
  };
  for (const NaiveState& s : all_states())
    if (init(s)) add(s);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const NaiveState from = found[i];
    for (const NaiveState& t : all_states())
      if (next(from, t)) add(t);
  }
  return found;
}

using Gen = NaiveSpecGenerator;

Gen::Term Gen::variable(int v) {
  const auto at = static_cast<std::size_t>(v);
  return {kVariables[at], [at](const Env& e) { return e.now[at]; }};
}

Gen::Term Gen::primed(const Term& t) {
  const auto value = t.value;
  return {t.text.size() == 1 ? t.text + "'" : "(" + t.text + ")'",
          [value](const Env& e) {
            Env inner = e;
            inner.now = e.next;
            return value(inner);
          }};
}

Gen::Term Gen::both(const Term& a, const Term& b) {
  return {"(" + a.text + " /\\ " + b.text + ")",
          [a, b](const Env& e) { return a.value(e) & b.value(e); }};
}

Gen::Term Gen::either(const Term& a, const Term& b) {
  return {"(" + a.text + " \\/ " + b.text + ")",
          [a, b](const Env& e) { return a.value(e) | b.value(e); }};
}

Gen::Term Gen::number(const Scope& scope, int depth) {
  std::vector<Term> atoms = scope.names;
  for (int v = 0; v < 3; ++v) {
    if (scope.now[static_cast<std::size_t>(v)]) atoms.push_back(variable(v));
    if (scope.next[static_cast<std::size_t>(v)])
      atoms.push_back(primed(variable(v)));
  }
  const int constant = static_cast<int>(pick(3));
  const Term literal{std::to_string(constant),
                     [constant](const Env&) { return constant; }};
  if (depth == 0 || pick(3) == 0)
    return atoms.empty() || pick(4) == 0 ? literal : atoms[pick(atoms.size())];
  const Term a = number(scope, depth - 1);
  const Term b = number(scope, depth - 1);
  switch (pick(5)) {
    case 0: {
      const Term c = test(scope, depth - 1);
      return {"(IF " + c.text + " THEN " + a.text + " ELSE " + b.text + ")",
              [a, b, c](const Env& e) {
                return c.value(e) != 0 ? a.value(e) : b.value(e);
              }};
    }
    case 1:
      return {"Twice(" + a.text + ")",
              [a](const Env& e) { return 2 * a.value(e) % 3; }};
    case 2: {
      const std::string name = fresh();
      Scope inner = scope;
      inner.names.push_back(
          {name, [name](const Env& e) { return e.bound.at(name); }});
      const Term body = number(inner, depth - 1);
      return {"(LET " + name + " == " + a.text + " IN " + body.text + ")",
              [a, body, name](const Env& e) {
                Env in = e;
                in.bound[name] = a.value(e);
                return body.value(in);
              }};
    }
    case 3: {
      const std::string i = fresh();
      return {"[" + i + " \\in 0..2 |-> (" + i + " + " + a.text + ") % 3][" +
                  b.text + "]",
              [a, b](const Env& e) { return (a.value(e) + b.value(e)) % 3; }};
    }
    default:
      return {"((" + a.text + " + " + b.text + ") % 3)",
              [a, b](const Env& e) { return (a.value(e) + b.value(e)) % 3; }};
  }
}

Gen::Term Gen::test(const Scope& scope, int depth) {
  const Term a = number(scope, std::max(0, depth - 1));
  const Term b = number(scope, std::max(0, depth - 1));
  switch (depth == 0 ? pick(3) : pick(8)) {
    case 0:
      return {a.text + " = " + b.text, [a, b](const Env& e) {
                return a.value(e) == b.value(e) ? 1 : 0;
              }};
    case 1:
      return {a.text + " <= " + b.text, [a, b](const Env& e) {
                return a.value(e) <= b.value(e) ? 1 : 0;
              }};
    case 2:
      return {a.text + " # " + b.text, [a, b](const Env& e) {
                return a.value(e) != b.value(e) ? 1 : 0;
              }};
    case 3: return either(test(scope, depth - 1), test(scope, depth - 1));
    case 4: return both(test(scope, depth - 1), test(scope, depth - 1));
    case 5: {
      const Term p = test(scope, depth - 1);
      const Term q = test(scope, depth - 1);
      return {"(" + p.text + " => " + q.text + ")", [p, q](const Env& e) {
                return p.value(e) <= q.value(e) ? 1 : 0;
              }};
    }
    case 6: {
      const std::string name = fresh();
      Scope inner = scope;
      inner.names.push_back(
          {name, [name](const Env& e) { return e.bound.at(name); }});
      const Term p = test(inner, depth - 1);
      const bool is_all = pick(2) == 0;
      return {"(" + std::string(is_all ? "\\A " : "\\E ") + name +
                  " \\in 0..2 : " + p.text + ")",
              [p, name, is_all](const Env& e) {
                int holds = 0;
                for (int i = 0; i < 3; ++i) {
                  Env in = e;
                  in.bound[name] = i;
                  holds += p.value(in);
                }
                return (is_all ? holds == 3 : holds > 0) ? 1 : 0;
              }};
    }
    default: {
      const Term p = test(scope, depth - 1);
      return {"~(" + p.text + ")",
              [p](const Env& e) { return 1 - p.value(e); }};
    }
  }
}

/// A formula that gives the variable (or its next value) a value.
Gen::Term Gen::assignment(int v, const Scope& scope, bool is_initial) {
  const Term plain = variable(v);
  const Term target = is_initial ? plain : primed(plain);
  const Term a = number(scope, 2);
  const Term b = number(scope, 2);
  const auto equals = [](const Term& left, const Term& right,
                         const std::string& text) {
    return Term{text, [left, right](const Env& e) {
                  return left.value(e) == right.value(e) ? 1 : 0;
                }};
  };
  const auto is = [&](const Term& right) {
    return equals(target, right, target.text + " = " + right.text);
  };
  const Term one_of{target.text + " \\in {" + a.text + ", " + b.text + "}",
                    [target, a, b](const Env& e) {
                      const int t = target.value(e);
                      return t == a.value(e) || t == b.value(e) ? 1 : 0;
                    }};
  switch (pick(13)) {
    case 0: return one_of;
    case 1: return either(is(a), is(b));
    case 2: {
      const Term c = test(scope, 1);
      return {
          "(IF " + c.text + " THEN " + is(a).text + " ELSE " + is(b).text + ")",
          [c, target, a, b](const Env& e) {
            const int wanted = c.value(e) != 0 ? a.value(e) : b.value(e);
            return target.value(e) == wanted ? 1 : 0;
          }};
    }
    case 3: {
      const Term c = test(scope, 1);
      return {"(CASE " + c.text + " -> " + is(a).text + " [] OTHER -> " +
                  is(b).text + ")",
              [c, target, a, b](const Env& e) {
                const int wanted = c.value(e) != 0 ? a.value(e) : b.value(e);
                return target.value(e) == wanted ? 1 : 0;
              }};
    }
    case 4: return equals(target, a, "Is(" + target.text + ", " + a.text + ")");
    case 5:
      if (is_initial) return is(a);
      return equals(target, a, "Put(" + plain.text + ", " + a.text + ")");
    case 6:
      if (is_initial) return is(a);
      return equals(target, plain, "UNCHANGED " + plain.text);
    case 7: {
      const std::string name = fresh();
      return {"(\\E " + name + " \\in {" + a.text + ", " + b.text +
                  "} : " + target.text + " = " + name + ")",
              one_of.value};
    }
    case 8: {
      const std::string name = fresh();
      return equals(target, a,
                    "(LET " + name + " == " + a.text + " IN " + target.text +
                        " = " + name + ")");
    }
    case 9: {
      // A name for what is being given a value, read only afterwards.
      const std::string name = fresh();
      return {"(LET " + name + " == " + target.text + " IN " + one_of.text +
                  " /\\ " + name + " <= " + b.text + ")",
              [one_of, target, b](const Env& e) {
                return one_of.value(e) &
                       (target.value(e) <= b.value(e) ? 1 : 0);
              }};
    }
    case 10: {
      return {"OneOf(" + target.text + ", " + a.text + ", " + b.text + ")",
              one_of.value};
    }
    case 11: {
      Scope constant = scope;  // levels: no primes in what is instantiated
      constant.next = {};
      const Term c = number(constant, 2);
      return {"Sub(" + c.text + ")!" + (is_initial ? "Is(" : "To(") +
                  plain.text + ")",
              [target, c](const Env& e) {
                return target.value(e) == (c.value(e) + 1) % 3 ? 1 : 0;
              }};
    }
    default: return is(a);
  }
}

Gen::Term Gen::conjunction(Scope scope, bool is_initial) {
  std::vector<int> todo = {0, 1, 2};
  for (std::size_t i = 2; i > 0; --i) std::swap(todo[i], todo[pick(i + 1)]);
  std::vector<Term> parts;
  if (!is_initial && pick(2) == 0) parts.push_back(test(scope, 2));
  // A LET over everything, some of which has no value yet.
  std::string let;
  Term named;
  if (pick(2) == 0) {
    Scope all = scope;
    all.now = {true, true, true};
    if (!is_initial) all.next = {true, true, true};
    named = number(all, 2);
    let = fresh();
  }
  for (const int v : todo) {
    parts.push_back(assignment(v, scope, is_initial));
    (is_initial ? scope.now : scope.next)[static_cast<std::size_t>(v)] = true;
    if (pick(3) == 0) parts.push_back(test(scope, 2));
  }
  if (!let.empty()) {
    const Term last = number(scope, 1);
    const auto value = named.value;
    parts.push_back({let + " <= " + last.text, [value, last](const Env& e) {
                       return value(e) <= last.value(e) ? 1 : 0;
                     }});
  }
  Term all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) all = both(all, parts[i]);
  if (!let.empty())
    all.text = "(LET " + let + " == " + named.text + " IN " + all.text + ")";
  return all;
}

NaiveSpec Gen::make() {
  Scope initial;
  Term init = conjunction(initial, true);
  if (pick(3) == 0) init = either(init, conjunction(initial, true));
  Scope scope;
  scope.now = {true, true, true};
  const Term a1 = conjunction(scope, false);
  Scope with_parameter = scope;
  with_parameter.names.push_back(
      {"p", [](const Env& e) { return e.bound.at("p"); }});
  const Term a2 = conjunction(with_parameter, false);
  const Term inv = test(scope, 3);
  NaiveSpec spec;
  spec.module =
      "EXTENDS Naturals\nVARIABLES x, y, z\nvars == <<x, y, z>>\n"
      "---- MODULE Inner ----\nEXTENDS Naturals\nVARIABLE c\n"
      "Is(v) == v = (c + 1) % 3\nTo(v) == v' = (c + 1) % 3\n====\n"
      "Sub(c) == INSTANCE Inner\n"
      "Twice(a) == (2 * a) % 3\nIs(p, q) == p = q\nPut(p, q) == p' = q\n"
      "OneOf(p, q, r) == p \\in {q, r}\n"
      "Init == " +
      init.text + "\nA1 == " + a1.text + "\nB(p) == " + a2.text +
      "\nA2 == \\E p \\in 0..1 : B(p)\nNext == A1 \\/ A2\nInv == " + inv.text +
      "\n";
  const auto of_state = [](const Term& t) {
    return [t](const NaiveState& s) { return t.value(Env{s, s, {}}) != 0; };
  };
  spec.init = of_state(init);
  spec.inv = of_state(inv);
  const auto first = [a1](const NaiveState& s, const NaiveState& t) {
    return a1.value(Env{s, t, {}}) != 0;
  };
  const auto second = [a2](const NaiveState& s, const NaiveState& t) {
    for (int p = 0; p < 2; ++p)
      if (a2.value(Env{s, t, {{"p", p}}}) != 0) return true;
    return false;
  };
  spec.parts = {first, second};
  spec.next = [first, second](const NaiveState& s, const NaiveState& t) {
    return first(s, t) || second(s, t);
  };
  return spec;
}

}  // namespace txscope::test
