#include "mpi_transport.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace txscope::cli {
namespace {

constexpr int kBytes = 1;  // tags
constexpr int kLeave = 2;
constexpr std::chrono::seconds kParting{10};
constexpr std::chrono::microseconds kMoment{100};

unsigned rank_in(MPI_Comm ranks) {
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  return static_cast<unsigned>(rank);
}

unsigned size_of(MPI_Comm ranks) {
  int size = 1;
  MPI_Comm_size(ranks, &size);
  return static_cast<unsigned>(size);
}

}  // namespace

MpiTransport::MpiTransport(MPI_Comm ranks)
    : Transport(rank_in(ranks), size_of(ranks)),
      ranks_(ranks),
      going_(size()) {}

void MpiTransport::start(unsigned to, std::string bytes, int tag) {
  Going& going = going_[to].emplace_back();  // which a deque does not move
  going.bytes = std::move(bytes);
  MPI_Isend(going.bytes.data(), static_cast<int>(going.bytes.size()), MPI_BYTE,
            static_cast<int>(to), tag, ranks_, &going.request);
}

void MpiTransport::send(unsigned to, std::string bytes) {
  count(bytes.size());
  start(to, std::move(bytes), kBytes);
}

bool MpiTransport::is_busy(unsigned to) const {
  return going_[to].size() >= kUnderWay;
}

/// Forgets what has gone.
void MpiTransport::move() {
  for (std::deque<Going>& going : going_)
    while (!going.empty()) {
      int has_gone = 0;
      MPI_Test(&going.front().request, &has_gone, MPI_STATUS_IGNORE);
      if (has_gone == 0) break;
      going.pop_front();
    }
}

std::optional<transport::Message> MpiTransport::receive(bool waits) {
  move();
  for (int tries = 0; tries < (waits ? 2 : 1); ++tries) {
    if (tries > 0) std::this_thread::sleep_for(kMoment);
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_, &is_there, &status);
    if (is_there == 0) continue;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    transport::Message message{static_cast<unsigned>(status.MPI_SOURCE),
                               std::string(static_cast<std::size_t>(size), 0)};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE,
             status.MPI_TAG, ranks_, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == kBytes) return message;
    is_zero_done_ = is_zero_done_ || status.MPI_SOURCE == 0;
  }
  if (is_zero_done_) throw transport::Lost{"rank 0 ended"};
  return std::nullopt;
}

void MpiTransport::leave() {
  if (rank() == 0)
    for (unsigned i = 1; i < size(); ++i) start(i, {}, kLeave);
  const auto end = std::chrono::steady_clock::now() + kParting;
  const auto is_going = [](const auto& going) { return !going.empty(); };
  while (std::any_of(going_.begin(), going_.end(), is_going) &&
         std::chrono::steady_clock::now() < end) {
    try {
      (void)receive(true);  // nobody here waits for it
    } catch (const transport::Lost&) {
      return;
    }
  }
}

}  // namespace txscope::cli
