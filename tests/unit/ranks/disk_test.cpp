#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/random.h"
#include "support/paths.h"
#include "support/ranks.h"
#include "support/tla.h"
#include "tla/ranks/disk_set.h"

// Sets of states on disk, and searches that use them.
namespace txscope::test {
namespace {

namespace fs = std::filesystem;
using tla::FingerprintSet;
using tla::Value;
using tla::ranks::DiskSet;
using tla::ranks::RunFilter;
using tla::ranks::SentState;
using tla::ranks::SortedRun;

std::string directory() { return fs::temp_directory_path().string(); }

TEST(SortedRun, FindsWhatIsAtLeastSomething) {
  Random random(7);
  for (const std::size_t size : {0u, 1u, 255u, 256u, 257u, 5000u}) {
    std::map<std::uint64_t, std::uint64_t> entries;
    while (entries.size() < size) entries[random.below(50'000)] = random.next();
    SortedRun run(directory());
    for (const auto& [fingerprint, link] : entries)
      run.add({fingerprint, link});
    run.finish();
    SortedRun::Cursor walk(run);
    for (const auto& [fingerprint, link] : entries) {
      const auto next = walk.next();
      ASSERT_TRUE(next);
      EXPECT_EQ(next->fingerprint, fingerprint);
      EXPECT_EQ(next->link, link);
    }
    EXPECT_FALSE(walk.next());
    SortedRun::Cursor cursor(run);
    for (std::uint64_t wanted = 0; wanted < 50'100;
         wanted += 1 + random.below(40)) {
      const auto there = entries.lower_bound(wanted);
      const auto found = cursor.at_least(wanted);
      ASSERT_EQ(found.has_value(), there != entries.end());
      if (found) {
        EXPECT_EQ(found->fingerprint, there->first);
      }
    }
  }
}

TEST(RunFilter, PassesWhatIsThereAndLittleElse) {
  Random random(13);
  constexpr int kEntries = 20'000;
  for (const std::uint64_t bits : {2u, 8u}) {
    RunFilter filter(kEntries, bits);
    std::vector<std::uint64_t> there;
    for (int i = 0; i < kEntries; ++i) {
      there.push_back(random.next());
      filter.add(there.back());
    }
    for (const std::uint64_t one : there) EXPECT_TRUE(filter.may_have(one));
    int passed = 0;
    for (int i = 0; i < kEntries; ++i)
      if (filter.may_have(random.next())) ++passed;
    // Three of 64 bits for each: a bit is set with 1 - exp(-3 / bits).
    EXPECT_LT(passed, bits == 8 ? kEntries / 10 : kEntries * 2 / 3);
  }
  EXPECT_TRUE(RunFilter(kEntries, 0).may_have(1));
}

// Against a map: what is new, and the link of each state.
TEST(DiskSet, KnowsWhatIsNewAndTheLeastParent) {
  Random random(11);
  for (int round = 0; round < 20; ++round) {
    FingerprintSet recent;
    std::map<std::uint64_t, int> accepted;
    DiskSet set(recent, directory(),
                {50 + random.below(200), 20, random.below(3) * 1000}, 1,
                [&](const SentState& state, std::span<const Value> row) {
                  ++accepted[state.fingerprint];
                  EXPECT_EQ(row[0], Value::of_int(static_cast<std::int64_t>(
                                        state.fingerprint >> 16u)));
                });
    std::map<std::uint64_t, std::uint64_t> expected;
    for (std::uint32_t level = 2; level < 12; ++level) {
      for (int i = 0; i < 300; ++i) {
        const std::uint64_t key = 1 + random.below(3000);
        const SentState state{key << 16u, (1 + random.below(900)) << 16u, 0};
        const Value row = Value::of_int(static_cast<std::int64_t>(key));
        set.offer(state, level, {&row, 1});
        const auto link = FingerprintSet::link_of(state.parent, level);
        const auto [at, is_new] = expected.emplace(state.fingerprint, link);
        if (!is_new) at->second = FingerprintSet::first_of(at->second, link);
      }
      set.resolve();
      ASSERT_EQ(accepted.size(), expected.size());
      EXPECT_EQ(set.size(), expected.size());
    }
    for (const auto& [fingerprint, times] : accepted) EXPECT_EQ(times, 1);
    for (const auto& [fingerprint, link] : expected) {
      const auto known = set.find(fingerprint);
      ASSERT_TRUE(known);
      EXPECT_EQ(known->link, link);
    }
    std::map<std::uint64_t, std::uint64_t> visited;
    set.for_each([&](std::uint64_t fingerprint, std::uint64_t link) {
      EXPECT_TRUE(visited.emplace(fingerprint, link).second) << "only once";
    });
    EXPECT_EQ(visited, expected);
  }
}

TEST(RanksDisk, GiveTheAnswersOfOneProcess) {
  const fs::path examples = fs::path(source_dir()) / "examples" / "tla";
  for (const char* config :
       {"SnapshotStore", "SnapshotStoreSkew", "SnapshotStoreBlind"}) {
    ModelRequest request;
    request.spec = (examples / "SnapshotStore.tla").string();
    request.config = (examples / (std::string(config) + ".cfg")).string();
    const auto alone = check_model(request, Budget::unlimited());
    request.disk = directory();
    request.queue_bytes = 0;
    request.value_bytes = 0;
    // Next to nothing, so that nearly all is on disk; no limit of the process.
    request.disk_memory = 1;
    for (const RankRun& run : {RankRun{1, true}, RankRun{3, false}})
      expect_same_answer(alone, on_ranks(request, run), config + name_of(run));
  }
}

// A disk that takes no more: /dev/full is none, so a directory that nobody can
// write to stands for it.
TEST(RanksDisk, TellThatNothingCanBeWritten) {
  ModelRequest request;
  const fs::path examples = fs::path(source_dir()) / "examples" / "tla";
  request.spec = (examples / "SnapshotStore.tla").string();
  request.disk = "/proc/self";
  request.queue_bytes = 0;
  request.disk_memory = 1;
  for (const RankRun& run : {RankRun{1, true}, RankRun{2, false}}) {
    const auto result = on_ranks(request, run);
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->outcome, Outcome::Undecided);
    EXPECT_NE(result->trouble.find("/proc/self: cannot create a file"),
              std::string::npos)
        << result->trouble;
  }
}

}  // namespace
}  // namespace txscope::test
