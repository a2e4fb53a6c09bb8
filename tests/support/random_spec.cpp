#include "support/random_spec.h"

#include <algorithm>

namespace txscope::test {

std::string RandomSpec::bound() {
  names_.push_back("n" + std::to_string(next_name_++));
  return names_.back();
}

std::string RandomSpec::number(int depth) {
  if (depth <= 0) {
    if (!names_.empty() && random_.chance(0.5)) return names_[pick(names_.size())];
    const char* leaves[] = {"0", "1", "2", "f[1]", "f[2]", "Len(q)", "r.a"};
    return leaves[pick(7)];
  }
  switch (pick(7)) {
    case 0:
      return "((" + number(depth - 1) + " + " + number(depth - 1) + ") % 3)";
    case 1: return "(Cardinality(" + set(depth - 1) + ") % 3)";
    case 2:
      return "(IF " + truth(depth - 1) + " THEN " + number(depth - 1) +
             " ELSE " + number(depth - 1) + ")";
    case 3: {
      const std::string all = "({0} \\cup " + set(depth - 1) + ")";
      return "(CHOOSE m \\in " + all + " : \\A k \\in " + all + " : k <= m)";
    }
    case 4: return function(depth - 1) + "[" + (random_.chance(0.5) ? "1" : "2") + "]";
    case 5: return record(depth - 1) + ".a";
    default: {
      const std::string value = number(depth - 1);
      const std::string name = bound();
      std::string text = "(LET " + name + " == " + value + " IN " +
                         number(depth - 1) + ")";
      end();
      return text;
    }
  }
}

std::string RandomSpec::set(int depth) {
  if (depth <= 0) {
    const char* leaves[] = {"s", "{}", "{1}", "(0..2)", "DOMAIN f", "DOMAIN q"};
    return leaves[pick(6)];
  }
  switch (pick(7)) {
    case 0: return "(" + set(depth - 1) + " \\cup " + set(depth - 1) + ")";
    case 1: return "(" + set(depth - 1) + " \\ " + set(depth - 1) + ")";
    case 2: return "(" + set(depth - 1) + " \\cap " + set(depth - 1) + ")";
    case 3: return "{" + number(depth - 1) + ", " + number(depth - 1) + "}";
    case 4: {
      const std::string over = set(depth - 1);
      const std::string name = bound();
      std::string text = "{" + name + " \\in " + over + " : " +
                         truth(depth - 1) + "}";
      end();
      return text;
    }
    case 5: {
      const std::string over = set(depth - 1);
      const std::string name = bound();
      std::string text = "{" + number(depth - 1) + " : " + name + " \\in " +
                         over + "}";
      end();
      return text;
    }
    default:
      return "UNION {" + set(depth - 1) + ", " + set(depth - 1) + "}";
  }
}

std::string RandomSpec::truth(int depth) {
  if (depth <= 0) {
    const char* leaves[] = {"r.b", "s = {}", "q = <<>>", "f[1] = f[2]", "TRUE"};
    return leaves[pick(5)];
  }
  switch (pick(9)) {
    case 0: return "(" + number(depth - 1) + " < " + number(depth - 1) + ")";
    case 1: return "(" + number(depth - 1) + " \\in " + set(depth - 1) + ")";
    case 2:
      return "(" + set(depth - 1) + " \\subseteq " + set(depth - 1) + ")";
    case 3: return "(" + set(depth - 1) + " = " + set(depth - 1) + ")";
    case 4: return "(~" + truth(depth - 1) + ")";
    case 5: return "(" + truth(depth - 1) + " \\/ " + truth(depth - 1) + ")";
    case 6: return "(" + sequence(depth - 1) + " = " + sequence(depth - 1) + ")";
    case 7: return "(" + function(depth - 1) + " \\in [1..2 -> " + set(depth - 1) + "])";
    default: {
      const std::string over = set(depth - 1);
      const std::string name = bound();
      std::string text = std::string(random_.chance(0.5) ? "(\\A " : "(\\E ") +
                         name + " \\in " + over + " : " + truth(depth - 1) + ")";
      end();
      return text;
    }
  }
}

std::string RandomSpec::function(int depth) {
  if (depth <= 0 || random_.chance(0.3)) return "f";
  if (random_.chance(0.5))
    return "[f EXCEPT ![" + std::string(random_.chance(0.5) ? "1" : "2") +
           "] = " + (random_.chance(0.3) ? "(@ + 1) % 3" : number(depth - 1)) +
           "]";
  const std::string name = bound();
  std::string text = "[" + name + " \\in 1..2 |-> " + number(depth - 1) + "]";
  end();
  return text;
}

std::string RandomSpec::sequence(int depth) {
  if (depth <= 0) return random_.chance(0.7) ? "q" : "<<>>";
  switch (pick(4)) {
    case 0:
      return "(IF Len(q) < 2 THEN Append(q, " + number(depth - 1) +
             ") ELSE Tail(q))";
    case 1: return "<<" + number(depth - 1) + ">>";
    case 2: {
      const std::string name = bound();
      std::string text = "SelectSeq(q, LAMBDA " + name + " : " +
                         truth(depth - 1) + ")";
      end();
      return text;
    }
    default: return "q";
  }
}

std::string RandomSpec::record(int depth) {
  if (depth <= 0 || random_.chance(0.3)) return "r";
  if (random_.chance(0.5)) return "[r EXCEPT !.a = " + number(depth - 1) + "]";
  return "[a |-> " + number(depth - 1) + ", b |-> " + truth(depth - 1) + "]";
}

/// Each variable once, in any order; some by choice from a set.
std::string RandomSpec::assignments() {
  std::vector<std::string> parts;
  const auto changes = [&] { return random_.chance(0.4); };
  if (!changes()) parts.push_back("UNCHANGED s");
  else if (random_.chance(0.3)) parts.push_back("s' \\in SUBSET " + set(1));
  else parts.push_back("s' = " + set(2));
  if (!changes()) parts.push_back("UNCHANGED f");
  else if (random_.chance(0.2)) parts.push_back("f' \\in [1..2 -> {0, " + number(1) + "}]");
  else parts.push_back("f' = " + function(2));
  parts.push_back(changes() ? "q' = " + sequence(2) : "q' = q");
  parts.push_back(changes() ? "r' = " + record(2) : "UNCHANGED <<r>>");
  for (std::size_t i = parts.size(); i > 1; --i)
    std::swap(parts[i - 1], parts[pick(i)]);
  std::string text;
  for (const std::string& part : parts) text += "\n  /\\ " + part;
  return text;
}

std::string RandomSpec::action(const std::string& name) {
  const std::string parameter = bound();
  std::string guard = truth(2);
  if (random_.chance(0.3))
    guard = "(" + guard + " \\/ " + truth(1) + ")";
  std::string text = name + "(" + parameter + ") ==\n  /\\ " + guard +
                     assignments() + "\n";
  end();
  return text;
}

std::string RandomSpec::make() {
  names_.clear();
  next_name_ = 0;
  std::string text =
      "EXTENDS Naturals, Sequences, FiniteSets\nVARIABLES s, f, q, r\n"
      "vars == <<s, f, q, r>>\n"
      "Init == s \\in {{}, {1}} /\\ f = [i \\in 1..2 |-> 0] /\\ q = <<>>\n"
      "  /\\ r \\in [a : {0}, b : BOOLEAN]\n";
  text += action("A1") + action("A2");
  const std::string over = set(1);
  text += "Next == (\\E k \\in " + over + " : A1(k)) \\/ A2(" + number(1) +
          ")\nSpec == Init /\\ [][Next]_vars\n";
  text += "Inv == " + truth(3) + " \\/ " + truth(2) + "\n";
  return text;
}

}  // namespace txscope::test
