#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "support/ranks.h"
#include "support/tla.h"

// Searches on ranks that are ended, killed, and taken up by another number.
namespace txscope::test {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch()
      : path((fs::temp_directory_path() /
              ("txscope-ranks-" + std::to_string(getpid())))
                 .string()) {
    fs::remove_all(path);
  }
  ~Scratch() { fs::remove_all(path); }
  const std::string path;
};

// 3,375 states on 43 levels.
const std::string kModule =
    "EXTENDS Naturals, FiniteSets\nVARIABLES x, y, z\n"
    "Init == x = 0 /\\ y = 0 /\\ z = 0\n"
    "Next == \\/ x < 14 /\\ x' = x + 1 /\\ UNCHANGED <<y, z>>\n"
    "        \\/ y < 14 /\\ y' = y + 1 /\\ UNCHANGED <<x, z>>\n"
    "        \\/ z < 14 /\\ z' = z + 1 /\\ UNCHANGED <<x, y>>\n"
    "Slow == \\A s \\in SUBSET (1..6) : Cardinality(s) + x + y + z >= 0\n"
    "Far == x + y < 27\n";
const std::string kConfig =
    "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Slow ";

/// Runs a few steps, again and again, each time on another number of ranks,
/// until it is done.
Result<ModelResult> in_pieces(const std::string& config, bool are_threads,
                              bool has_disk, int* pieces) {
  const Scratch directory;
  for (std::uint32_t piece = 1;; ++piece) {
    SpecRun run;
    run.limits.steps = std::uint64_t{256} * piece;
    run.adjust = [&](ModelRequest& r) {
      set_ranks(r, {1 + piece % 4, are_threads});
      r.checkpoint = directory.path;
      if (fs::exists(directory.path + "/manifest")) r.resume = directory.path;
      if (has_disk) {
        r.disk = fs::temp_directory_path().string();
        r.memory_bytes = std::uint64_t{4} << 30u;
      }
    };
    auto result = check_spec(kModule, config, run);
    if (!result || result->outcome != Outcome::Undecided) return result;
    EXPECT_EQ(result->trouble, "");
    if (!result->checkpoint.empty()) ++*pieces;
  }
}

TEST(RanksCheckpoint, CountAsIfNothingHadHappened) {
  const auto alone = check_spec(kModule, kConfig);
  int pieces = 0;
  for (const bool are_threads : {true, false})
    for (const bool has_disk : {true, false})
      expect_same_answer(alone,
                         in_pieces(kConfig, are_threads, has_disk, &pieces),
                         "in pieces");
  EXPECT_GT(pieces, 3);
}

TEST(RanksCheckpoint, FindTheSameTrace) {
  const std::string config = kConfig + "INVARIANT Far";
  int pieces = 0;
  expect_same_answer(check_spec(kModule, config),
                     in_pieces(config, false, false, &pieces), "in pieces");
}

TEST(RanksCheckpoint, AreOfOneSpecification) {
  const Scratch directory;
  SpecRun run;
  run.max_depth = 5;
  run.adjust = [&](ModelRequest& r) {
    set_ranks(r, {2, true});
    r.checkpoint = directory.path;
  };
  ASSERT_TRUE(check_spec(kModule, kConfig, run));
  ASSERT_TRUE(fs::exists(directory.path + "/manifest"));
  run.adjust = [&](ModelRequest& r) {
    set_ranks(r, {2, true});
    r.resume = directory.path;
  };
  ASSERT_TRUE(check_spec(kModule, kConfig, run));
  const auto changed = check_spec(kModule + "More == 1\n", kConfig, run);
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().what.find("another specification"),
            std::string::npos)
      << changed.error().what;
  // A byte of a part is not what was written.
  for (const auto& entry : fs::directory_iterator(directory.path)) {
    if (entry.path().extension() != ".states") continue;
    std::fstream file(entry.path(),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(50);
    file.put('!');
  }
  const auto damaged = check_spec(kModule, kConfig, run);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().what.find("damaged"), std::string::npos)
      << damaged.error().what;
}

/// A process of this one's that has no other parent; none if there is none.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    pid_t id = 0;
    std::string name;
    char state = 0;
    pid_t its_parent = 0;
    if (file >> id >> name >> state >> its_parent && its_parent == parent)
      found.push_back(id);
  }
  return found;
}

TEST(RanksLost, ARankThatIsKilledEndsTheRunWithAUsableCheckpoint) {
  const Scratch directory;
  // A minute's work, if nobody ends it.
  const std::string config =
      "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Slower";
  const std::string module =
      kModule +
      "Slower == \\A s \\in SUBSET (1..12) : Cardinality(s) + x + y + z >= 0\n";
  pid_t killed = 0;
  std::thread killer([&] {
    while (!fs::exists(directory.path + "/manifest"))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto children = children_of(getpid());
    if (children.empty()) return;
    killed = children.back();
    kill(killed, SIGKILL);
  });
  SpecRun run;
  run.limits.time = std::chrono::minutes(2);
  run.adjust = [&](ModelRequest& r) {
    set_ranks(r, {3, false});
    r.checkpoint = directory.path;
  };
  const auto result = check_spec(module, config, run);
  killer.join();
  ASSERT_NE(killed, 0);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Undecided);
  EXPECT_NE(result->trouble.find("(process " + std::to_string(killed) +
                                 ") was killed by signal 9"),
            std::string::npos)
      << result->trouble;
  EXPECT_EQ(result->checkpoint, directory.path);
  EXPECT_TRUE(children_of(getpid()).empty());
  // The invariant is another, so that it does not take a minute: what counts
  // is that the files are whole.
  run.max_depth = 1;
  run.adjust = [&](ModelRequest& r) {
    set_ranks(r, {2, false});
    r.resume = directory.path;
  };
  const auto later = check_spec(module, config, run);
  ASSERT_TRUE(later) << later.error().what;
  EXPECT_TRUE(later->is_cut_by_depth);
}

// A rank that stands still is waited for; the answer is the same.
TEST(RanksSlow, AreWaitedFor) {
  const auto alone = check_spec(kModule, kConfig);
  std::thread slower([] {
    for (int i = 0; i < 200; ++i) {
      const auto children = children_of(getpid());
      if (!children.empty()) {
        kill(children.front(), SIGSTOP);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(children.front(), SIGCONT);
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto together = spec_on_ranks(kModule, kConfig, {3, false});
  slower.join();
  expect_same_answer(alone, together, "with a slow rank");
}

}  // namespace
}  // namespace txscope::test
