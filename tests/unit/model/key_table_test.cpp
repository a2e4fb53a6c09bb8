// g++ 12 follows the largest integers into the branch that excludes them.
#pragma GCC diagnostic ignored "-Warray-bounds"

#include "model/key_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace txscope {
namespace {

TEST(KeyTable, FindsWhatWasAddedAndNothingElse) {
  AtomTable atoms;
  Random random(1);
  for (const std::int64_t spread : {100, 5000, 1000000000}) {
    KeyTable table;
    std::map<Atom, std::uint32_t> expected;
    for (int i = 0; i < 5000; ++i) {
      const std::int64_t value = random.between(-spread / 10, spread);
      const Atom name = random.chance(0.2)
                            ? atoms.of_string(std::to_string(value))
                            : atoms.of_int(value);
      const auto known = expected.find(name);
      ASSERT_EQ(table.find(name),
                known == expected.end() ? KeyTable::kAbsent : known->second);
      if (known != expected.end()) continue;
      const auto number = static_cast<std::uint32_t>(expected.size());
      expected[name] = number;
      table.add(name, number);
    }
    for (const auto& [name, number] : expected)
      ASSERT_EQ(table.find(name), number);
  }
}

TEST(KeyTable, KnowsNullAndTheLargestIntegers) {
  AtomTable atoms;
  KeyTable table;
  EXPECT_EQ(table.find(Atom::null()), KeyTable::kAbsent);
  table.add(Atom::null(), 0);
  table.add(atoms.of_int((std::int64_t{1} << 61) - 1), 1);
  table.add(atoms.of_int(-1), 2);
  EXPECT_EQ(table.find(Atom::null()), 0u);
  EXPECT_EQ(table.find(atoms.of_int((std::int64_t{1} << 61) - 1)), 1u);
  EXPECT_EQ(table.find(atoms.of_int(-1)), 2u);
  EXPECT_EQ(table.find(atoms.of_int(0)), KeyTable::kAbsent);
}

}  // namespace
}  // namespace txscope
