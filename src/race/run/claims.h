#pragma once

#include <set>
#include <string>
#include <vector>

#include "race/run/actor.h"

namespace txscope::race {

/// Of OpenTelemetry's kind; applications may put it into comments.
[[nodiscard]] std::string trace_id(std::size_t request);

/// Whose the connections of a pool are.  One outside of a transaction belongs
/// to the request that a trace id in its statement names, else to the one that
/// is on its way: the one that it belonged to, the one that ran last, any.
class Claims {
 public:
  explicit Claims(std::vector<Actor>& actors) : actors_(actors) {}

  [[nodiscard]] Actor* owner_of(const Lane& lane);
  /// The connection may have sent something: for whom?  `running` is the
  /// request that was last let go or started.
  void look_at(Lane& lane, std::size_t running);
  /// Its statement was let go.
  void release(const Lane& lane) { claimed_.erase(&lane); }

 private:
  [[nodiscard]] Actor& claimant_of(const Lane& lane, Actor* owner,
                                   std::size_t running);

  std::vector<Actor>& actors_;
  std::set<const Lane*> claimed_;  ///< parked, and it is known for whom
};

}  // namespace txscope::race
