#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "tla/search/worker.h"

namespace txscope::tla::ranks {

/// What could not be evaluated, and where the search was then.
struct RankError {
  Error error;
  bool is_assertion = false;
  Spot spot;            ///< of the assertion
  std::string message;  ///< of the assertion
  std::uint64_t parent = 0;
  std::uint64_t checking = 0;
};

/// What a rank says at the end of a level.
struct RankReport {
  std::uint64_t generated = 0;
  std::uint64_t distinct = 0;
  std::uint64_t waiting = 0;  ///< states to expand on the next level
  std::uint64_t assertions = 0;
  std::uint64_t states_sent = 0;
  std::uint64_t states_spared = 0;  ///< that the owner was known to know
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_sent = 0;
  bool is_cut = false;
  bool wants_exit = false;
  bool is_stopped = false;
  bool wants_checkpoint = false;
  Spent spent = Spent::Nothing;
  std::vector<bool> happened;
  std::optional<Finding> finding;
  std::optional<RankError> error;
  std::string trouble;  ///< a full disk or the like
};

[[nodiscard]] std::string packed(const RankReport& report);
/// The source of a name, or null.
using FindSource = std::function<const Source*(std::string_view)>;
[[nodiscard]] RankReport unpacked(std::string_view bytes,
                                  const FindSource& find_source);

/// All of them together: numbers added up, the least finding, the least error.
[[nodiscard]] RankReport sum_of(const std::vector<RankReport>& reports);

}  // namespace txscope::tla::ranks
