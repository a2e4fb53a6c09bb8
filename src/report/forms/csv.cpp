#include "base/printable.h"
#include "report/forms/forms.h"

namespace txscope::report::forms {
namespace {

/// Quoted where it has to be; a sign that begins a formula gets an apostrophe
/// before it (OWASP, CSV injection).
std::string field(const std::string& text) {
  std::string shown = printable(text, Lines::Show);
  if (!shown.empty() && std::string_view("=+-@\t\r").find(shown.front()) !=
                            std::string_view::npos)
    shown.insert(0, "'");
  if (shown.find_first_of(",\"\n") == std::string::npos) return shown;
  std::string out = "\"";
  for (const char c : shown)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string csv(const document::Document& document) {
  std::string out = "table,row,column,value,finding,note\r\n";
  for (const document::Grid& grid : document.grids)
    for (const document::Grid::Row& row : grid.rows)
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const document::Cell& cell = row.cells[i];
        if (cell.text.empty()) continue;
        out += field(grid.title) + "," + field(row.name) + "," +
               field(i < grid.columns.size() ? grid.columns[i] : "") + "," +
               field(cell.text) + "," + field(cell.finding) + "," +
               field(cell.note) + "\r\n";
      }
  return out;
}

}  // namespace txscope::report::forms
