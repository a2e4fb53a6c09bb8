#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace txscope::cli {

/// Progress of something that cannot say how far it is: what is being done,
/// for how long, and the memory it takes.  Only on a terminal.
class Ticker {
 public:
  explicit Ticker(std::string what);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  void say(std::string what);  ///< from any thread

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string what_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace txscope::cli
