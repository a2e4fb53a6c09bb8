// Tables of verdicts, and contents of tables.
#include <algorithm>

#include "report/html/parts.h"

namespace txscope::report::html_page {
namespace {

using document::Tone;

constexpr std::size_t kMostRows = 40;

std::string cell_markup(const document::Cell& cell) {
  if (cell.text.empty()) return "<td class=\"empty\"></td>";
  const std::string words = text(cell.text);
  std::string out = "<td class=\"" + std::string(name(cell.tone)) + "\"";
  if (!cell.note.empty()) out += " title=\"" + text(cell.note) + "\"";
  out += ">";
  if (cell.finding.empty()) return out + words + "</td>";
  return out + "<a href=\"#" + anchor(cell.finding) + "\">" + words +
         "</a></td>";
}

}  // namespace

std::string grid_markup(const document::Grid& grid, const document::Document&) {
  std::string out =
      "<section class=\"grid\"><h2>" + text(grid.title) +
      "</h2><div class=\"scroll\" tabindex=\"0\" "
      "role=\"group\" aria-label=\"" +
      text(grid.title) + "\"><table class=\"verdicts" +
      (grid.is_matrix ? " matrix" : "") + "\"><thead><tr><th scope=\"col\">" +
      (grid.corner.empty() ? "<span class=\"away\">transaction</span>"
                           : text(grid.corner)) +
      "</th>";
  for (const std::string& column : grid.columns)
    out += "<th scope=\"col\">" + text(column) + "</th>";
  out += "</tr></thead><tbody>";
  for (const document::Grid::Row& row : grid.rows) {
    out += "<tr><th scope=\"row\">" + text(row.name) + "</th>";
    for (const document::Cell& cell : row.cells) out += cell_markup(cell);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div></section>\n";
}

std::string tables_markup(const std::vector<document::Table>& tables) {
  std::string out;
  for (const document::Table& table : tables) {
    out += "<table class=\"contents\"><caption>" +
           (table.name.empty() ? "<span class=\"away\">values</span>"
                               : text(table.name)) +
           "</caption>";
    if (!table.columns.empty()) {
      out += "<thead><tr>";
      for (const std::string& column : table.columns)
        out += "<th scope=\"col\">" + text(column) + "</th>";
      out += "</tr></thead>";
    }
    out += "<tbody>";
    const std::size_t width = std::max<std::size_t>(table.columns.size(), 1);
    if (table.rows.empty())
      out += "<tr><td colspan=\"" + std::to_string(width) +
             "\" class=\"none\">no rows</td></tr>";
    std::size_t shown = 0;
    for (const document::TableRow& row : table.rows) {
      if (++shown > kMostRows) break;
      out += "<tr class=\"" + std::string(row.is_gone ? "gone " : "") +
             (row.pending.empty() ? "" : "pending") + "\"";
      if (!row.pending.empty())
        out += " title=\"" + text(row.pending) +
               (row.is_gone ? " deleted it" : " wrote it") +
               " and has not committed\"";
      out += ">";
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const bool is_changed = i < row.changed.size() && row.changed[i];
        out += std::string("<td") + (is_changed ? " class=\"changed\"" : "") +
               ">" + (is_changed ? "<mark>" : "") + text(row.cells[i]) +
               (is_changed ? "</mark>" : "");
        if (i + 1 == row.cells.size() && !row.pending.empty())
          out +=
              " <span class=\"by\">" + text(row.pending) +
              (row.is_gone ? ": deleted, not committed" : ": not committed") +
              "</span>";
        out += "</td>";
      }
      out += "</tr>";
    }
    if (table.rows.size() > kMostRows)
      out += "<tr><td colspan=\"" + std::to_string(width) +
             "\" class=\"none\">and " +
             std::to_string(table.rows.size() - kMostRows) + " more</td></tr>";
    out += "</tbody></table>\n";
  }
  return out;
}

}  // namespace txscope::report::html_page
