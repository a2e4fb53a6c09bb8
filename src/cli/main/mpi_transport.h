#pragma once

#include <mpi.h>

#include <deque>
#include <string>
#include <vector>

#include "transport/transport.h"

namespace txscope::cli {

/// The ranks of a communicator, which is used for nothing else: two-sided
/// messages of one thread, the one that called MPI_Init_thread().  If a rank is
/// lost, MPI ends them all.
class MpiTransport : public transport::Transport {
 public:
  explicit MpiTransport(MPI_Comm ranks);

  void send(unsigned to, std::string bytes) override;
  [[nodiscard]] bool is_busy(unsigned to) const override;
  [[nodiscard]] std::optional<transport::Message> receive(bool waits) override;
  void leave() override;

 private:
  /// MPI reads the bytes until the request is done.
  struct Going {
    std::string bytes;
    MPI_Request request;
  };
  void move();
  void start(unsigned to, std::string bytes, int tag);

  MPI_Comm ranks_;
  std::vector<std::deque<Going>> going_;  // by receiver
  bool is_zero_done_ = false;
};

}  // namespace txscope::cli
