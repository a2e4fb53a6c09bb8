#pragma once

#include <cstdint>

namespace txscope::tla {

/// While it lives, this thread looks at a successor: one level below the state
/// that is expanded.
class Below {
 public:
  Below() { ++levels_; }
  ~Below() { --levels_; }
  Below(const Below&) = delete;
  Below& operator=(const Below&) = delete;

  [[nodiscard]] static std::uint32_t levels() { return levels_; }

 private:
  static inline thread_local std::uint32_t levels_ = 0;
};

}  // namespace txscope::tla
