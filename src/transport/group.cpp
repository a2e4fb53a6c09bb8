#include "transport/group.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace txscope::transport {
namespace {

std::string marked(char kind, std::string_view bytes) {
  std::string message(1, kind);
  message += bytes;
  return message;
}

std::string packed(const std::vector<std::string>& known, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = known[i].size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += known[i];
  }
  return bytes;
}

void unpack(std::string_view bytes, std::vector<std::string>& known) {
  while (!bytes.empty()) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    known.emplace_back(bytes.substr(sizeof size, size));
    bytes.remove_prefix(sizeof size + size);
  }
}

}  // namespace

void Group::sort_in(Message message) {
  const auto kind = static_cast<Kind>(message.bytes.front());
  message.bytes.erase(0, 1);
  if (kind == Kind::Round)
    rounds_[message.from].push_back(std::move(message.bytes));
  else
    data_.push_back(std::move(message));
}

void Group::send_at_once(unsigned to, std::string_view bytes) {
  transport_.send(to, marked(static_cast<char>(Kind::Data), bytes));
}

void Group::send(unsigned to, std::string_view bytes) {
  while (transport_.is_busy(to))
    if (auto message = transport_.receive(true)) sort_in(std::move(*message));
  send_at_once(to, bytes);
}

void Group::receive(bool waits, const Handler& handler) {
  while (auto message = transport_.receive(waits && data_.empty())) {
    sort_in(std::move(*message));
    waits = false;
  }
  while (!data_.empty()) {
    const Message message = std::move(data_.front());
    data_.pop_front();
    handler(message.from, message.bytes);
  }
}

std::vector<std::string> Group::all_gather(std::string_view mine) {
  std::vector<std::string> known = {std::string(mine)};  // from this rank on
  for (unsigned step = 1; step < size(); step *= 2) {
    const unsigned to = (rank() + size() - step) % size();
    const unsigned from = (rank() + step) % size();
    const std::size_t count = std::min(step, size() - step);
    transport_.send(
        to, marked(static_cast<char>(Kind::Round), packed(known, count)));
    while (rounds_[from].empty())
      if (auto message = transport_.receive(true)) sort_in(std::move(*message));
    unpack(rounds_[from].front(), known);
    rounds_[from].pop_front();
  }
  std::rotate(known.begin(), known.begin() + ((size() - rank()) % size()),
              known.end());
  return known;
}

}  // namespace txscope::transport
