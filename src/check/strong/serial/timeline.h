#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/strong/serial/serial_script.h"

namespace txscope::check {

/// A guess in which order the members of a script ran, and what is wrong with
/// it.  A time is a place in that order, so no two are the same.
class Timeline {
 public:
  using Access = SerialScript::Access;
  using Member = SerialScript::Member;

  /// Places [first, last), and what the keys hold before the first.
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
    std::vector<std::uint32_t> items;  ///< by key
  };
  /// A read that is wrong, although what it saw was there before: whoever
  /// overwrote that in between is in the way.
  struct Trouble {
    double from, to;     ///< when it was written, and when it is read
    std::uint32_t read;  ///< access
  };

  /// Every session spread evenly over the run.
  explicit Timeline(const SerialScript& script);

  [[nodiscard]] const SerialScript& script() const { return script_; }
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(order_.size());
  }
  [[nodiscard]] std::span<const double> times() const { return times_; }
  [[nodiscard]] double time(std::uint32_t member) const {
    return times_[member];
  }
  /// Members, by time.
  [[nodiscard]] std::span<const std::uint32_t> order() const { return order_; }
  [[nodiscard]] Range all() const { return {0, size(), script_.initial}; }

  /// Gives members [first, first + times.size()) of one session new times,
  /// which ascend and lie within the range.
  void move(const Range& range, std::uint32_t first,
            std::span<const double> times);
  void set_order(const Range& range, std::span<const std::uint32_t> members);

  /// Runs the members of the range, and some behind it, in the order of times.
  /// What then does not see what it saw counts more from now on.  How many
  /// reads that are.
  std::size_t weigh(const Range& range);
  /// How much a read counts, by access.
  [[nodiscard]] double weight(std::uint32_t access) const {
    return weights_[access];
  }
  [[nodiscard]] std::span<const Trouble> troubles(KeyId key) const {
    return troubles_[key.index];
  }
  /// The places of wrong reads, and where what they saw was written, as far as
  /// it was, of the last call of weigh().
  struct Wrong {
    std::uint32_t from, to;
  };
  [[nodiscard]] std::span<const Wrong> wrong() const { return wrong_; }
  /// The last place that the range has an influence on, or nearly so.
  [[nodiscard]] std::uint32_t end_of_influence(const Range& range) const;

  /// Around each wrong read, so much to each side, those that overlap as one.
  [[nodiscard]] std::vector<Range> ranges_around_wrong(
      std::uint32_t margin) const;

 private:
  const SerialScript& script_;
  std::vector<double> times_;                   // by member
  std::vector<std::uint32_t> order_;            // members, by time
  std::vector<double> weights_;                 // of reads, by access
  std::vector<std::vector<Trouble>> troubles_;  // by key
  std::vector<KeyId> troubled_keys_;
  std::vector<Wrong> wrong_;
  // Scratch.
  std::vector<double> written_;  // by item, when; kNotYet between calls
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> merged_;
};

}  // namespace txscope::check
