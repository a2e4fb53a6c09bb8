#include "db/server.h"

#include <poll.h>

#include <algorithm>

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
  std::size_t times = 0;
  bool is_working = true;
  std::vector<Session*> open = unanswered(sessions);
  while (!open.empty()) {
    if (is_working) poll_for_answer(open);
    std::vector<Session*> still = unanswered(open);
    is_working = false;
    if (still != open) {
      times = 0;
    } else if (all(server.waiting(open))) {
      still = unanswered(open);
      times = still == open ? times + 1 : 0;
      if (times >= std::min<std::size_t>(open.size(), 2)) break;
    } else {
      times = 0;
      is_working = true;
    }
    open = std::move(still);
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
