#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tla/pluscal/translator.h"

namespace txscope::tla::pluscal {

/// The text of a translation as it grows, and where its parts come from.
class Page {
 public:
  /// What is written next comes from here.
  void at(const Spot& spot) { spot_ = spot; }
  void put(std::string_view text);
  /// A formula from the current column on; its lines keep their layout.
  void put(const Formula& formula);
  void end_line();
  void line(std::string_view text) {
    put(text);
    end_line();
  }
  void indent(std::uint32_t column);
  [[nodiscard]] std::uint32_t column() const { return column_; }
  [[nodiscard]] Translation take();

 private:
  void mark(const Spot& spot);

  std::string text_;
  std::vector<Mark> marks_;
  Spot spot_;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 0;
};

}  // namespace txscope::tla::pluscal
