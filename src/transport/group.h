#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/transport.h"

namespace txscope::transport {

/// The ranks of a run as one of them sees the others: messages of a kind, and
/// rounds in which each tells all others something.
class Group {
 public:
  /// A message that is no part of a round.
  using Handler = std::function<void(unsigned from, std::string_view bytes)>;

  explicit Group(Transport& transport) : transport_(transport) {
    rounds_.resize(transport.size());
  }

  [[nodiscard]] unsigned rank() const { return transport_.rank(); }
  [[nodiscard]] unsigned size() const { return transport_.size(); }
  [[nodiscard]] const Transport& transport() const { return transport_; }

  /// Receives, and keeps for later, while too much is under way to `to`.
  void send(unsigned to, std::string_view bytes);
  /// The same without waiting, for a few bytes.
  void send_at_once(unsigned to, std::string_view bytes);
  /// Hands over what has come.  If nothing has and `waits`, waits a moment.
  void receive(bool waits, const Handler& handler);

  /// What each rank said, by rank, once all have: also a barrier.  All ranks
  /// have to call it, in the same order.
  ///
  /// Method.  Bruck et al. 1997 ("Efficient algorithms for all-to-all
  /// communications in multiport message-passing systems"): in round k each
  /// rank passes what it knows to the one 2^k before it.
  [[nodiscard]] std::vector<std::string> all_gather(std::string_view mine);
  /// The others need not wait for this rank any more.
  void leave() { transport_.leave(); }

 private:
  enum class Kind : char { Data = 'd', Round = 'r' };
  void sort_in(Message message);

  Transport& transport_;
  std::deque<Message> data_;                     // not handed over yet
  std::vector<std::deque<std::string>> rounds_;  // by sender
};

}  // namespace txscope::transport
