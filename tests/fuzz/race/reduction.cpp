// The search leaves out orders of steps that do not matter.  Do they?  Random
// applications are raced with and without it, and what differs is made small.

#include <gtest/gtest.h>

#include <functional>

#include "fuzz/race/random_application.h"
#include "support/fuzz.h"
#include "unit/race/scripts.h"

namespace txscope::race {
namespace {

using scripts::Seen;

struct Side {
  Seen outcomes;
  std::vector<std::string> uncaught;
  bool is_complete = false;
  std::size_t schedules = 0;
};

struct Both {
  Side all;
  Side reduced;
  [[nodiscard]] bool are_equal() const {
    return all.outcomes == reduced.outcomes && all.uncaught == reduced.uncaught;
  }
};

Plan plan_of(const RandomApplication& application, Product product,
             const test::TemporaryDirectory& place) {
  if (product == Product::PostgreSql) {
    scripts::Scripts texts;
    for (std::size_t i = 0; i < application.requests.size(); ++i)
      texts.requests.push_back(application.script(i));
    return scripts::plan_of(texts, place);
  }
  Plan plan;
  plan.product = product;
  plan.directory = place.path();
  for (std::size_t i = 0; i < application.requests.size(); ++i) {
    const std::string name = std::to_string(i + 1);
    place.write(name + ".sql", application.script(i));
    plan.requests.push_back(
        {name,
         {"/bin/sh", "-c",
          "exec mariadb --no-defaults -N -h$MYSQL_HOST -P$MYSQL_TCP_PORT "
          "-u$MYSQL_USER $MYSQL_DATABASE < " +
              name + ".sql"}});
  }
  return plan;
}

Result<Side> race_once(const Plan& plan, Copies& copies, bool reduces,
                       std::size_t most) {
  SearchOptions options;
  options.reduces = reduces;
  options.max_schedules = most;
  auto found = search(plan, copies, options, Budget::unlimited());
  if (!found) return found.error();
  Side side;
  side.outcomes = scripts::seen(*found);
  for (const RunTrace& hung : found->hung)
    side.outcomes.insert("hangs: " + hung.problem);
  side.uncaught = found->uncaught;
  side.is_complete = found->is_complete;
  side.schedules = found->schedules;
  return side;
}

/// None: too many orders, or a request that nothing comes of.
std::optional<Both> race_both(const RandomApplication& application,
                              Product product) {
  constexpr std::size_t kMost = 400;
  const test::TemporaryDirectory place;
  const Plan plan = plan_of(application, product, place);
  auto copies = Copies::from_sql(application.schema, "schema.sql", product);
  EXPECT_TRUE(copies) << copies.error().what << application.schema;
  if (!copies) return std::nullopt;
  auto all = race_once(plan, **copies, false, kMost);
  // Both wait for a lock that one of them holds on another connection, say.
  if (!all || !all->is_complete) return std::nullopt;
  auto reduced = race_once(plan, **copies, true, 0);
  EXPECT_TRUE(reduced) << reduced.error().what;
  if (!reduced) return std::nullopt;
  return Both{*std::move(all), *std::move(reduced)};
}

/// With as few statements as show it.
RandomApplication made_small(RandomApplication application, Product product) {
  bool is_smaller = true;
  while (is_smaller) {
    is_smaller = false;
    for (std::size_t r = 0; r < application.requests.size(); ++r)
      for (std::size_t i = 0; i < application.requests[r].size();) {
        RandomApplication less = application;
        less.requests[r].erase(less.requests[r].begin() +
                               static_cast<std::ptrdiff_t>(i));
        const auto both = race_both(less, product);
        if (both && !both->are_equal()) {
          application = std::move(less);
          is_smaller = true;
        } else {
          ++i;
        }
      }
  }
  return application;
}

std::string difference(const Both& both) {
  std::string text;
  for (const std::string& one : both.all.outcomes)
    if (both.reduced.outcomes.count(one) == 0) text += "lost: " + one + "\n";
  for (const std::string& one : both.reduced.outcomes)
    if (both.all.outcomes.count(one) == 0)
      text += "only reduced: " + one + "\n";
  return text;
}

using Maker = RandomApplication (*)(std::mt19937&, std::size_t requests,
                                    std::size_t steps);

void compare(Product product, Maker make, std::size_t requests,
             std::size_t steps, std::uint64_t seed, int rounds) {
  std::mt19937 random(static_cast<unsigned>(fuzz_seed(seed)));
  std::size_t compared = 0;
  std::size_t all = 0;
  std::size_t reduced = 0;
  for (int round = 0; round < fuzz_rounds(rounds); ++round) {
    const RandomApplication application = make(random, requests, steps);
    const auto both = race_both(application, product);
    if (!both) continue;
    ++compared;
    all += both->all.schedules;
    reduced += both->reduced.schedules;
    EXPECT_TRUE(both->reduced.is_complete);
    if (both->are_equal()) continue;
    // A wrong answer is the same when it is asked again.
    const auto again = race_both(application, product);
    ADD_FAILURE() << "round " << round
                  << (again && again->are_equal() ? ", not again" : "") << "\n"
                  << difference(*both)
                  << made_small(application, product).shown();
  }
  EXPECT_GT(compared, 0u);
  std::printf("%zu applications, %zu orders, %zu of them run\n", compared, all,
              reduced);
}

TEST(FuzzRace, ReductionLosesNoOutcomeOfTwoRequests) {
  compare(Product::PostgreSql, random_on_postgresql, 2, 3, 1, 3);
}

TEST(FuzzRace, ReductionLosesNoOutcomeOfThreeRequests) {
  compare(Product::PostgreSql, random_on_postgresql, 3, 2, 2, 1);
}

TEST(FuzzRace, ReductionLosesNoOutcomeOfTwoRequestsOnMariadb) {
  compare(Product::MariaDb, random_on_mariadb, 2, 3, 3, 1);
}

TEST(FuzzRace, ReductionLosesNoOutcomeOfThreeRequestsOnMariadb) {
  compare(Product::MariaDb, random_on_mariadb, 3, 2, 4, 1);
}

}  // namespace
}  // namespace txscope::race
