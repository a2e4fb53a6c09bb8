#include "read/histories/number_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace txscope {
namespace {

// Small numbers and large ones are kept apart, and where the line is moves.
TEST(NumberTable, FindsWhatWasAddedWhateverTheNumbersAre) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    read::NumberTable table;
    std::map<std::uint64_t, std::uint32_t> expected;
    const std::uint64_t range = std::uint64_t{1} << random.below(64);
    for (std::uint32_t i = 0; i < 2000; ++i) {
      const std::uint64_t number =
          random.chance(0.5) ? random.below(range) : random.below(4000);
      bool is_new = false;
      const std::uint32_t found = table.find_or_add(number, i, is_new);
      const auto [place, is_expected_new] = expected.try_emplace(number, i);
      ASSERT_EQ(is_new, is_expected_new);
      ASSERT_EQ(found, place->second);
    }
  }
}

}  // namespace
}  // namespace txscope
