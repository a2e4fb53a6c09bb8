#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace txscope::transport {

/// Thrown where the others cannot be waited for any more: one of them is gone.
struct Lost {
  std::string what;
};

/// Bytes that came from another rank.
struct Message {
  unsigned from = 0;
  std::string bytes;
};

/// The way between the ranks of one run: `size()` equal workers that share
/// nothing, numbered from 0.
///   - Messages of one rank to another arrive whole, once, in their order.
///   - Nothing blocks for ever: as long as every rank goes on calling
///     receive(), what was sent arrives; a rank that ends without leave() makes
///     receive() of the others throw Lost, once they have what it had sent.
///   - The others work for rank 0: when it leaves, there is nothing to wait
///   for,
///     and receive() of the others throws Lost, too.
/// One thread of each rank uses it.
class Transport {
 public:
  Transport(unsigned rank, unsigned size) : rank_(rank), size_(size) {}
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned size() const { return size_; }

  /// Never waits; what cannot go yet is kept.
  virtual void send(unsigned to, std::string bytes) = 0;
  /// Whether two messages to this rank are still under way: then a sender
  /// should receive before it sends more.
  [[nodiscard]] virtual bool is_busy(unsigned to) const = 0;
  /// The next message; moves on what is being sent, too.  If there is none,
  /// waits a moment if that is wanted, and returns nothing.
  [[nodiscard]] virtual std::optional<Message> receive(bool waits) = 0;
  /// Says to all others that this rank ends as it should, once everything that
  /// was sent has gone.
  virtual void leave() = 0;
  /// Bytes and messages that were given to send().
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
  [[nodiscard]] std::uint64_t messages_sent() const { return messages_sent_; }

 protected:
  static constexpr std::size_t kUnderWay = 2;
  void count(std::size_t bytes) {
    bytes_sent_ += bytes;
    ++messages_sent_;
  }

 private:
  unsigned rank_;
  unsigned size_;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t messages_sent_ = 0;
};

}  // namespace txscope::transport
