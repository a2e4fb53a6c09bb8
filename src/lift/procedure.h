#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lift/changes.h"
#include "lift/line.h"
#include "lift/relevance.h"
#include "lift/tables.h"
#include "lift/templates.h"

namespace txscope::lift {

/// Keys by which the calls of different templates meet: the first one that a
/// call uses is the same for all of them, and so on.
class Domains {
 public:
  /// A literal for the n-th key (from 0) that a call uses of a domain.
  [[nodiscard]] std::string key(const std::string& domain, std::size_t n,
                                const LiftedColumn& column);

 private:
  std::map<std::string, std::vector<std::string>> texts_;
};

/// What a row must have so that a statement finds it, by column.
struct RowPattern {
  std::string table;
  std::map<std::string, std::string> values;  ///< literals
  /// The request goes on to insert such a row: there is none before.
  bool is_absent = false;
};

struct Parameter {
  std::string name;
  std::string type;
  std::string argument;  ///< a literal to call it with
};

struct Variable {
  std::string name;
  std::string type;
};

/// A template as a procedure.
struct Procedure {
  const Template* of = nullptr;
  std::vector<Parameter> parameters;
  std::vector<Variable> variables;
  std::vector<std::string> first;  ///< assignments before the first statement
  std::vector<Line> lines;
  std::vector<RowPattern> patterns;
  /// Written values that were taken for computed from what was read, without
  /// seeing what was read: "num_allocated = what was read + 1".
  std::vector<std::string> assumed;
  /// The same, found in what the log shows of results.
  std::vector<std::string> found;
};

/// Gives the literals of a template their meaning: constants, parameters (those
/// that name rows by their domain, so that equal ones are one), values that an
/// earlier statement returned or that are computed from one, and keys that are
/// made by each call.
[[nodiscard]] Procedure make_procedure(const Template& of, const Tables& tables,
                                       const Relevance& relevance,
                                       const Changes& changes,
                                       Domains& domains);

}  // namespace txscope::lift
