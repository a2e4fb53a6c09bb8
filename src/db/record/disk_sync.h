#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace txscope::db {

/// Brings what was written to a file to the disk, on a thread of its own, so
/// that nobody waits for it: twice a second at most, and at the end.
class DiskSync {
 public:
  /// The file must stay open as long as this lives.
  explicit DiskSync(int file);
  ~DiskSync();
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;

  /// Something was written.
  void want();

 private:
  void run();

  int file_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_wanted_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace txscope::db
