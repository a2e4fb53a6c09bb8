#include "check/facts/unique_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace txscope::check {
namespace {

// What is known must be so; what was written once, as a small number, by one
// transaction must be known.
TEST(UniqueValues, KnowsWhoWroteWhatWasWrittenOnce) {
  AtomTable atoms;
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    struct Write {
      KeyId key;
      Atom value;
      TxnId writer;
    };
    const auto any_value = [&] {
      if (random.chance(0.1)) return Atom::null();
      if (random.chance(0.1)) return atoms.of_string("x");
      if (random.chance(0.1)) return atoms.of_int(-1);
      return atoms.of_int(static_cast<std::int64_t>(
          random.below(random.chance(0.2) ? 1000 : 30)));
    };
    std::vector<Write> writes(random.below(12));
    UniqueValues unique;
    unique.expect(writes.size());
    for (Write& w : writes) {
      w = {KeyId(random.below(3)), any_value(), TxnId(random.below(5) + 1)};
      unique.add(w.key, w.value, w.writer);
    }
    for (int i = 0; i < 50; ++i) {
      const KeyId key(random.below(3));
      const Atom value = any_value();
      const auto of_value =
          std::count_if(writes.begin(), writes.end(),
                        [&](const Write& w) { return w.value == value; });
      const auto place = std::find_if(
          writes.begin(), writes.end(),
          [&](const Write& w) { return w.value == value && w.key == key; });
      const auto found = unique.find(key, value);
      const bool is_small = value.is_small_int() && value.small_int() >= 0 &&
                            value.small_int() < 30;
      ASSERT_TRUE(found || !is_small || of_value > 1);
      if (!found) continue;
      ASSERT_LT(of_value, 2);
      ASSERT_EQ(*found, place == writes.end() ? kNone<TxnId> : place->writer);
    }
    unique.forget();
    EXPECT_FALSE(unique.find(KeyId(0), atoms.of_int(1)));
  }
}

}  // namespace
}  // namespace txscope::check
