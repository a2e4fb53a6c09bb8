#include "model/sql/value/enumeration.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace txscope::sql {
namespace {

struct Pool {
  std::mutex mutex;
  std::deque<Enumeration> all = {{}};  // 0: none
};

Pool& enumerations() {
  static Pool pool;
  return pool;
}

}  // namespace

std::optional<std::uint32_t> Enumeration::position(
    std::string_view label) const {
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - labels.begin());
}

std::uint16_t number_of(Enumeration enumeration) {
  constexpr std::size_t kMost = 65'000;
  Pool& pool = enumerations();
  const std::lock_guard lock(pool.mutex);
  for (std::size_t i = 0; i < pool.all.size(); ++i) {
    const Enumeration& other = pool.all[i];
    if (other.name == enumeration.name && other.labels == enumeration.labels)
      return static_cast<std::uint16_t>(i);
  }
  if (pool.all.size() >= kMost) return 0;
  pool.all.push_back(std::move(enumeration));
  return static_cast<std::uint16_t>(pool.all.size() - 1);
}

const Enumeration& enumeration(std::uint16_t number) {
  Pool& pool = enumerations();
  const std::lock_guard lock(pool.mutex);
  return pool.all[number < pool.all.size() ? number : 0];
}

}  // namespace txscope::sql
