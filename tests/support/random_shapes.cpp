#include "support/random_shapes.h"

namespace txscope::test {
namespace {

/// g: for each process a number and a set; t: of two arguments; w: a string;
/// b: a bag; h: nothing reads it.
const char* const kDefinitions =
    R"tla(EXTENDS Naturals, Sequences, FiniteSets, Bags, TLC
CONSTANTS P
VARIABLES g, t, w, b, h
vars == <<g, t, w, b, h>>
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0
          ELSE LET e == CHOOSE e \in S : \A k \in S : e <= k
               IN  e + Sum(S \ {e})
RECURSIVE Even(_), Odd(_)
Even(n) == n = 0 \/ Odd(n - 1)
Odd(n) == n # 0 /\ Even(n - 1)
Use(F(_, _), x, y) == F(x, y)
Twice(F(_), x) == F(F(x))
Plus(x, y) == (x + y) % 3
Some(x) == \E i \in 0..2 : some(i) :: /\ TRUE
                                      /\ sum :: (i + x) % 3 > 1
Fact[n \in 0..3] == IF n = 0 THEN 1 ELSE n * Fact[n - 1]
---- MODULE Inner ----
EXTENDS Naturals
CONSTANTS c, d
VARIABLES v
Both(e) == (c + 2 * d + e) % 3
Get[n \in 0..2] == (c + d + n) % 3
Set(e) == v' = [v EXCEPT ![0, 1] = (@ + c + d + e) % 3]
Is == v[0, 1] = (c + d) % 3
====
---- MODULE Outer ----
EXTENDS Naturals
CONSTANTS c
VARIABLES v
Of(d) == INSTANCE Inner
Three == (c + 1) % 3
====
M(c) == INSTANCE Outer WITH v <- t
V(c, d, v) == INSTANCE Inner
)tla";

}  // namespace

std::string RandomShapes::number(int depth) {
  if (depth <= 0) {
    if (!names_.empty() && chance(0.5))
      return names_[random_.below(names_.size())];
    return one_of({"0", "1", "2", "t[0, 1]", "t[<<1, 0>>]", "g[p].a",
                   "Cardinality(g[p].b)", "Sum(g[p].b)",
                   "(BagCardinality(b) % 3)", "CopiesIn(1, b)", "Len(w)"});
  }
  const auto n = [&] { return number(depth - 1); };
  const auto with_name = [&](const std::string& before,
                             const std::string& after) {
    const std::string name = "n" + std::to_string(next_name_++);
    const std::string over = n();
    names_.push_back(name);
    std::string text = before + name + after + n() + ", " + over + ")";
    names_.pop_back();
    return text;
  };
  switch (random_.below(10)) {
    case 0: return "Use(Plus, " + n() + ", " + n() + ")";
    case 1: return with_name("Twice(LAMBDA ", " : ");
    case 2:
      return "M(" + constant() + ")!Of(" + constant() + ")!Both(" + n() + ")";
    case 3:
      return "M(" + constant() + ")!Of(" + constant() + ")!Get[" + n() +
             " % 3]";
    case 4:
      return "(CASE " + truth(depth - 1) + " -> " + n() + " [] OTHER -> " +
             n() + ")";
    case 5: return "Fact[" + n() + " % 3]";
    case 6: return "M(" + constant() + ")!Three";
    case 7: return "([t EXCEPT ![0, 0] = @ + " + n() + "][0, 0] % 3)";
    case 8: {
      const std::string name = "n" + std::to_string(next_name_++);
      const std::string argument = n();
      names_.push_back(name);
      std::string text =
          "(LET F(" + name + ") == " + n() + " IN F(" + argument + "))";
      names_.pop_back();
      return text;
    }
    default: return "((" + n() + " + " + n() + ") % 3)";
  }
}

std::string RandomShapes::truth(int depth) {
  if (depth <= 0)
    return one_of({"w = \"a\"", "g[p].b = {}", "t[1, 1] = 0", "b = EmptyBag",
                   "BagIn(2, b)", "TRUE", "1 \\in g[p].b", "Even(g[p].a)"});
  const auto n = [&] { return number(depth - 1); };
  const auto p = [&] { return truth(depth - 1); };
  switch (random_.below(9)) {
    case 0: return "(" + n() + " < " + n() + ")";
    case 1: return "Some(" + n() + ")";
    case 2: return "Some(" + n() + ")!some(" + n() + ")";
    case 3: return "Some(" + n() + ")!some(" + n() + ")!sum";
    case 4: return "(" + p() + " => " + p() + ")";
    case 5: return "(~" + p() + " \\/ " + p() + ")";
    case 6: return "M(" + constant() + ")!Of(" + constant() + ")!Is";
    case 7: return "(\\E o \\in P \\ {p} : g[o].a = " + n() + ")";
    default: return "Odd(" + n() + " % 3)";
  }
}

/// What a variable becomes.
std::string RandomShapes::change(char variable) {
  const auto n = [&] { return number(1); };
  switch (variable) {
    case 'g':
      return one_of(
          {"g' = [g EXCEPT ![p].a = (@ + " + n() + ") % 3]",
           "g' = [g EXCEPT ![p] = [@ EXCEPT !.b = @ \\cup {" + n() + " % 2}]]",
           "g' = [g EXCEPT ![p].b = @ \\ {" + n() + " % 2}, ![p].a = " + n() +
               " % 3]",
           "g' \\in {[g EXCEPT ![p].a = i % 3] : i \\in {" + n() + ", " + n() +
               "}}"});
    case 't':
      return one_of(
          {"t' = [t EXCEPT ![0, 1] = (@ + " + n() + ") % 3, ![1, 1] = @]",
           "t' = [i, j \\in 0..1 |-> (t[j, i] + " + n() + ") % 3]",
           "M(" + constant() + ")!Of(" + constant() + ")!Set(" + n() + ")",
           "V(" + constant() + ", " + constant() + ", t)!Set(" + n() + ")",
           "t' = [<<i, j>> \\in (0..1) \\X (0..1) |-> IF i = j THEN t[i, j] "
           "ELSE " +
               n() + " % 3]"});
    case 'w':
      return one_of({"w' = IF " + truth(1) + " THEN \"b\" ELSE \"a\"",
                     "w' \\in {\"a\", \"c\", w}",
                     "w' = SubSeq(w \\o \"ab\", 2, 2)"});
    case 'b':
      return "b' = IF BagCardinality(b) < 2 THEN b (+) SetToBag({" + n() +
             " % 3}) ELSE b (-) SetToBag({" + n() + " % 3})";
    default: return "h' = (h + 1) % 3";
  }
}

std::string RandomShapes::action(const std::string& name) {
  std::string text = name + "(p) ==\n  /\\ " + truth(2);
  if (chance(0.3)) text += "\n  /\\ \\/ " + truth(1) + "\n     \\/ " + truth(1);
  for (const char variable : std::string("gtwb")) {
    const std::string same = std::string("UNCHANGED ") + variable;
    if (live_.find(variable) == std::string::npos) {
      text += "\n  /\\ " + same;
      continue;
    }
    switch (random_.below(4)) {
      case 0:
        text += "\n  /\\ CASE " + truth(1) + " -> " + change(variable) +
                " [] OTHER -> " + same;
        break;
      case 1:
        text += "\n  /\\ IF " + truth(1) + " THEN " + change(variable) +
                " ELSE " + change(variable);
        break;
      default: text += "\n  /\\ " + (chance(0.3) ? same : change(variable));
    }
  }
  return text + "\n  /\\ " +
         (live_.find('h') == std::string::npos ? "UNCHANGED h" : change('h')) +
         "\n";
}

RandomShapes::Model RandomShapes::make() {
  names_.clear();
  next_name_ = 0;
  live_ = one_of({"gt", "gw", "gb", "tw", "tb", "wb", "g", "t"});
  const bool has_view = chance(0.3);
  if (has_view) live_ += "h";
  const bool has_symmetry = chance(0.4);
  Model model;
  model.module =
      kDefinitions + action("A") + action("B") +
      "Init == g = [p \\in P |-> [a |-> 0, b |-> {}]] /\\ w = \"a\"\n"
      "  /\\ t \\in {[i, j \\in 0..1 |-> k] : k \\in 0..1} /\\ b = EmptyBag "
      "/\\ "
      "h = 0\n"
      "Next == \\E p \\in P : A(p) \\/ B(p)\n"
      "Spec == Init /\\ [][Next]_vars /\\ \\A p \\in P : " +
      one_of({"WF", "SF"}) + "_vars(A(p))\n" +
      "Inv == \\A p \\in P : " + truth(2) +
      "\nSmall == \\A p \\in P : g[p].a < 2 \\/ " + truth(1) +
      "\nStep == w' = w \\/ \\E p \\in P : " + truth(1) +
      "\nSeen == <<g, t, w, b>>\nAll == Permutations(P)\n"
      "Prop == \\A p \\in P : (" +
      truth(1) + ") " + one_of({"~> (", "=> []<>(", "=> <>[]("}) + truth(1) +
      ")\n";
  model.config =
      "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nCONSTANT P = {p1, p2}\n";
  if (has_view) model.config += "VIEW Seen\n";
  if (has_symmetry) model.config += "SYMMETRY All\n";
  if (chance(0.3)) model.config += "CONSTRAINT Small\n";
  if (chance(0.3)) model.config += "ACTION_CONSTRAINT Step\n";
  // What TLC says of liveness under symmetry or a view is not always right.
  const bool has_property = !has_view && !has_symmetry && chance(0.6);
  if (has_property) model.config += "PROPERTY Prop\n";
  if (!has_property && chance(0.4)) model.config += "INVARIANT Inv\n";
  return model;
}

}  // namespace txscope::test
