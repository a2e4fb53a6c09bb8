#include "transport/threads.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "base/big_thread.h"

namespace txscope::transport {
namespace {

/// What has been sent to one rank and not been received.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Message> messages;
  std::vector<std::size_t> from;  ///< how many of them, by sender
  std::optional<unsigned> lost;   ///< a rank that ended too early
};

class Threads : public Transport {
 public:
  Threads(unsigned rank, std::vector<std::unique_ptr<Mailbox>>& boxes)
      : Transport(rank, static_cast<unsigned>(boxes.size())), boxes_(boxes) {}

  ~Threads() override {
    if (!has_left_) tell_end();
  }

  void send(unsigned to, std::string bytes) override {
    count(bytes.size());
    Mailbox& box = *boxes_[to];
    const std::lock_guard lock(box.mutex);
    box.messages.push_back({rank(), std::move(bytes)});
    ++box.from[rank()];
    box.changed.notify_one();
  }

  bool is_busy(unsigned to) const override {
    Mailbox& box = *boxes_[to];
    const std::lock_guard lock(box.mutex);
    return box.from[rank()] >= kUnderWay;
  }

  std::optional<Message> receive(bool waits) override {
    Mailbox& box = *boxes_[rank()];
    std::unique_lock lock(box.mutex);
    // Not for ever: the caller may wait for room at another rank.
    if (waits && box.messages.empty() && !box.lost)
      box.changed.wait_for(lock, std::chrono::milliseconds(1));
    if (box.messages.empty()) {
      if (box.lost) throw Lost{"rank " + std::to_string(*box.lost) + " ended"};
      return std::nullopt;
    }
    Message message = std::move(box.messages.front());
    box.messages.pop_front();
    --box.from[message.from];
    return message;
  }

  void leave() override {
    has_left_ = true;
    if (rank() == 0) tell_end();
  }

 private:
  void tell_end() {
    for (auto& box : boxes_) {
      const std::lock_guard lock(box->mutex);
      box->lost = rank();
      box->changed.notify_all();
    }
  }
  std::vector<std::unique_ptr<Mailbox>>& boxes_;
  bool has_left_ = false;
};

}  // namespace

void run_threads(unsigned size, const std::function<void(Transport&)>& body) {
  std::vector<std::unique_ptr<Mailbox>> boxes;
  for (unsigned i = 0; i < size; ++i) {
    boxes.push_back(std::make_unique<Mailbox>());
    boxes.back()->from.assign(size, 0);
  }
  std::vector<BigThread> others;
  for (unsigned i = 1; i < size; ++i)
    others.emplace_back([&boxes, &body, i] {
      Threads transport(i, boxes);
      try {
        body(transport);
      } catch (...) {  // the destructor tells the others
      }
    });
  std::exception_ptr thrown;
  {
    Threads transport(0, boxes);
    try {
      body(transport);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  others.clear();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace txscope::transport
