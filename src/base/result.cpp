#include "base/result.h"

namespace txscope {

std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.offset) return text + ": byte " + std::to_string(*place.offset);
  if (place.line == 0) return text;
  text += ":" + std::to_string(place.line);
  if (place.column != 0) text += ":" + std::to_string(place.column);
  return text;
}

}  // namespace txscope
