#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace txscope::report {

/// A name or label as Graphviz reads it.
[[nodiscard]] std::string dot_quoted(std::string_view text);

/// The label of a node of shape record, one cell below the other; line breaks
/// stay.
[[nodiscard]] std::string dot_record(const std::vector<std::string>& cells);

/// The colour of an edge of this kind: so, rt, wr, ww, rw.
[[nodiscard]] std::string_view dot_colour(std::string_view kind);
/// `label` in the colour of its kind, in brackets.
[[nodiscard]] std::string dot_edge(std::string_view kind,
                                   std::string_view label);

/// Clusters, or nothing, as the one graph of a file.
[[nodiscard]] std::string dot_graph(const std::string& clusters);

}  // namespace txscope::report
