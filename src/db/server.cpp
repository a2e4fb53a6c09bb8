#include "db/server.h"

#include <poll.h>

namespace txscope::db {
namespace {

// A statement on a few rows takes about 50 microseconds, asking the server who
// waits about as long: the answer gets this much of a lead.
constexpr timespec kLead = {0, 200'000};

void poll_for_answer(std::span<Session* const> sessions) {
  std::vector<pollfd> sockets;
  for (const Session* session : sessions)
    sockets.push_back({session->socket(), POLLIN, 0});
  ::ppoll(sockets.data(), sockets.size(), &kLead, nullptr);
}

std::vector<Session*> unanswered(std::span<Session* const> sessions) {
  std::vector<Session*> result;
  for (Session* session : sessions)
    if (session->is_pending() && !session->is_answered())
      result.push_back(session);
  return result;
}

bool all(const std::vector<bool>& claims) {
  for (const bool claim : claims)
    if (!claim) return false;
  return true;
}

}  // namespace

std::vector<bool> settle(Server& server, std::span<Session* const> sessions) {
  // With several sessions at work one may have been seen waiting for another
  // that went on a moment later; so what is seen must be seen twice.
  int times = 0;
  std::vector<Session*> open = unanswered(sessions);
  while (!open.empty()) {
    poll_for_answer(open);
    std::vector<Session*> still = unanswered(open);
    const bool is_waiting = still == open && all(server.waiting(open));
    times = is_waiting ? times + 1 : 0;
    open = unanswered(still);
    if (still != open) times = 0;
    if (times >= (open.size() > 1 ? 2 : 1)) break;
  }
  std::vector<bool> result;
  for (const Session* session : sessions) {
    bool is_open = false;
    for (const Session* other : open) is_open = is_open || other == session;
    result.push_back(is_open);
  }
  return result;
}

}  // namespace txscope::db
