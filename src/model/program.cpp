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

std::string_view Program::line(Span span) const {
  return line_at(source, span);
}

Place Program::place(Span span) const {
  return {file, span.line, span.column, std::nullopt};
}

}  // namespace txscope
