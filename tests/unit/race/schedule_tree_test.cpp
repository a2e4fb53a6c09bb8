// The tree of schedules, without processes and databases: programs are lists of
// accesses to registers, and an outcome is what was read and what is there in
// the end.  The reduced search must find every outcome that all orders have.

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "race/reduce/tree.h"

namespace {

using namespace txscope::race;

struct Access {
  int object = 0;
  bool writes = false;
};
using Program = std::vector<Access>;
using Programs = std::vector<Program>;

struct Search {
  std::set<std::string> outcomes;
  std::size_t complete = 0;
  std::size_t cut = 0;
};

Footprint footprint_of(const Access& access) {
  Footprint result;
  // A write that is committed at once.
  const std::string name = "t" + std::to_string(access.object);
  if (!access.writes) result.add({name, "", Footprint::Access::Reads});
  if (access.writes) result.add({name, "", Footprint::Access::Locks});
  if (access.writes) result.add({name, "", Footprint::Access::Publishes});
  return result;
}

/// One run: the prefix of the task, then whoever does not sleep.
void run(const Programs& programs, const ScheduleTree::Task& task,
         ScheduleTree& tree, Search& search) {
  std::vector<std::size_t> next(programs.size(), 0);
  std::map<int, int> memory;
  std::string seen;
  ScheduleTree::Taken taken;
  Sleep sleep = task.sleep;
  int stamp = 0;
  while (true) {
    std::vector<Choice> enabled;
    for (std::size_t i = 0; i < programs.size(); ++i)
      if (next[i] < programs[i].size())
        enabled.push_back({Choice::Kind::Step, i, 0});
    taken.enabled.push_back(enabled);
    if (enabled.empty()) break;
    std::optional<Choice> choice;
    if (taken.steps.size() < task.prefix.size()) {
      choice = task.prefix[taken.steps.size()];
    } else {
      for (const Choice& one : enabled)
        if (!choice && !is_asleep(sleep, one)) choice = one;
    }
    if (!choice) {
      ++search.cut;
      tree.take_in(task, taken);
      return;
    }
    const Access access = programs[choice->request][next[choice->request]];
    ++stamp;
    // What is written names its writer, not the time of writing.
    if (access.writes)
      memory[access.object] =
          static_cast<int>(choice->request * 100 + next[choice->request] + 1);
    else
      seen += std::to_string(choice->request) + "." +
              std::to_string(next[choice->request]) + "=" +
              std::to_string(memory[access.object]) + " ";
    ++next[choice->request];
    taken.steps.push_back({*choice, footprint_of(access), {choice->request}});
    if (taken.steps.size() >= task.prefix.size())
      sleep = still_asleep(sleep, taken.steps.back());
  }
  ++search.complete;
  // Reads of one program come in its order; those of several are sorted.
  std::set<std::string> reads;
  for (std::size_t at = 0; at < seen.size();) {
    const std::size_t end = seen.find(' ', at);
    reads.insert(seen.substr(at, end - at));
    at = end + 1;
  }
  std::string outcome;
  for (const std::string& read : reads) outcome += read + " ";
  for (const auto& [object, value] : memory)
    if (value != 0)
      outcome += std::to_string(object) + ":" + std::to_string(value) + " ";
  search.outcomes.insert(outcome);
  tree.take_in(task, taken);
}

Search search_all(const Programs& programs, bool reduces) {
  ScheduleTree tree(reduces);
  Search search;
  while (auto task = tree.next()) run(programs, *task, tree, search);
  return search;
}

TEST(ScheduleTree, WithoutReductionRunsEveryInterleavingOnce) {
  const Program two = {{0, false}, {0, true}};
  const Search found = search_all({two, two}, false);
  EXPECT_EQ(found.complete, 6u);
  EXPECT_EQ(search_all({two, two, two}, false).complete, 90u);
}

TEST(ScheduleTree, OneRunIsEnoughForRequestsThatShareNothing) {
  const Programs programs = {{{0, false}, {0, true}}, {{1, false}, {1, true}}};
  const Search found = search_all(programs, true);
  EXPECT_EQ(found.complete, 1u);
  EXPECT_EQ(found.cut, 0u);
}

TEST(ScheduleTree, FindsTheLostUpdateWithFewerRuns) {
  const Program update = {{0, false}, {0, true}};
  const Search all = search_all({update, update}, false);
  const Search reduced = search_all({update, update}, true);
  EXPECT_EQ(reduced.outcomes, all.outcomes);
  EXPECT_LT(reduced.complete, all.complete);
}

TEST(ScheduleTree, ReductionLosesNoOutcomeOfRandomPrograms) {
  std::mt19937 random(7);
  std::size_t all_runs = 0;
  std::size_t reduced_runs = 0;
  for (int round = 0; round < 300; ++round) {
    Programs programs(2 + random() % 2);
    for (Program& program : programs)
      for (std::size_t n = 1 + random() % (programs.size() == 2 ? 4 : 3); n > 0;
           --n)
        program.push_back({static_cast<int>(random() % 3), random() % 2 == 0});
    const Search all = search_all(programs, false);
    const Search reduced = search_all(programs, true);
    ASSERT_EQ(reduced.outcomes, all.outcomes) << "round " << round;
    all_runs += all.complete;
    reduced_runs += reduced.complete + reduced.cut;
  }
  EXPECT_LT(reduced_runs * 3, all_runs);
}

TEST(Footprint, APlainReadDependsOnCommitsNotOnLocks) {
  Footprint read;
  read.add({"t", "", Footprint::Access::Reads});
  Footprint lock;
  lock.add({"t", "=1", Footprint::Access::Locks});
  Footprint commit;
  commit.add({"t", "=1", Footprint::Access::Publishes});
  Footprint other_row;
  other_row.add({"t", "=2", Footprint::Access::Locks});
  EXPECT_FALSE(read.depends_on(lock));
  EXPECT_TRUE(read.depends_on(commit));
  EXPECT_TRUE(lock.depends_on(commit));
  EXPECT_FALSE(lock.depends_on(other_row));
  EXPECT_TRUE(Footprint::of_everything().depends_on(read));
}

}  // namespace
