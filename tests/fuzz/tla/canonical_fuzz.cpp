#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "support/fuzz.h"
#include "tla/value/row_codec.h"

// What a state is as bytes depends on its values only: not on the Store that
// they are in, nor on the order in which they, or their elements, were made.
namespace txscope::test {
namespace {

using tla::Store;
using tla::Value;

/// A value as a recipe: the same in every store, its elements in any order.
struct Recipe {
  enum class Kind { Int, Bool, String, Model, Set, Sequence, Function } kind;
  std::int64_t number = 0;
  std::vector<Recipe> parts;  // of functions: argument, value, argument, ...
};

Recipe random_recipe(Random& random, int depth) {
  const auto kind = static_cast<Recipe::Kind>(random.below(depth > 0 ? 7 : 4));
  Recipe recipe{kind, random.between(-3, 3), {}};
  if (kind < Recipe::Kind::Set) return recipe;
  const std::uint64_t count = random.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (kind == Recipe::Kind::Function)
      recipe.parts.push_back({Recipe::Kind::Int,
                              static_cast<std::int64_t>(i + random.below(2)),
                              {}});
    recipe.parts.push_back(random_recipe(random, depth - 1));
  }
  if (kind == Recipe::Kind::Function)  // arguments once each
    for (std::size_t i = 0; i < recipe.parts.size(); i += 2)
      recipe.parts[i].number += 2 * static_cast<std::int64_t>(i);
  return recipe;
}

/// Elements and arguments in an order of its own.
Value made(const Recipe& recipe, Store& store, Random& random) {
  const auto shuffled = [&random](std::size_t count) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count; ++i)
      order.insert(
          order.begin() + static_cast<std::ptrdiff_t>(random.below(i + 1)), i);
    return order;
  };
  switch (recipe.kind) {
    case Recipe::Kind::Int: return Value::of_int(recipe.number);
    case Recipe::Kind::Bool: return Value::of_bool(recipe.number > 0);
    case Recipe::Kind::String:
      return store.string("s" + std::to_string(recipe.number));
    case Recipe::Kind::Model:
      return store.model("m" + std::to_string(recipe.number));
    case Recipe::Kind::Set: {
      std::vector<Value> elements;
      for (const std::size_t i : shuffled(recipe.parts.size()))
        elements.push_back(made(recipe.parts[i], store, random));
      return store.set(elements);
    }
    case Recipe::Kind::Sequence: {
      std::vector<Value> items(recipe.parts.size());
      for (const std::size_t i : shuffled(recipe.parts.size()))
        items[i] = made(recipe.parts[i], store, random);
      return store.sequence(items);
    }
    case Recipe::Kind::Function: break;
  }
  std::vector<std::pair<Value, Value>> pairs;
  for (const std::size_t i : shuffled(recipe.parts.size() / 2))
    pairs.emplace_back(made(recipe.parts[2 * i], store, random),
                       made(recipe.parts[2 * i + 1], store, random));
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return tla::compare(a.first, b.first) < 0;
  });
  std::vector<Value> arguments;
  std::vector<Value> values;
  for (const auto& [argument, value] : pairs) {
    arguments.push_back(argument);
    values.push_back(value);
  }
  return store.function(store.set(arguments), values);
}

std::string bytes_of(const std::vector<Value>& row) {
  tla::RowWriter writer;
  writer.add(row);
  return writer.take();
}

TEST(CanonicalFuzz, EqualStatesHaveEqualBytesAndHashesEverywhere) {
  Random random(fuzz_seed(83));
  Store here;
  const int rounds = fuzz_rounds(4000);
  for (int round = 0; round < rounds; ++round) {
    Store there;
    (void)there.string("s" + std::to_string(random.below(9)));
    (void)there.model("m" + std::to_string(random.below(9)));
    std::vector<Recipe> recipes;
    for (int i = 0; i < 3; ++i) recipes.push_back(random_recipe(random, 3));
    std::vector<Value> a;
    for (const Recipe& recipe : recipes)
      a.push_back(made(recipe, here, random));
    std::vector<Value> b(3);
    for (const std::size_t i : {2u, 0u, 1u})
      b[i] = made(recipes[i], there, random);
    ASSERT_EQ(bytes_of(a), bytes_of(b)) << tla::to_string(a[0]);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(tla::hash_of(a[i]), tla::hash_of(b[i]));
    const auto back = tla::read_rows(bytes_of(b), here);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, a) << "one word for one value";
  }
}

TEST(CanonicalFuzz, DifferentStatesHaveDifferentBytes) {
  Random random(fuzz_seed(89));
  Store store;
  const int rounds = fuzz_rounds(4000);
  for (int round = 0; round < rounds; ++round) {
    const Value a = made(random_recipe(random, 2), store, random);
    const Value b = made(random_recipe(random, 2), store, random);
    EXPECT_EQ(a == b, bytes_of({a}) == bytes_of({b}))
        << tla::to_string(a) << " " << tla::to_string(b);
  }
}

}  // namespace
}  // namespace txscope::test
