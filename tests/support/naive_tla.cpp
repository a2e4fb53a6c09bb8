#include "support/naive_tla.h"

#include <algorithm>

namespace txscope::test {
namespace {

using Kind = NaiveValue::Kind;

NaiveValue of_int(std::int64_t n) {
  NaiveValue v;
  v.number = n;
  return v;
}

NaiveValue of_bool(bool b) {
  NaiveValue v;
  v.kind = Kind::Bool;
  v.number = b ? 1 : 0;
  return v;
}

NaiveValue of_set(std::vector<NaiveValue> elements) {
  NaiveValue v;
  v.kind = Kind::Set;
  for (NaiveValue& e : elements) {
    const bool known =
        std::any_of(v.elements.begin(), v.elements.end(),
                    [&](const NaiveValue& x) { return same(x, e); });
    if (!known) v.elements.push_back(std::move(e));
  }
  std::sort(v.elements.begin(), v.elements.end(), less);
  return v;
}

NaiveValue of_points(std::vector<std::pair<NaiveValue, NaiveValue>> points) {
  NaiveValue v;
  v.kind = Kind::Function;
  v.points = std::move(points);
  std::sort(v.points.begin(), v.points.end(), [](const auto& a, const auto& b) {
    return less(a.first, b.first);
  });
  return v;
}

bool is_sequence(const NaiveValue& f) {
  for (std::size_t i = 0; i < f.points.size(); ++i)
    if (f.points[i].first.number != static_cast<std::int64_t>(i) + 1)
      return false;
  return true;
}

bool contains(const NaiveValue& set, const NaiveValue& v) {
  return std::any_of(set.elements.begin(), set.elements.end(),
                     [&](const NaiveValue& x) { return same(x, v); });
}

const NaiveValue* at(const NaiveValue& f, const NaiveValue& key) {
  for (const auto& [k, v] : f.points)
    if (same(k, key)) return &v;
  return nullptr;
}

NaiveValue domain(const NaiveValue& f) {
  std::vector<NaiveValue> keys;
  for (const auto& point : f.points) keys.push_back(point.first);
  return of_set(std::move(keys));
}

NaiveValue filtered(const NaiveValue& set,
                    const std::function<bool(const NaiveValue&)>& keep) {
  std::vector<NaiveValue> kept;
  for (const NaiveValue& v : set.elements)
    if (keep(v)) kept.push_back(v);
  return of_set(std::move(kept));
}

NaiveScope with(const NaiveScope& scope, const std::string& name,
                const NaiveValue& v) {
  NaiveScope inner = scope;
  inner[name] = v;
  return inner;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && a < 0 ? q - 1 : q;
}

}  // namespace

bool less(const NaiveValue& a, const NaiveValue& b) {
  // Only like is compared with like; sets by size first, as they are printed.
  if (a.kind == Kind::Set) {
    if (a.elements.size() != b.elements.size())
      return a.elements.size() < b.elements.size();
    return std::lexicographical_compare(a.elements.begin(), a.elements.end(),
                                        b.elements.begin(), b.elements.end(),
                                        less);
  }
  return a.number < b.number;
}

bool same(const NaiveValue& a, const NaiveValue& b) {
  return a.text() == b.text();
}

std::string NaiveValue::text() const {
  std::string out;
  switch (kind) {
    case Kind::Int: return std::to_string(number);
    case Kind::Bool: return number != 0 ? "TRUE" : "FALSE";
    case Kind::Set:
      for (const NaiveValue& e : elements)
        out += (out.empty() ? "" : ", ") + e.text();
      return "{" + out + "}";
    case Kind::Function: break;
  }
  const bool sequence = is_sequence(*this);
  for (const auto& [key, value] : points) {
    if (!out.empty()) out += sequence ? ", " : " @@ ";
    if (!sequence) out += key.text() + " :> ";
    out += value.text();
  }
  return sequence ? "<<" + out + ">>" : "(" + out + ")";
}

std::string NaiveGenerator::bind() {
  bound_.push_back("v" + std::to_string(names_++));
  return bound_.back();
}

NaiveTerm NaiveGenerator::any(int depth) {
  switch (random_.below(4)) {
    case 0: return boolean(depth);
    case 1: return integer(depth);
    case 2: return set(depth);
    default: return function(depth);
  }
}

NaiveTerm NaiveGenerator::integer(int depth) {
  if (!bound_.empty() && random_.chance(0.3)) {
    const std::string name = bound_[random_.below(bound_.size())];
    return {name, [name](const NaiveScope& s) { return s.at(name); }};
  }
  if (depth == 0) {
    const std::int64_t n = random_.between(-2, 4);
    return {"(" + std::to_string(n) + ")",
            [n](const NaiveScope&) { return of_int(n); }};
  }
  switch (random_.below(7)) {
    case 0: {
      const NaiveTerm a = integer(depth - 1);
      const NaiveTerm b = integer(depth - 1);
      return {"(" + a.text + " + " + b.text + ")", [=](const NaiveScope& s) {
                return of_int(a.value(s).number + b.value(s).number);
              }};
    }
    case 1: {
      const NaiveTerm a = integer(depth - 1);
      const NaiveTerm b = integer(depth - 1);
      return {"(" + a.text + " - " + b.text + ")", [=](const NaiveScope& s) {
                return of_int(a.value(s).number - b.value(s).number);
              }};
    }
    case 2: {
      const NaiveTerm a = integer(depth - 1);
      const std::int64_t n = random_.between(1, 3);
      const bool is_rest = random_.chance(0.5);
      return {"(" + a.text + (is_rest ? " % " : " \\div ") + std::to_string(n) +
                  ")",
              [=](const NaiveScope& s) {
                const std::int64_t x = a.value(s).number;
                const std::int64_t q = floor_divide(x, n);
                return of_int(is_rest ? x - n * q : q);
              }};
    }
    case 3: {
      const NaiveTerm c = boolean(depth - 1);
      const NaiveTerm a = integer(depth - 1);
      const NaiveTerm b = integer(depth - 1);
      return {"(IF " + c.text + " THEN " + a.text + " ELSE " + b.text + ")",
              [=](const NaiveScope& s) {
                return c.value(s).number != 0 ? a.value(s) : b.value(s);
              }};
    }
    case 4: {
      const NaiveTerm x = set(depth - 1);
      return {"Cardinality(" + x.text + ")", [=](const NaiveScope& s) {
                return of_int(
                    static_cast<std::int64_t>(x.value(s).elements.size()));
              }};
    }
    case 5: {
      const NaiveTerm f = function(depth - 1);
      const NaiveTerm x = integer(depth - 1);
      return {"(IF " + x.text + " \\in DOMAIN " + f.text + " THEN " + f.text +
                  "[" + x.text + "] ELSE 0)",
              [=](const NaiveScope& s) {
                const NaiveValue g = f.value(s);
                const NaiveValue* found = at(g, x.value(s));
                return found == nullptr ? of_int(0) : *found;
              }};
    }
    default: {
      const NaiveTerm definition = integer(depth - 1);
      const std::string name = bind();
      const NaiveTerm body = integer(depth - 1);
      unbind();
      return {
          "(LET " + name + " == " + definition.text + " IN " + body.text + ")",
          [=](const NaiveScope& s) {
            return body.value(with(s, name, definition.value(s)));
          }};
    }
  }
}

NaiveTerm NaiveGenerator::boolean(int depth) {
  if (depth == 0) {
    const bool b = random_.chance(0.5);
    return {b ? "TRUE" : "FALSE",
            [b](const NaiveScope&) { return of_bool(b); }};
  }
  const auto both = [&](const std::string& op, const NaiveTerm& a,
                        const NaiveTerm& b, auto decide) {
    return NaiveTerm{"(" + a.text + " " + op + " " + b.text + ")",
                     [=](const NaiveScope& s) {
                       return of_bool(decide(a.value(s), b.value(s)));
                     }};
  };
  using V = NaiveValue;
  switch (random_.below(11)) {
    case 0:
      return both("<", integer(depth - 1), integer(depth - 1),
                  [](const V& a, const V& b) { return a.number < b.number; });
    case 1: return both("=", integer(depth - 1), integer(depth - 1), same);
    case 2: return both("=", set(depth - 1), set(depth - 1), same);
    case 3: return both("=", function(depth - 1), function(depth - 1), same);
    case 4:
      return both("\\in", integer(depth - 1), set(depth - 1),
                  [](const V& a, const V& b) { return contains(b, a); });
    case 5:
      return both("\\subseteq", set(depth - 1), set(depth - 1),
                  [](const V& a, const V& b) {
                    return filtered(a, [&](const V& x) {
                             return contains(b, x);
                           }).elements.size() == a.elements.size();
                  });
    case 6:
      return both("=>", boolean(depth - 1), boolean(depth - 1),
                  [](const V& a, const V& b) {
                    return a.number == 0 || b.number != 0;
                  });
    case 7: return both("<=>", boolean(depth - 1), boolean(depth - 1), same);
    case 8: {
      const NaiveTerm a = boolean(depth - 1);
      return {"(~" + a.text + ")", [=](const NaiveScope& s) {
                return of_bool(a.value(s).number == 0);
              }};
    }
    case 9: {
      const bool is_and = random_.chance(0.5);
      return both(is_and ? "/\\" : "\\/", boolean(depth - 1),
                  boolean(depth - 1), [=](const V& a, const V& b) {
                    return is_and ? a.number != 0 && b.number != 0
                                  : a.number != 0 || b.number != 0;
                  });
    }
    default: {
      const bool is_all = random_.chance(0.5);
      const NaiveTerm x = set(depth - 1);
      const std::string name = bind();
      const NaiveTerm body = boolean(depth - 1);
      unbind();
      return {"(" + std::string(is_all ? "\\A " : "\\E ") + name + " \\in " +
                  x.text + " : " + body.text + ")",
              [=](const NaiveScope& s) {
                const NaiveValue all = x.value(s);
                const NaiveValue yes = filtered(all, [&](const V& v) {
                  return body.value(with(s, name, v)).number != 0;
                });
                return of_bool(is_all
                                   ? yes.elements.size() == all.elements.size()
                                   : !yes.elements.empty());
              }};
    }
  }
}

NaiveTerm NaiveGenerator::set(int depth) {
  using V = NaiveValue;
  if (depth == 0) {
    std::vector<std::int64_t> numbers;
    std::string text;
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      numbers.push_back(random_.between(-1, 3));
      text += (text.empty() ? "" : ", ") + std::to_string(numbers.back());
    }
    return {"{" + text + "}", [=](const NaiveScope&) {
              std::vector<V> elements;
              for (const std::int64_t n : numbers)
                elements.push_back(of_int(n));
              return of_set(std::move(elements));
            }};
  }
  switch (random_.below(6)) {
    case 0: {
      const NaiveTerm a = integer(depth - 1);
      const std::int64_t width = random_.between(-1, 4);
      return {
          "(" + a.text + "..(" + a.text + " + " + std::to_string(width) + "))",
          [=](const NaiveScope& s) {
            std::vector<V> elements;
            const std::int64_t first = a.value(s).number;
            for (std::int64_t i = 0; i <= width; ++i)
              elements.push_back(of_int(first + i));
            return of_set(std::move(elements));
          }};
    }
    case 1: {
      const NaiveTerm a = set(depth - 1);
      const NaiveTerm b = set(depth - 1);
      const std::uint64_t kind = random_.below(3);
      const std::string op[] = {" \\cup ", " \\cap ", " \\ "};
      return {
          "(" + a.text + op[kind] + b.text + ")", [=](const NaiveScope& s) {
            const V x = a.value(s);
            const V y = b.value(s);
            if (kind == 1)
              return filtered(x, [&](const V& v) { return contains(y, v); });
            if (kind == 2)
              return filtered(x, [&](const V& v) { return !contains(y, v); });
            std::vector<V> all = x.elements;
            all.insert(all.end(), y.elements.begin(), y.elements.end());
            return of_set(std::move(all));
          }};
    }
    case 2: {
      const NaiveTerm a = set(depth - 1);
      const std::string name = bind();
      const NaiveTerm body = boolean(depth - 1);
      unbind();
      return {"{" + name + " \\in " + a.text + " : " + body.text + "}",
              [=](const NaiveScope& s) {
                return filtered(a.value(s), [&](const V& v) {
                  return body.value(with(s, name, v)).number != 0;
                });
              }};
    }
    case 3: {
      const NaiveTerm a = set(depth - 1);
      const std::string name = bind();
      const NaiveTerm body = integer(depth - 1);
      unbind();
      return {"{" + body.text + " : " + name + " \\in " + a.text + "}",
              [=](const NaiveScope& s) {
                std::vector<V> images;
                for (const V& v : a.value(s).elements)
                  images.push_back(body.value(with(s, name, v)));
                return of_set(std::move(images));
              }};
    }
    case 4: {
      const NaiveTerm f = function(depth - 1);
      return {"(DOMAIN " + f.text + ")",
              [=](const NaiveScope& s) { return domain(f.value(s)); }};
    }
    default: {
      const NaiveTerm a = set(depth - 1);
      const NaiveTerm b = set(depth - 1);
      return {"(UNION {" + a.text + ", " + b.text + "})",
              [=](const NaiveScope& s) {
                std::vector<V> all = a.value(s).elements;
                const V y = b.value(s);
                all.insert(all.end(), y.elements.begin(), y.elements.end());
                return of_set(std::move(all));
              }};
    }
  }
}

NaiveTerm NaiveGenerator::function(int depth) {
  using V = NaiveValue;
  const auto sequence = [](std::vector<V> items) {
    std::vector<std::pair<V, V>> points;
    for (V& v : items)
      points.emplace_back(of_int(static_cast<std::int64_t>(points.size()) + 1),
                          std::move(v));
    return of_points(std::move(points));
  };
  if (depth == 0) {
    const std::int64_t a = random_.between(0, 3);
    const std::int64_t b = random_.between(0, 3);
    return {"<<" + std::to_string(a) + ", " + std::to_string(b) + ">>",
            [=](const NaiveScope&) {
              return sequence({of_int(a), of_int(b)});
            }};
  }
  switch (random_.below(5)) {
    case 0: {
      const NaiveTerm keys = set(depth - 1);
      const std::string name = bind();
      const NaiveTerm body = integer(depth - 1);
      unbind();
      return {"[" + name + " \\in " + keys.text + " |-> " + body.text + "]",
              [=](const NaiveScope& s) {
                std::vector<std::pair<V, V>> points;
                for (const V& v : keys.value(s).elements)
                  points.emplace_back(v, body.value(with(s, name, v)));
                return of_points(std::move(points));
              }};
    }
    case 1: {
      const NaiveTerm f = function(depth - 1);
      const NaiveTerm key = integer(depth - 1);
      const NaiveTerm v = integer(depth - 1);
      return {"[" + f.text + " EXCEPT ![" + key.text + "] = " + v.text + "]",
              [=](const NaiveScope& s) {
                V g = f.value(s);
                const V k = key.value(s);
                for (auto& point : g.points)
                  if (same(point.first, k)) point.second = v.value(s);
                return g;
              }};
    }
    case 2: {
      const NaiveTerm f = function(depth - 1);
      const NaiveTerm g = function(depth - 1);
      return {"(" + f.text + " @@ " + g.text + ")", [=](const NaiveScope& s) {
                const V first = f.value(s);
                auto points = first.points;
                for (const auto& point : g.value(s).points)
                  if (at(first, point.first) == nullptr)
                    points.push_back(point);
                return of_points(std::move(points));
              }};
    }
    case 3: {
      const NaiveTerm key = integer(depth - 1);
      const NaiveTerm v = integer(depth - 1);
      return {"(" + key.text + " :> " + v.text + ")", [=](const NaiveScope& s) {
                return of_points({{key.value(s), v.value(s)}});
              }};
    }
    default: {
      const NaiveTerm a = integer(depth - 1);
      const NaiveTerm b = integer(depth - 1);
      const NaiveTerm c = integer(depth - 1);
      return {"Append(<<" + a.text + ", " + b.text + ">>, " + c.text + ")",
              [=](const NaiveScope& s) {
                return sequence({a.value(s), b.value(s), c.value(s)});
              }};
    }
  }
}

}  // namespace txscope::test
