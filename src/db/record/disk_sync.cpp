#include "db/record/disk_sync.h"

#include <unistd.h>

#include <chrono>

namespace txscope::db {

DiskSync::DiskSync(int file) : file_(file), thread_([this] { run(); }) {}

DiskSync::~DiskSync() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void DiskSync::want() {
  {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
  }
  wake_.notify_one();
}

void DiskSync::run() {
  std::unique_lock lock(mutex_);
  while (!is_over_ || is_wanted_) {
    wake_.wait(lock, [&] { return is_wanted_ || is_over_; });
    if (!is_wanted_) continue;
    is_wanted_ = false;
    lock.unlock();
    ::fdatasync(file_);
    lock.lock();
    wake_.wait_for(lock, std::chrono::milliseconds(500),
                   [&] { return is_over_; });
  }
}

}  // namespace txscope::db
