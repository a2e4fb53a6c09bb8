#include "audit/tables/words.h"

#include <algorithm>
#include <cctype>

#include "base/ascii.h"

namespace txscope::audit {
namespace {

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

bool names_word(const std::string& text, const std::string& name) {
  const auto is_same = [](char a, char b) {
    return ascii::lower(a) == ascii::lower(b);
  };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), name.begin(), name.end(), is_same);
    if (at == text.end()) return false;
    const auto end = at + static_cast<std::ptrdiff_t>(name.size());
    const bool starts = at == text.begin() || !is_of_word(at[-1]);
    if (starts && (end == text.end() || !is_of_word(*end))) return true;
  }
}

}  // namespace txscope::audit
