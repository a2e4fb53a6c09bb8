#include "model/sql/value/composite.h"

#include <deque>
#include <mutex>

namespace txscope::sql {
namespace {

struct CompositePool {
  std::mutex mutex;
  std::deque<Composite> all = {{"record", {}}};  // 0: of no fields
};

CompositePool& composites() {
  static CompositePool pool;
  return pool;
}

}  // namespace

Type composite_type(Composite composite) {
  constexpr std::size_t kMost = 65'000;
  CompositePool& pool = composites();
  const std::lock_guard lock(pool.mutex);
  Type type{TypeName::Composite};
  for (std::size_t i = 0; i < pool.all.size(); ++i) {
    const Composite& other = pool.all[i];
    if (other.name != composite.name || other.fields != composite.fields)
      continue;
    type.of = static_cast<std::uint16_t>(i);
    return type;
  }
  if (pool.all.size() >= kMost) return type;
  pool.all.push_back(std::move(composite));
  type.of = static_cast<std::uint16_t>(pool.all.size() - 1);
  return type;
}

const Composite& composite(const Type& type) {
  CompositePool& pool = composites();
  const std::lock_guard lock(pool.mutex);
  return pool.all[type.of < pool.all.size() ? type.of : 0];
}

}  // namespace txscope::sql
