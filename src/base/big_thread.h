#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace txscope {

/// A thread with a stack for deep recursion.  The memory is only used as far as
/// the recursion goes.
class BigThread {
 public:
  explicit BigThread(std::function<void()> run);
  BigThread(BigThread&& other) noexcept;
  BigThread& operator=(BigThread&&) = delete;
  ~BigThread() { join(); }
  void join();

 private:
  std::unique_ptr<std::function<void()>> run_;
  pthread_t thread_{};
  bool is_running_ = false;
};

/// How much of the calling thread's stack is left, in bytes.
[[nodiscard]] std::size_t stack_left();

}  // namespace txscope
