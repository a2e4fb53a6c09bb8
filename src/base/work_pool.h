#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace txscope {

/// Work on its way from threads that have some to those that wait: first in,
/// first out.  It is over once all workers wait for more, or one stopped.
template <class Item>
class WorkPool {
 public:
  explicit WorkPool(unsigned workers) : workers_(workers) {}

  /// The next item, one that `is_preferred` if there is any; nothing once all
  /// workers wait or one stopped.
  template <class Preferred>
  std::optional<Item> take(const Preferred& is_preferred) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    wanted_.store(waiting_ > items_.size(), std::memory_order_relaxed);
    if (waiting_ == workers_ && items_.empty()) {
      is_over_ = true;
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return is_over_ || !items_.empty(); });
    --waiting_;
    if (is_over_) return std::nullopt;
    auto at = std::find_if(items_.begin(), items_.end(), is_preferred);
    if (at == items_.end()) at = items_.begin();
    std::optional<Item> item(std::move(*at));
    items_.erase(at);
    wanted_.store(waiting_ > items_.size(), std::memory_order_relaxed);
    return item;
  }
  std::optional<Item> take() {
    return take([](const Item&) { return true; });
  }

  /// Whether some worker waits for more than there is.
  [[nodiscard]] bool is_wanted() const {
    return wanted_.load(std::memory_order_relaxed);
  }

  void give(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    wanted_.store(waiting_ > items_.size(), std::memory_order_relaxed);
    changed_.notify_one();
  }

  /// Nobody gets anything any more.
  void stop() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    was_stopped_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] bool was_stopped() {
    const std::lock_guard lock(mutex_);
    return was_stopped_;
  }
  /// What nobody took.
  [[nodiscard]] std::deque<Item> rest() {
    const std::lock_guard lock(mutex_);
    return std::exchange(items_, {});
  }
  [[nodiscard]] std::size_t size() {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }

 private:
  const unsigned workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  unsigned waiting_ = 0;
  bool is_over_ = false;
  bool was_stopped_ = false;
  std::atomic<bool> wanted_{false};
};

}  // namespace txscope
