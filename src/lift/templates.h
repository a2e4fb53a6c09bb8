#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lift/runs.h"
#include "lift/tables.h"

namespace txscope::lift {

/// One statement of a template, as each of its runs has it.
struct TemplateStep {
  std::vector<RunStatement> of;  ///< by instance
  bool ends_transaction = false;

  [[nodiscard]] const sql::StatementShape& shape() const {
    return *of.front().shape;
  }
};

/// What many requests do on some tables, but for their values.
struct Template {
  std::string name;
  std::vector<std::string> tables;
  std::vector<TemplateStep> steps;
  std::size_t runs = 0;       ///< requests that do this, also with more rounds
  std::size_t instances = 0;  ///< that have the same steps
  bool has_rounds = false;    ///< a loop was folded
  std::string route;
};

struct TemplateOptions {
  /// Tables that are left out, by their names.
  std::set<std::string> ignored;
  /// A template has all that a request does; else what it does to one table.
  bool whole_requests = false;
};

struct Templates {
  std::vector<Template> all;
  std::size_t reading_runs = 0;     ///< requests that only read
  std::size_t harmless_tables = 0;  ///< written, but read by nobody who writes
  std::vector<std::string> sessions;  ///< tables of visitors' sessions
  std::vector<std::string> cut;       ///< templates that were too long
};

/// What the requests of a log do, without what cannot matter.
///
/// A read matters if its request writes and somebody changes what it reads.
/// Each request is cut into the smallest pieces that can race on one table
/// (slices.h), so that one race does not hide another.  Pairs of tables that
/// requests read and write crosswise, and pairs that transactions lock in
/// different orders, are looked at together.  A template that has nothing which
/// a longer one does not have is left out.
[[nodiscard]] Templates find_templates(const Runs& runs, const Tables& tables,
                                       const TemplateOptions& options);

}  // namespace txscope::lift
