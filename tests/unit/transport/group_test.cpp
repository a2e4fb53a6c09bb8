#include "transport/group.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "transport/processes.h"
#include "transport/threads.h"

// What a Transport promises, of both that there are.
namespace txscope::test {
namespace {

using namespace txscope::transport;

using Run = void (*)(unsigned, const std::function<void(Transport&)>&);

class TransportTest : public testing::TestWithParam<Run> {
 protected:
  /// What rank 0 saw; a rank that is not content ends without leave(), which
  /// rank 0 gets to know.
  static void run(unsigned size, const std::function<void(Group&)>& body) {
    GetParam()(size, [&](Transport& transport) {
      Group group(transport);
      body(group);
      group.leave();
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Both, TransportTest,
                         testing::Values(&run_threads, &run_processes),
                         [](const auto& one) {
                           return one.index == 0 ? "Threads" : "Processes";
                         });

void demand(bool is_so, const char* what) {
  if (!is_so) throw Lost{what};
}

TEST_P(TransportTest, GathersWhatEachSaysByRank) {
  for (unsigned size = 1; size <= 9; ++size)
    run(size, [](Group& group) {
      for (int round = 0; round < 20; ++round) {
        const auto word = [&](unsigned rank) {
          return std::string(rank * 3u, 'x') + std::to_string(rank + round);
        };
        const auto all = group.all_gather(word(group.rank()));
        demand(all.size() == group.size(), "one from each");
        for (unsigned i = 0; i < group.size(); ++i)
          demand(all[i] == word(i), "in the order of ranks");
      }
    });
}

// Every rank sends much to all others at once: more than fits on the way, so
// all have to receive while they send.
TEST_P(TransportTest, BringsEverythingInOrder) {
  constexpr unsigned kMessages = 200;
  run(4, [](Group& group) {
    std::vector<unsigned> seen(group.size(), 0);
    const auto take = [&](unsigned from, std::string_view bytes) {
      demand(bytes.size() == 40'000 + seen[from], "whole");
      demand(bytes.front() == static_cast<char>('a' + from), "from its sender");
      ++seen[from];
    };
    for (unsigned i = 0; i < kMessages; ++i)
      for (unsigned to = 0; to < group.size(); ++to)
        if (to != group.rank())
          group.send(to, std::string(40'000 + i,
                                     static_cast<char>('a' + group.rank())));
    unsigned left = (group.size() - 1) * kMessages;
    while (left > 0)
      group.receive(true, [&](unsigned from, std::string_view bytes) {
        take(from, bytes);
        --left;
      });
    (void)group.all_gather("done");
  });
}

TEST_P(TransportTest, WaitsForASlowRank) {
  run(3, [](Group& group) {
    if (group.rank() == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    demand(group.all_gather("x").size() == 3, "all");
  });
}

// Nobody waits for ever for a rank that ends too early.
TEST_P(TransportTest, TellsThatARankIsLost) {
  for (const unsigned early : {0u, 1u, 2u})
    EXPECT_THROW(run(3,
                     [&](Group& group) {
                       if (group.rank() == early) throw Lost{"on purpose"};
                       (void)group.all_gather("x");
                     }),
                 Lost);
}

TEST(ProcessesTest, SayWhichProcessWasKilled) {
  try {
    run_processes(4, [](Transport& transport) {
      Group group(transport);
      if (group.rank() == 2) kill(getpid(), SIGKILL);
      (void)group.all_gather("x");
    });
    FAIL() << "the loss of a process was not noticed";
  } catch (const Lost& lost) {
    EXPECT_NE(lost.what.find("rank 2 (process "), std::string::npos)
        << lost.what;
    EXPECT_NE(lost.what.find("killed by signal 9"), std::string::npos)
        << lost.what;
  }
}

// The others of a rank 0 that has its answer end, too.
TEST_P(TransportTest, EndsWhenRankZeroIsDone) {
  run(3, [](Group& group) {
    if (group.rank() == 0) return;
    group.receive(true, {});
    (void)group.all_gather("x");
  });
}

}  // namespace
}  // namespace txscope::test
