#pragma once

#include <atomic>
#include <thread>

namespace txscope {

/// A lock for a few instructions that hardly ever meet: to take it and give it
/// back is one exchange.  Who has to wait gives the processor away.
class SpinLock {
 public:
  void lock() {
    while (is_held_.exchange(true, std::memory_order_acquire))
      std::this_thread::yield();
  }
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_held_ = false;
};

}  // namespace txscope
