#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "smt/terms.h"
#include "symbolic/encoding/encoding.h"

namespace txscope::verify {

/// Something that the user left open.
struct OpenInput {
  std::string name;  ///< "x", "a[1]", "s1.t1.n"
  smt::Term value;
};

struct NamedAssumption {
  std::string name;
  smt::Term holds;
  Place where;
  std::string line;  ///< the source line
};

/// One row of the answer.
struct Rule {
  std::string name;
  std::string kind;  ///< "invariant", "assert", "errors"
  smt::Term broken;
  /// Only complete executions count.  Errors end theirs.
  bool is_judged_at_the_end = true;
};

/// All executions of a program and what must not happen in them, as formulas;
/// where the program came from does not matter any more.
struct Question {
  std::unique_ptr<smt::Terms> terms;
  std::unique_ptr<symbolic::HistoryEncoding> encoding;
  std::vector<OpenInput> inputs;
  std::vector<smt::Term> ranges;      ///< that inputs have by their types
  std::vector<smt::Term> executions;  ///< what else executions satisfy
  std::vector<NamedAssumption> assumptions;
  std::vector<Rule> rules;
  std::vector<std::string> transactions;  ///< names, in the encoding's order
  smt::Term cut;  ///< some transaction runs beyond a bound
  /// Keys that were looked at where they depend on inputs (VerifyBounds).
  std::vector<std::string> keys;
  std::string numerics;  ///< which ones inputs were taken for (VerifyBounds)
  bool keeps_evidence = false;  ///< of what holds (Cell::evidence)
  std::vector<std::vector<std::uint32_t>> identical_sessions;
  symbolic::SameRow same_row;  ///< empty: all columns are equal
};

}  // namespace txscope::verify
