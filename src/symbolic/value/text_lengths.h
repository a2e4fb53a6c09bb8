#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "smt/model.h"
#include "smt/terms.h"
#include "symbolic/value/text_order.h"

namespace txscope::symbolic {

/// How long texts are of which only the place in the order is known.
///
/// A text of the program has its length, an unknown text any; equal texts are
/// equally long.  That there is a text of every length at every place of the
/// order is not quite so; who replays a model finds out.
class TextLengths {
 public:
  /// The characters of a text, by its number in the order.
  [[nodiscard]] smt::Term of(smt::Terms& t, const TextOrder& order,
                             smt::Term text);
  /// The program holds lengths against this one, or computes with them.
  void compare_with(std::size_t limit) { limits_.insert(limit); }
  void compute() { is_exact_ = true; }
  /// What the lengths of all unknown texts asked about satisfy.
  [[nodiscard]] std::vector<smt::Term> laws(smt::Terms& t,
                                            const TextOrder& order) const;
  /// The text that stands at a place in a model, made longer where the program
  /// found it too long.
  [[nodiscard]] std::string stretched(std::string text, smt::Term number,
                                      const smt::Model& model) const;

 private:
  std::map<smt::Term, smt::Term> known_;    ///< of every term asked about
  std::map<smt::Term, smt::Term> unknown_;  ///< of variables
  std::set<std::size_t> limits_;            ///< that lengths were held against
  bool is_exact_ = false;                   ///< any difference counts
};

}  // namespace txscope::symbolic
