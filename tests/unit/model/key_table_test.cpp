// g++ 12 follows the largest integers into the branch that excludes them.
#pragma GCC diagnostic ignored "-Warray-bounds"

#include "model/key_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace txscope {
namespace {

TEST(KeyTable, FindsWhatWasAddedAndNothingElse) {
  AtomTable atoms;
  Random random(1);
  for (const std::int64_t spread : {100, 5000, 1000000000}) {
    KeyTable table;
    std::map<Atom, std::uint32_t> expected;
    std::set<Atom> marked;
    for (int i = 0; i < 5000; ++i) {
      const std::int64_t value = random.between(-spread / 10, spread);
      const Atom name = random.chance(0.2)
                            ? atoms.of_string(std::to_string(value))
                            : atoms.of_int(value);
      const auto known = expected.find(name);
      const KeyTable::Entry found = table.find(name);
      ASSERT_EQ(found.is_absent(), known == expected.end());
      if (known != expected.end()) {
        ASSERT_EQ(found.number, known->second);
        table.mark(name, known->second % 3);
        marked.insert(name);
        continue;
      }
      const auto number = static_cast<std::uint32_t>(expected.size());
      expected[name] = number;
      table.add(name, number);
    }
    for (const auto& [name, number] : expected) {
      ASSERT_EQ(table.find(name).number, number);
      ASSERT_EQ(table.find(name).mark, marked.contains(name) ? number % 3 : 0);
    }
  }
}

TEST(KeyTable, KnowsNullAndTheLargestIntegers) {
  AtomTable atoms;
  KeyTable table;
  EXPECT_TRUE(table.find(Atom::null()).is_absent());
  table.add(Atom::null(), 0);
  table.add(atoms.of_int((std::int64_t{1} << 61) - 1), 1);
  table.add(atoms.of_int(-1), 2);
  EXPECT_EQ(table.find(Atom::null()).number, 0u);
  EXPECT_EQ(table.find(atoms.of_int((std::int64_t{1} << 61) - 1)).number, 1u);
  EXPECT_EQ(table.find(atoms.of_int(-1)).number, 2u);
  EXPECT_TRUE(table.find(atoms.of_int(0)).is_absent());
}

}  // namespace
}  // namespace txscope
