#include "model/program.h"

namespace txscope {

std::string_view describe(Fault fault) {
  switch (fault) {
    case Fault::None: return "no fault";
    case Fault::Overflow: return "integer overflow";
    case Fault::DivisionByZero: return "division by zero";
    case Fault::ShiftRange: return "shift distance outside 0..63";
    case Fault::IndexRange: return "index out of range";
    case Fault::Unassigned: return "use of a local that was never assigned";
  }
  return "";
}

std::string_view name(PropertyKind kind) {
  return kind == PropertyKind::Invariant ? "invariant" : "assert";
}

std::string_view line_at(std::string_view all, Span span) {
  if (span.offset > all.size()) return {};
  const std::size_t before = span.offset == 0
                                 ? std::string_view::npos
                                 : all.rfind('\n', span.offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t end = all.find('\n', span.offset);
  if (end == std::string_view::npos) end = all.size();
  if (end > begin && all[end - 1] == '\r') --end;
  return all.substr(begin, end - begin);
}

std::string_view Program::line(Span span) const {
  return line_at(source, span);
}

Place Program::place(Span span) const {
  return {file, span.line, span.column, std::nullopt};
}

}  // namespace txscope
