#pragma once

#include <cstdint>
#include <vector>

#include "check/strong/serial/timeline.h"

namespace txscope::check {

/// Lays sessions anew over the others of a timeline.
///
/// Method.  Of all ways to place the session's members of a range, in their
/// order and each within a window around where it is, dynamic programming finds
/// one in which most reads, its own and the others', see what they saw.  What
/// that is worth at each place is a step function, summed up from where it
/// changes.  Where the session's own reads and writes of a key depend on each
/// other, each is judged by where the other is now.
class SessionLayer {
 public:
  explicit SessionLayer(Timeline& timeline);

  /// `window` places to each side.  If the session `moves_along`, its own
  /// earlier and later members are thought to move by the same distance.
  void lay(std::uint32_t session, const Timeline::Range& range,
           std::int64_t window, bool moves_along);

 private:
  using Access = SerialScript::Access;
  using Member = SerialScript::Member;

  struct Use {  // of a key, by another session
    double time;
    std::uint32_t access;
  };
  // What is there of a key at some place, and since when.
  struct Held {
    std::uint32_t item;
    double since;
  };

  void find_own_writes();
  void collect_uses(std::uint32_t session, const Timeline::Range& range);
  void score(const Member& m, std::int64_t begin, std::size_t width);
  void score_access(const Member& m, std::uint32_t access, double begin,
                    std::size_t width);
  void keep_out_of_trouble(std::uint32_t access, double begin,
                           std::size_t width);
  [[nodiscard]] Held held_before(std::uint32_t access, std::size_t use) const;
  [[nodiscard]] double own_from(const Member& m, std::uint32_t access,
                                const Held& held) const;
  void add(const Member& m, std::uint32_t access, std::uint32_t item,
           std::size_t use, double begin, std::size_t place, std::size_t until);
  [[nodiscard]] double worth_to_own(std::uint32_t access, const Member& m,
                                    double time, double overwritten) const;
  [[nodiscard]] double time_of(const Member& m) const {
    return timeline_.time(
        static_cast<std::uint32_t>(&m - script_.members.data()));
  }
  [[nodiscard]] double time_of_access(std::uint32_t access) const {
    return timeline_.time(script_.access_member[access]);
  }

  Timeline& timeline_;
  const SerialScript& script_;
  const Timeline::Range* range_ = nullptr;
  bool moves_along_ = true;
  std::vector<std::vector<Use>> uses_;  // by key
  std::vector<KeyId> used_keys_;
  std::vector<std::uint32_t> own_before_, own_after_;  // by access
  std::vector<std::uint32_t> group_place_;             // by access
  std::vector<double> changes_, scores_;               // by place of a window
  std::vector<double> best_, next_;
  std::vector<std::int64_t> begins_;  // of the windows
  std::vector<std::uint32_t> came_from_;
  std::vector<double> laid_;
};

}  // namespace txscope::check
