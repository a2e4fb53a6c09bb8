#include "tla/ranks/outbox.h"

#include <cstring>
#include <string>

namespace txscope::tla::ranks {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{64} << 10u;
constexpr std::size_t kLately = std::size_t{1} << 14u;

struct BatchHead {
  std::uint32_t is_last;
  std::uint32_t states;
  std::uint32_t links;
};

template <class T>
void append(std::string& bytes, const std::vector<T>& items) {
  if (!items.empty())
    bytes.append(reinterpret_cast<const char*>(items.data()),
                 items.size() * sizeof(T));
}

template <class T>
std::vector<T> taken(std::string_view& bytes, std::size_t count) {
  std::vector<T> items(count);
  if (count > 0) std::memcpy(items.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return items;
}

}  // namespace

Outbox::Outbox(transport::Group& group, char tag)
    : group_(group), tag_(tag), batches_(group.size()), lately_(kLately) {}

void Outbox::add(unsigned to, const SentState& state, std::uint32_t level,
                 std::span<const Value> row) {
  Batch& batch = batches_[to];
  Remembered& known = lately_[(state.fingerprint >> 17u) % kLately];
  if (known.fingerprint == state.fingerprint) {
    if (known.level < level || known.parent <= state.parent) {
      ++spared_;
      return;
    }
    known.parent = state.parent;
    batch.links.push_back({state.fingerprint, state.parent});
  } else {
    known = {state.fingerprint, state.parent, level};
    batch.states.push_back(state);
    batch.rows.add(row);
    ++states_;
  }
  if (batch.rows.size() + batch.states.size() * sizeof(SentState) +
          batch.links.size() * sizeof(SentLink) >=
      kBatchBytes)
    flush(to, false);
}

void Outbox::flush(unsigned to, bool is_last) {
  Batch& batch = batches_[to];
  const BatchHead head{is_last, static_cast<std::uint32_t>(batch.states.size()),
                       static_cast<std::uint32_t>(batch.links.size())};
  std::string bytes(1, tag_);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  append(bytes, batch.states);
  append(bytes, batch.links);
  if (!batch.states.empty()) bytes += batch.rows.take();
  batch.states.clear();
  batch.links.clear();
  group_.send(to, bytes);
}

void Outbox::end_level() {
  // Not all to rank 0 first.
  for (unsigned i = 1; i < group_.size(); ++i)
    flush((group_.rank() + i) % group_.size(), true);
}

Batch read_batch(std::string_view bytes) {
  BatchHead head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  Batch batch;
  batch.is_last = head.is_last != 0;
  batch.states = taken<SentState>(bytes, head.states);
  batch.links = taken<SentLink>(bytes, head.links);
  batch.rows = bytes;
  return batch;
}

}  // namespace txscope::tla::ranks
