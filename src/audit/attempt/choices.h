#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace txscope::audit {

/// All ways through something that asks for choices as it runs, one per run.
///
/// A run asks choose() as often as it wants; what it asks for may depend on
/// what it was told before.  next() turns the last choice that has another
/// option.  So every way is run once, the first options first.
class Choices {
 public:
  /// Prepares the next run; false: that were all.
  bool next();
  /// Picks one of `options` (at least one), from 0.
  std::size_t choose(std::size_t options);

  /// How many choices this run has made so far.
  [[nodiscard]] std::size_t made() const { return made_; }
  /// How many the last run made that are not all tried.
  [[nodiscard]] std::size_t size() const { return wheels_.size(); }
  /// The options of a choice before this one lead to nothing else.
  void go_on_with(std::size_t choice, std::size_t option);

  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  /// Something in this run was not the first option.
  [[nodiscard]] bool is_other() const;
  /// Everything was the first option.
  [[nodiscard]] bool is_first() const { return runs_ == 1; }

 private:
  struct Wheel {
    std::size_t at = 0;
    std::size_t options = 1;
    std::size_t next = 1;  ///< the option after this one
  };
  std::vector<Wheel> wheels_;
  std::size_t made_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace txscope::audit
