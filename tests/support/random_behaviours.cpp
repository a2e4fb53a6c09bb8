#include "support/random_behaviours.h"

#include <utility>

namespace txscope::test {
namespace {

/// x and y are 0, 1 or 2; f gives each of the processes 1 and 2 a 0 or a 1.
const char* const kBefore =
    R"tla(EXTENDS Naturals, FiniteSets
VARIABLES x, y, f
vars == <<x, y, f>>
P == 1..2
Sum == (x + y + f[1]) % 3
Count == Cardinality({n \in 0..1 : n < x \/ n < y})
Below == Cardinality({n \in 0..1 : n < x})
Twice(n) == (n + n) % 3
Table[n \in 0..2] == IF n = 0 THEN x ELSE (Table[n - 1] + y) % 3
Free(n) == n # x
Pick(S(_)) == {n \in 0..2 : S(n)}
Put(v, n) == v' = n
Keep(v) == UNCHANGED v
Held(v, n) == v = n
Under(v, n) == v <= n
)tla";

}  // namespace

/// The text with a new name in place of each $.
std::string RandomBehaviours::binding(const std::string& text) {
  const std::string name = fresh();
  std::string result;
  for (const char c : text) result += c == '$' ? name : std::string(1, c);
  return result;
}

std::string RandomBehaviours::number(int depth) {
  if (depth <= 0) {
    if (!names_.empty() && chance(0.4))
      return names_[random_.below(names_.size())];
    return one_of({"0", "1", "2", "x", "x", "y", "y", "f[1]", "f[2]", "Sum", "Count"});
  }
  const std::string a = number(depth - 1);
  const std::string b = number(depth - 1);
  switch (random_.below(9)) {
    case 0: return "Twice(" + a + ")";
    case 1: return "Table[" + a + "]";
    case 2: return binding("(CHOOSE $ \\in 0..2 : $ = " + a + ")");
    case 3:
      return binding("((Cardinality({$ \\in P : f[$] = " + a + "}) + " + b +
                     ") % 3)");
    case 4: return "(IF " + truth(depth - 1) + " THEN " + a + " ELSE " + b + ")";
    case 5: {
      const std::string name = fresh();
      names_.push_back(name);
      std::string text = "(LET " + name + " == " + a + " IN " +
                         number(depth - 1) + ")";
      names_.pop_back();
      return text;
    }
    case 6:
      return binding("(LET F$[$ \\in 0..2] == ($ + " + a + ") % 3 IN F$[" + b +
                     "])");
    case 7: return binding("[$ \\in 0..2 |-> ($ + " + a + ") % 3][" + b + "]");
    default: return "((" + a + " + " + b + ") % 3)";
  }
}

std::string RandomBehaviours::truth(int depth) {
  const std::string a = number(depth - 1);
  const std::string b = number(depth <= 1 ? 0 : 1);
  switch (random_.below(depth <= 0 ? 3 : 10)) {
    case 0: return "(" + a + " = " + b + ")";
    case 1: return "(" + a + " < " + b + ")";
    case 2: return "Under(" + a + ", " + b + ")";
    case 3: return "(" + truth(depth - 1) + " \\/ " + truth(depth - 1) + ")";
    case 4: return "(" + truth(depth - 1) + " => " + truth(depth - 1) + ")";
    case 5: return "(~" + truth(depth - 1) + ")";
    case 6: return binding("(\\E $ \\in P : f[$] = " + a + ")");
    case 7: return binding("(\\A $ \\in P : f[$] # " + a + " \\/ $ = 1)");
    case 8:
      if (chance(0.5)) return "(" + a + " \\in Pick(Free))";
      return binding("(" + a + " \\in Pick(LAMBDA $ : $ # " + b + "))");
    default:
      if (may_ask_enabled_) return "(ENABLED " + some_action() + ")";
      return "(" + a + " # " + b + ")";
  }
}

/// Gives a variable that is a number its next value.
std::string RandomBehaviours::assignment(const std::string& v) {
  const std::string a = number(2);
  const std::string b = number(1);
  switch (random_.below(12)) {
    case 0: return v + "' \\in {" + a + ", " + b + "}";
    case 1: return "(" + v + "' = " + a + " \\/ " + v + "' = " + b + ")";
    case 2: return "Put(" + v + ", " + a + ")";
    case 3: return "Held(" + v + "', " + a + ")";
    case 4: {
      const std::string name = fresh();
      return "(LET " + name + " == " + v + "' IN " + v + "' \\in {" + a +
             ", " + b + "} /\\ " + name + " <= " + number(1) + ")";
    }
    case 5: return binding("(\\E $ \\in {" + a + ", " + b + "} : " + v + "' = $)");
    case 6:
      return "(IF " + truth(1) + " THEN " + v + "' = " + a + " ELSE " + v +
             "' = " + b + ")";
    case 7: {
      const std::string guard = truth(1);
      return "((" + guard + " => " + v + "' = " + a + ") /\\ (~" + guard +
             " => " + v + "' = " + b + "))";
    }
    case 8: return "[" + v + "' = " + a + "]_" + v;
    case 9:
      if (v == "y") return "y' = Below'";  // if x' has its value by then
      return "UNCHANGED " + v;
    case 10: return "Keep(" + v + ")";
    default: return v + "' = " + a;
  }
}

std::string RandomBehaviours::function_assignment() {
  const std::string n = number(1);
  return binding(one_of({"f' = [f EXCEPT ![1] = (@ + " + n + ") % 2]",
                 "f' = [f EXCEPT ![2] = 1 - @, ![1] = " + n + " % 2]",
                 "f' \\in {f, [$ \\in P |-> " + n + " % 2]}",
                 "f' = [$ \\in P |-> IF $ = 1 THEN f[2] ELSE f[1]]",
                 "UNCHANGED f", "UNCHANGED f"}));
}

/// What a step has to satisfy once all variables have their next values.
std::string RandomBehaviours::after(int depth) {
  const std::string now = truth(depth);
  const std::string next = truth(depth);
  return binding(one_of({"(" + next + ")'", "(" + now + " => (" + next + ")')",
                 "(" + number(1) + ")' # " + number(1), "Under(x', Sum')",
                 "Count' # Count", "Held(Count', " + number(1) + ")",
                 "(x' = 0 \\/ y' = 0 \\/ " + now + ")",
                 "(\\E $ \\in 0..1 : f'[1] = $ \\/ x' = $)",
                 "~UNCHANGED <<x, y>>"}));
}

std::string RandomBehaviours::action(bool has_parameter) {
  if (has_parameter) names_.push_back("q");
  std::vector<std::string> parts;
  for (const char* v : {"x", "y"})
    parts.push_back(chance(0.45) ? "UNCHANGED " + std::string(v)
                                 : assignment(v));
  parts.push_back(function_assignment());
  for (std::size_t i = parts.size(); i > 1; --i)
    std::swap(parts[i - 1], parts[random_.below(i)]);
  parts.insert(parts.begin(), truth(2));
  if (chance(0.3)) parts.push_back(after(1));
  std::string text;
  for (const std::string& part : parts) text += "\n  /\\ " + part;
  if (has_parameter) names_.pop_back();
  if (!chance(0.3)) return text;
  const std::string name = fresh();
  return "\n  LET " + name + " == (x' + Sum) % 3 IN" + text + "\n  /\\ " +
         name + " # " + number(0);
}

std::string RandomBehaviours::some_action() {
  return binding(one_of({"A(1)", "A(2)", "B", "Next", "Next", "(\\E $ \\in P : A($))",
                 "(B /\\ x = 0)", "(A(1) \\/ B)", "<<B>>_x", "<<A(2)>>_vars"}));
}

std::string RandomBehaviours::subscript() {
  return one_of({"vars", "vars", "vars", "x", "<<x, y>>", "f", "Sum"});
}

std::string RandomBehaviours::fairness() {
  const std::string kind = one_of({"WF_", "SF_"});
  const std::string v = subscript();
  switch (random_.below(4)) {
    case 0: return binding("(\\A $ \\in P : " + kind + v + "(A($)))");
    case 1: return kind + v + "(A(1)) /\\ " + kind + "vars(B)";
    default: return kind + v + "(" + some_action() + ")";
  }
}

std::string RandomBehaviours::initially() {
  return one_of(
      {"x = 0 /\\ y \\in 0..1 /\\ f = [q \\in P |-> 0]",
       "x \\in 0..1 /\\ (LET z == (x + 1) % 3 IN y = z) /\\ f \\in [P -> {0}]",
       "(LET z == (x + 1) % 3 IN x \\in 0..2 /\\ y = z) /\\ "
       "f = [q \\in P |-> q - 1]",
       "x \\in 0..2 /\\ y = Below /\\ f = [q \\in P |-> Count % 2]",
       "(x = 0 \\/ x = 1) /\\ Held(y, x) /\\ f = [q \\in P |-> x % 2]",
       "f \\in [P -> 0..1] /\\ (IF f[1] = 0 THEN x = 0 ELSE x = 1) /\\ y = 0 "
       "/\\ (f[2] = 0 \\/ x = 0)"});
}

std::string RandomBehaviours::temporal(int depth) {
  if (depth <= 0) return truth(1);
  const std::string p = temporal(depth - 1);
  const std::string q = temporal(depth - 1);
  const std::string s = truth(1);
  switch (random_.below(15)) {
    case 0: return "[](" + p + ")";
    case 1: return "<>(" + p + ")";
    case 2: return "[]<>(" + p + ")";
    case 3: return "<>[](" + p + ")";
    case 4: return "((" + p + ") ~> (" + q + "))";
    case 5: return "((" + p + ") => (" + q + "))";
    case 6: return "((" + p + ") /\\ (" + q + "))";
    case 7: return "((" + p + ") \\/ (" + q + "))";
    case 8: return "(~(" + p + "))";
    case 9: return binding("(\\A $ \\in P : (f[$] = 1) => (" + p + "))");
    case 10: return binding("(\\E $ \\in 0..1 : <>[](x = $ \\/ " + s + "))");
    case 11: {
      const std::string name = fresh();
      return "(LET " + name + " == " + s + " IN (" + p + ") \\/ []<>" + name +
             ")";
    }
    case 12: return "(IF " + s + " THEN " + p + " ELSE " + q + ")";
    case 13: return "((" + p + ") <=> (" + q + "))";
    default: return "[]((" + s + ") => <>(" + p + "))";
  }
}

std::string RandomBehaviours::property() {
  const std::string t = temporal(1 + static_cast<int>(random_.below(2)));
  const std::string step = some_action();
  const std::string v = subscript();
  switch (random_.below(12)) {
    case 0: return "[]<><<" + step + ">>_" + v + " \\/ " + t;
    case 1: return "<>[][" + step + "]_" + v;
    case 2: return "(" + fairness() + ") => (" + t + ")";
    case 3: return "[][" + after(1) + "]_" + v;
    case 4: return fairness();
    case 5: return "R!Spec";
    case 6: return "R!Live";
    case 7: return "\\A q \\in P : Q(q)!Live";
    case 8: return "Q(1)!Spec";
    default: return t;
  }
}

RandomBehaviours::Model RandomBehaviours::make() {
  names_.clear();
  next_name_ = 0;
  Model model;
  may_ask_enabled_ = false;
  const std::string a = action(true);
  const std::string b = action(false);
  model.module = kBefore;
  model.module +=
      "---- MODULE Abstract ----\nEXTENDS Naturals\nVARIABLES u, w\n"
      "Up == u' = (u + 1) % 3 /\\ " +
      one_of({"UNCHANGED w", "w' \\in 0..1", "w' = 1 - w"}) +
      "\nFlip == w' = 1 - w /\\ " + one_of({"u' \\in 0..2", "UNCHANGED u"}) +
      "\nNext == Up \\/ Flip" + one_of({"", " \\/ (u' = 0 /\\ w' = 0)"}) +
      "\nSpec == " + one_of({"u \\in 0..2", "w = 0"}) +
      " /\\ [][Next]_<<u, w>>" +
      one_of({"", " /\\ WF_<<u, w>>(Up)", " /\\ SF_w(Flip)"}) + "\nLive == " +
      one_of({"WF_<<u, w>>(Up)", "[]<>(u = 0)", "(u = 1) ~> (w = 1)",
              "SF_<<u, w>>(Flip) => <>[](w = 0)", "[]<><<Up>>_u"}) +
      "\n====\n";
  model.module += "A(q) ==" + a + "\nB ==" + b +
                  "\nNext == (\\E q \\in P : A(q)) \\/ B\n";
  may_ask_enabled_ = true;
  model.module += "R == INSTANCE Abstract WITH u <- " +
                  one_of({"x", "y", "Sum", number(1)}) + ", w <- " +
                  one_of({"f[1]", "f[2]", "x % 2"}) +
                  "\nQ(k) == INSTANCE Abstract WITH u <- (x + k) % 3, "
                  "w <- f[k]\nInit == " +
                  initially() + "\nSpec == Init /\\ [][Next]_vars";
  if (chance(0.8)) model.module += " /\\ " + fairness();
  if (chance(0.3)) model.module += " /\\ " + fairness();
  model.module += "\nInv == " + truth(3) + "\nSmall == " + truth(2) +
                  " \\/ x < 2\nStep == " + after(1) + " \\/ x' = x\nProp == " +
                  property() + "\n";
  model.config = "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n";
  if (chance(0.85)) model.config += "PROPERTY Prop\n";
  else model.config += "INVARIANT Inv\n";
  if (chance(0.2)) model.config += "CONSTRAINT Small\n";
  if (chance(0.1)) model.config += "ACTION_CONSTRAINT Step\n";
  if (chance(0.1)) model.config += "VIEW vars\n";
  return model;
}

}  // namespace txscope::test
