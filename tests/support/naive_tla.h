#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"

namespace txscope::test {

/// A TLA+ value as a person would write it down: its canonical text.  Sets are
/// sorted lists of texts, functions lists of pairs; nothing is shared or lazy.
struct NaiveValue {
  enum class Kind { Int, Bool, Set, Function };
  Kind kind = Kind::Int;
  std::int64_t number = 0;                                ///< 0 or 1 for Bool
  std::vector<NaiveValue> elements;                       ///< Set
  std::vector<std::pair<NaiveValue, NaiveValue>> points;  ///< Function

  /// In TLA+ syntax, as txscope prints it.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] bool less(const NaiveValue& a, const NaiveValue& b);
[[nodiscard]] bool same(const NaiveValue& a, const NaiveValue& b);

using NaiveScope = std::map<std::string, NaiveValue>;

/// A random constant expression: its text, and its meaning by the definitions.
struct NaiveTerm {
  std::string text;
  std::function<NaiveValue(const NaiveScope&)> value;
};

/// Builds random expressions over integers, booleans, sets of integers,
/// functions on integers and sequences, up to some depth.  The text is fully
/// parenthesised, so that the parser's notion of precedence plays no role; the
/// meaning is computed by loops over lists, independently of txscope.
class NaiveGenerator {
 public:
  explicit NaiveGenerator(Random& random) : random_(random) {}
  NaiveTerm boolean(int depth);
  NaiveTerm integer(int depth);
  NaiveTerm set(int depth);
  NaiveTerm function(int depth);
  NaiveTerm any(int depth);

 private:
  std::string bind();
  void unbind() { bound_.pop_back(); }

  Random& random_;
  std::vector<std::string> bound_;
  int names_ = 0;
};

}  // namespace txscope::test
