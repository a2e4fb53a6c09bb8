#include "model/repair.h"

namespace txscope {

std::string Repair::what() const {
  std::string text;
  for (const std::string& change : changes)
    text += (text.empty() ? "" : "; ") + change;
  return text;
}

}  // namespace txscope
