#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/analysis.h"
#include "base/result.h"
#include "model/sql/application.h"

namespace txscope::analyze {

/// A finding that somebody knows of: it is told, and counts no more.
struct Accepted {
  std::string id;
  std::string reason;
  Place where;
  bool is_baseline = false;
};

/// `-- txscope: ignore ID: reason`, anywhere in the text.  An Error: there is
/// no reason.
[[nodiscard]] Result<std::vector<Accepted>> accepted_in(
    const sql::Application& application);

/// Whether the text begins with the id of a finding: what happens and a hash,
/// as in lost-update-6770ce16.
[[nodiscard]] bool begins_with_id(std::string_view text);

/// A baseline: one finding per line, its id and what it says; `#` begins a
/// comment.  Written by write_baseline().
[[nodiscard]] Result<std::vector<Accepted>> read_baseline(
    const std::string& file, std::string_view text);
[[nodiscard]] std::string write_baseline(const Analysis& found);

/// Marks findings that are accepted, and notes what is accepted and not there
/// any more.
void accept(Analysis& found, const std::vector<Accepted>& accepted);

}  // namespace txscope::analyze
