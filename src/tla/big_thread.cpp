#include "tla/big_thread.h"

#include <utility>

namespace txscope::tla {
namespace {

constexpr std::size_t kStack = std::size_t{64} << 20u;

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

}  // namespace txscope::tla
