#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace txscope::read {

/// The outline of a JSON text, from its first bytes: the brackets before the
/// first object and the names in that object.  For telling formats apart.
struct JsonShape {
  std::string brackets;  ///< "{", "[{", "[[{", "[" ...; "" if it is no JSON
  std::vector<std::string> names;  ///< of the first object, as far as they go
  std::string txscope;  ///< the string of its member "txscope", if any

  [[nodiscard]] bool has(std::string_view name) const;
};

[[nodiscard]] JsonShape json_shape(std::string_view head);

}  // namespace txscope::read
