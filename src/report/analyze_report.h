#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyze/analysis.h"
#include "analyze/comparison.h"

namespace txscope::report {

/// For people: what goes wrong, the matrix, then each finding with its fix
/// first and its run behind; in the end what was and was not checked.
[[nodiscard]] std::string analyze_text(const analyze::Analysis& found);
/// One line per finding that counts, and per pair that is undecided.
[[nodiscard]] std::string analyze_lines(const analyze::Analysis& found);
/// One element of "results".
[[nodiscard]] nlohmann::ordered_json analyze_json(
    const analyze::Analysis& found);
/// Is the fix right?  What is repaired, what remains and what is new, before
/// the rest is told.
[[nodiscard]] std::string comparison_text(const analyze::Analysis& now,
                                          const analyze::Comparison& compared);
[[nodiscard]] nlohmann::ordered_json comparison_json(
    const analyze::Analysis& now, const analyze::Comparison& compared);
/// The run of each finding as a graph.
[[nodiscard]] std::string analyze_dot(const analyze::Analysis& found);

}  // namespace txscope::report
