#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tla/value/row_codec.h"
#include "transport/group.h"

namespace txscope::tla::ranks {

/// A successor that another rank has to know.
struct SentState {
  std::uint64_t fingerprint = 0;
  std::uint64_t parent = 0;
  std::uint64_t action = 0;  ///< a number for its place; 0: not counted
};
/// A further parent of a state that was sent before.
struct SentLink {
  std::uint64_t fingerprint = 0;
  std::uint64_t parent = 0;
};

/// States on their way to other ranks, in batches of about 64 KB for each.
///
/// A small memory of what was sent lately leaves out what its owner knows: a
/// state that was sent on an earlier level is nothing new; one that was sent on
/// this level is worth a word only if its parent is less, since the owner keeps
/// the least.
class Outbox {
 public:
  /// Each message begins with `tag`.
  Outbox(transport::Group& group, char tag);

  void add(unsigned to, const SentState& state, std::uint32_t level,
           std::span<const Value> row);
  /// Sends what is left, and to each rank that it was all of this level.
  void end_level();
  [[nodiscard]] std::uint64_t states() const { return states_; }
  [[nodiscard]] std::uint64_t spared() const { return spared_; }

 private:
  struct Batch {
    std::vector<SentState> states;
    std::vector<SentLink> links;
    RowWriter rows;
  };
  struct Remembered {
    std::uint64_t fingerprint = 0;
    std::uint64_t parent = 0;
    std::uint32_t level = 0;
  };
  void flush(unsigned to, bool is_last);

  transport::Group& group_;
  char tag_;
  std::vector<Batch> batches_;
  std::vector<Remembered> lately_;
  std::uint64_t states_ = 0;
  std::uint64_t spared_ = 0;
};

/// What an Outbox sent.
struct Batch {
  bool is_last = false;  ///< of its level
  std::vector<SentState> states;
  std::vector<SentLink> links;
  std::string_view rows;  ///< of the states, for read_rows()
};
[[nodiscard]] Batch read_batch(std::string_view bytes);

}  // namespace txscope::tla::ranks
