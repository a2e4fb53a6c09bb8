#include "base/big_thread.h"

#include <cstdint>
#include <utility>

namespace txscope {
namespace {

constexpr std::size_t kStack = std::size_t{64} << 20u;

/// The lowest address of the calling thread's stack.
std::uintptr_t stack_end() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest);
}

void* start(void* run) {
  (*static_cast<std::function<void()>*>(run))();
  return nullptr;
}

}  // namespace

BigThread::BigThread(std::function<void()> run)
    : run_(std::make_unique<std::function<void()>>(std::move(run))) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  is_running_ = pthread_create(&thread_, &attributes, start, run_.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (!is_running_) (*run_)();  // no thread to be had: here, then
}

BigThread::BigThread(BigThread&& other) noexcept
    : run_(std::move(other.run_)),
      thread_(other.thread_),
      is_running_(std::exchange(other.is_running_, false)) {}

void BigThread::join() {
  if (std::exchange(is_running_, false)) pthread_join(thread_, nullptr);
}

std::size_t stack_left() {
  thread_local const std::uintptr_t end = stack_end();
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - end;
}

}  // namespace txscope
