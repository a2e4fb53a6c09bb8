#include <algorithm>

#include "read/sql/text/psql_text.h"

namespace txscope::sql {
namespace {

std::string_view next_line(std::string_view& rows) {
  const std::size_t end = std::min(rows.find('\n'), rows.size());
  std::string_view line = rows.substr(0, end);
  rows.remove_prefix(std::min(end + 1, rows.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

char unescaped(char c) {
  switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return c;
  }
}

std::vector<CopyField> text_row(std::string_view line,
                                const CopyFormat& format) {
  std::vector<CopyField> fields;
  std::size_t begin = 0;
  std::string text;
  const auto end_field = [&](std::size_t end) {
    const bool is_null = line.substr(begin, end - begin) == format.null;
    fields.push_back({is_null ? std::string() : text, is_null});
    text.clear();
    begin = end + 1;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == format.delimiter)
      end_field(i);
    else if (line[i] == '\\' && i + 1 < line.size())
      text += unescaped(line[++i]);
    else
      text += line[i];
  }
  end_field(line.size());
  return fields;
}

std::vector<CopyField> csv_row(std::string_view& rows,
                               const CopyFormat& format) {
  std::vector<CopyField> fields;
  std::string text;
  bool is_inside = false;
  bool was_quoted = false;
  const auto end_field = [&] {
    const bool is_null = !was_quoted && text == format.null;
    fields.push_back({is_null ? std::string() : text, is_null});
    text.clear();
    was_quoted = false;
  };
  std::size_t i = 0;
  for (; i < rows.size(); ++i) {
    const char c = rows[i];
    if (is_inside) {
      const bool has_next = i + 1 < rows.size();
      if (c == format.escape && has_next &&
          (rows[i + 1] == format.quote || rows[i + 1] == format.escape)) {
        text += rows[++i];
      } else if (c == format.quote) {
        is_inside = false;
      } else {
        text += c;
      }
    } else if (c == format.quote) {
      is_inside = was_quoted = true;
    } else if (c == format.delimiter) {
      end_field();
    } else if (c == '\n') {
      break;
    } else if (c != '\r' || i + 1 >= rows.size() || rows[i + 1] != '\n') {
      text += c;
    }
  }
  end_field();
  rows.remove_prefix(std::min(i + 1, rows.size()));
  return fields;
}

}  // namespace

std::vector<CopyField> next_copy_row(std::string_view& rows,
                                     const CopyFormat& format) {
  return format.is_csv ? csv_row(rows, format)
                       : text_row(next_line(rows), format);
}

}  // namespace txscope::sql
