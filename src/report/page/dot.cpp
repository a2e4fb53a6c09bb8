#include "report/page/dot.h"

#include "base/printable.h"

namespace txscope::report {
namespace {

/// Nothing in it acts on a terminal, where a graph may well be printed.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : printable(std::string(text), Lines::Keep)) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string dot_quoted(std::string_view text) {
  return "\"" + escaped(text, "\"\\") + "\"";
}

std::string dot_record(const std::vector<std::string>& cells) {
  std::string out = "\"{";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += '|';
    for (const char c : escaped(cells[i], "{}|<> \\\"")) {
      if (c == '\n')
        out += "\\n";
      else
        out += c;
    }
  }
  return out + "}\"";
}

std::string_view dot_colour(std::string_view kind) {
  if (kind == "so" || kind == "rt") return "gray40";
  if (kind == "wr") return "forestgreen";
  if (kind == "ww") return "royalblue";
  return kind == "rw" ? "firebrick" : "black";
}

std::string dot_edge(std::string_view kind, std::string_view label) {
  const std::string colour(dot_colour(kind));
  return "[label=" + dot_quoted(label) + ", color=" + colour +
         ", fontcolor=" + colour + (kind == "rw" ? ", style=dashed" : "") + "]";
}

std::string dot_graph(const std::string& clusters) {
  if (clusters.empty()) return "digraph txscope {\n  // nothing to show\n}\n";
  return "digraph txscope {\n  node [shape=record, fontname=monospace];\n" +
         clusters + "}\n";
}

}  // namespace txscope::report
