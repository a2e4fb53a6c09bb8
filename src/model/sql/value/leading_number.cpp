#include "model/sql/value/leading_number.h"

#include <algorithm>
#include <string>

#include "model/sql/value/parse_value.h"

namespace txscope::sql {

Value leading_number(std::string_view text) {
  const std::size_t start =
      std::min(text.find_first_not_of(" \t\n\r\v\f"), text.size());
  std::size_t end = start;
  const auto skip_digits = [&] {
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  };
  if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
  skip_digits();
  if (end < text.size() && text[end] == '.') {
    ++end;
    skip_digits();
  }
  const auto value =
      parse_value(text.substr(start, end - start), TypeName::Numeric);
  return value.value_or(Value::numeric(0, 0));
}

}  // namespace txscope::sql
