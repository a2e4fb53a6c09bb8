#include "model/sql/application.h"

namespace txscope::sql {

std::string_view Application::line(Span span) const {
  return line_at(source, span);
}

Place Application::place(Span span) const {
  return Place{origin != nullptr ? origin->file_at(span.offset) : file,
               span.line,
               span.column,
               {}};
}

std::string text_with_values(const Application& application,
                             const DbStatement& statement,
                             std::span<const Value> slots) {
  return text_with(application, statement,
                   [&](std::uint32_t slot) { return to_literal(slots[slot]); });
}

std::string text_with(const Application& application,
                      const DbStatement& statement,
                      const std::function<std::string(std::uint32_t)>& write) {
  std::string text = statement.is_expression ? "SELECT " : "";
  std::uint32_t at = statement.at.offset;
  const auto copy_to = [&](std::uint32_t end) {
    if (end > at) text += application.source.substr(at, end - at);
    at = end;
  };
  bool is_cut = !statement.into;
  const auto cut_into = [&] {
    copy_to(statement.into->offset);
    at += statement.into->length;
    is_cut = true;
  };
  for (const DbStatement::Mention& mention : statement.mentions) {
    if (!is_cut && statement.into->offset < mention.at.offset) cut_into();
    copy_to(mention.at.offset);
    text += write(mention.index);
    at += mention.at.length;
  }
  if (!is_cut) cut_into();
  copy_to(statement.at.offset + statement.at.length);
  // Lines that an annotation goes on in begin with a comment's mark.
  for (std::size_t i = 0; (i = text.find("\n--@", i)) != std::string::npos;) {
    text.replace(i + 1, 3, "   ");
  }
  return text;
}

}  // namespace txscope::sql
