#include "read/sql/shape/statement_shape.h"

#include <algorithm>
#include <string>

#include "read/sql/shape/control_words.h"
#include "read/sql/shape/mysql_words.h"
#include "read/sql/shape/tree_shape.h"
#include "read/sql/text/dialect.h"

namespace txscope::sql {
namespace shape_text {
namespace {

using Kind = StatementShape::Kind;

std::string print_of(const StatementShape& shape) {
  std::string print;
  std::size_t at = 0;
  for (const LiteralSlot& slot : shape.slots) {
    print.append(shape.text, at, slot.offset - at);
    print += '?';
    at = slot.offset + slot.length;
  }
  print.append(shape.text, at);
  return print;
}

StatementShape read(std::string text, int round) {
  StatementShape shape;
  shape.text = std::move(text);
  std::vector<Cut> cuts;
  try {
    check_text("", shape.text);
    const Source source("", shape.text);
    const Tokens tokens = scan(source, shape.text, 0);
    const Tree tree = parse_statement(source, tokens.list, shape.text, 0);
    cuts = read_tree(tree, shape);
  } catch (const Failure& failure) {
    shape.kind = Kind::Unreadable;
    shape.problem = failure.error.what;
    return shape;
  }
  if (!cuts.empty() && round < 4) {
    std::sort(cuts.begin(), cuts.end(),
              [](const Cut& a, const Cut& b) { return a.from > b.from; });
    std::string shorter = shape.text;
    std::uint32_t last = static_cast<std::uint32_t>(shorter.size());
    for (const Cut& cut : cuts) {
      if (cut.to > last) continue;
      shorter.erase(cut.from, cut.to - cut.from);
      last = cut.from;
    }
    return read(std::move(shorter), round + 1);
  }
  shape.print = print_of(shape);
  return shape;
}

std::string_view without_comments(std::string_view text) {
  for (;;) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return {};
    text.remove_prefix(begin);
    if (!text.starts_with("/*")) break;
    const std::size_t end = text.find("*/", 2);
    if (end == text.npos) return {};
    text.remove_prefix(end + 2);
  }
  for (;;) {
    const std::size_t end = text.find_last_not_of(" \t\r\n;");
    text = end == text.npos ? std::string_view() : text.substr(0, end + 1);
    if (!text.ends_with("*/")) return text;
    const std::size_t begin = text.rfind("/*");
    if (begin == text.npos) return text;
    text = text.substr(0, begin);
  }
}

}  // namespace
}  // namespace shape_text

StatementShape statement_shape(std::string_view text, Dialect dialect) {
  text = shape_text::without_comments(text);
  if (auto control = control_statement(text)) return *std::move(control);
  return shape_text::read(dialect == Dialect::Mariadb
                              ? without_mysql_words(text)
                              : in_our_dialect(text, dialect),
                          0);
}

}  // namespace txscope::sql
