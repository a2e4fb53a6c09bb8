#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "analyze/repairs.h"
#include "repair/search.h"

namespace txscope::analyze {

/// What is left of pairs with a change.
struct Left {
  bool is_known = true;
  bool is_race = false;  ///< something that no serial order gives
  bool has_deadlock = false;
  std::set<std::string> broken;  ///< rules that no serial order breaks
  std::set<std::string> codes;   ///< after which to run it again
};

/// Asks of changes whether pairs of calls still go wrong.
class PairQuestion {
 public:
  /// What a change has to repair.
  enum class About : std::uint8_t { Race, Deadlock, Rules };
  using Parts = std::vector<CallRunner::Part>;

  PairQuestion(const Repaired& repaired, const WrongCalls& calls,
               const Budget& budget)
      : repaired_(repaired), calls_(calls), budget_(budget) {}

  /// How the pair is without a change.
  [[nodiscard]] const Left& now();
  /// How all pairs are at another level of the product.
  [[nodiscard]] Left at(const Profile& profile);
  /// None: it cannot be said, or the changed text means something else.
  [[nodiscard]] std::optional<repair::Trial> ask(const repair::Change& change,
                                                 const std::string& text,
                                                 About about);

 private:
  [[nodiscard]] std::optional<repair::Trial> of_text(const std::string& text,
                                                     About about);
  /// The unchanged application with the rows that were made up for a changed
  /// one, whose constraints may refuse others.
  [[nodiscard]] std::unique_ptr<CallRunner> with_rows_of(
      const sql::Application& changed, std::size_t made_up) const;
  [[nodiscard]] Left explored(CallRunner& runner, const std::vector<Parts>& all,
                              const Profile& profile, About about) const;
  [[nodiscard]] bool is_repaired(const Left& left, About about);
  [[nodiscard]] std::optional<repair::Trial> trial(
      CallRunner& runner, const std::vector<Parts>& pair,
      const std::vector<Parts>& others, const Profile& profile, About about);

  const Repaired& repaired_;
  const WrongCalls& calls_;
  const Budget& budget_;
  std::optional<Left> now_;
};

}  // namespace txscope::analyze
