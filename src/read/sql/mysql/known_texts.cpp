#include "read/sql/mysql/known_texts.h"

namespace txscope::sql {

KnownTexts::Text KnownTexts::of(std::uint32_t slot) const {
  const auto found = variables_.find(slot);
  return found == variables_.end() ? nullptr : found->second;
}

KnownTexts::Text KnownTexts::prepared(const std::string& name) const {
  const auto found = prepared_.find(name);
  return found == prepared_.end() ? nullptr : found->second;
}

void KnownBranches::next() {
  const auto differs = [](const auto& in) {
    return [&in](const auto& entry) {
      const auto found = in.find(entry.first);
      return found == in.end() || found->second != entry.second;
    };
  };
  std::erase_if(left_.variables_, differs(texts_.variables_));
  std::erase_if(left_.prepared_, differs(texts_.prepared_));
  texts_ = before_;
}

}  // namespace txscope::sql
