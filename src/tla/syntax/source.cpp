#include "tla/syntax/source.h"

#include <utility>

namespace txscope::tla {

std::string line_of(const Source& source, std::uint32_t line) {
  std::size_t begin = 0;
  for (std::uint32_t n = 1; n < line; ++n) {
    begin = source.text.find('\n', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  std::string text =
      source.text.substr(begin, source.text.find('\n', begin) - begin);
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

Error error_at(const Spot& spot, std::string what, std::string hint) {
  Error error;
  error.what = std::move(what);
  error.hint = std::move(hint);
  if (spot.source == nullptr) return error;
  error.where.file = spot.source->file;
  error.where.line = spot.line;
  error.where.column = spot.column;
  if (spot.line != 0) error.source_line = line_of(*spot.source, spot.line);
  return error;
}

AssertionFault::AssertionFault(const Spot& where, std::string said)
    : Fault{error_at(where, "the assertion fails: " + said)},
      message(std::move(said)),
      spot(where) {}

void fail(const Spot& spot, std::string what, std::string hint) {
  throw Fault{error_at(spot, std::move(what), std::move(hint))};
}

}  // namespace txscope::tla
