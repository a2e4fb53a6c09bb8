#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <vector>

#include "transport/transport.h"

namespace txscope::transport {

/// One stream socket to each other rank; frames of a length and bytes.
class Sockets : public Transport {
 public:
  /// Takes the descriptors over, one for each rank; that of itself is -1.
  Sockets(unsigned rank, std::vector<int> descriptors);
  ~Sockets() override;

  void send(unsigned to, std::string bytes) override;
  [[nodiscard]] bool is_busy(unsigned to) const override;
  [[nodiscard]] std::optional<Message> receive(bool waits) override;
  void leave() override;

 private:
  struct Peer {
    int descriptor = -1;
    std::deque<std::string> out;  ///< frames
    std::size_t gone = 0;         ///< of the first of them
    std::string in;
    std::size_t taken = 0;  ///< of it
    bool has_left = false;
  };
  void push(Peer& peer);
  void pull(unsigned from);
  [[nodiscard]] std::optional<Message> next_frame();
  /// Sees what can be moved; waits for it if that is wanted.
  void move(bool waits);

  std::vector<Peer> peers_;
  unsigned next_ = 0;  // whose frames are looked at first
};

}  // namespace txscope::transport
