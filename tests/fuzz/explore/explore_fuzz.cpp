#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "certify/certify.h"
#include "check/anomaly/name_anomaly.h"
#include "check/check.h"
#include "explore/explore.h"
#include "read/histories/history_source.h"
#include "read/txn/txn.h"
#include "report/history_lines.h"
#include "support/fuzz.h"
#include "support/program_oracle.h"
#include "support/random_program.h"

namespace txscope {
namespace {

using testing::RandomProgram;
using testing::RandomProgramOptions;

const std::vector<Base> kLevels(all_bases().begin() + 1, all_bases().end());

Result<std::vector<Answer>> run(const Program& program,
                                explore::ExploreOptions options) {
  options.levels = kLevels;
  options.all = true;
  options.explains = false;
  return explore::explore(program, options, Budget::unlimited());
}

/// The notation of the oracle.
std::string describe(const Program& program, const exec::Code& code,
                     const explore::ExploredHistory& history) {
  const auto id = [&](exec::InstanceId i) {
    const exec::Code::Instance& instance = code.instances[i.index];
    return std::to_string(instance.session) + "." +
           std::to_string(instance.call);
  };
  const auto key = [&](KeyId k) {
    std::size_t t = code.tables.size() - 1;
    while (code.tables[t].first_key > k.index) --t;
    return std::to_string(t) + "/" +
           std::to_string(k.index - code.tables[t].first_key);
  };
  (void)program;
  std::string out;
  for (const explore::ExploredHistory::Txn& txn : history.txns) {
    out += id(txn.instance) + (txn.is_committed ? " c" : " a");
    for (const explore::ExploredHistory::Event& e : txn.events) {
      using Kind = explore::ExploredHistory::Event::Kind;
      out += e.kind == Kind::Read ? " r" : e.kind == Kind::Write ? " w" : " o";
      out += key(e.key);
      if (e.kind == Kind::Read) {
        out += "<" + (e.source == exec::kInit ? "init" : id(e.source));
      }
    }
    out += "\n";
  }
  return out;
}

/// What is wrong with the exploration of a program; empty if nothing is.
std::string differences(const std::string& text) {
  const auto program = read::read_txn("fuzz.txn", text);
  if (!program) return "";  // a shrunk program need not be one
  const auto expected = testing::oracle(*program, 20000);
  if (!expected) return "";
  const auto code = exec::compile(*program);
  std::map<Base, std::multiset<std::string>> found;
  explore::ExploreOptions options;
  options.on_history = [&](const explore::ExploredHistory& history) {
    found[history.level].insert(describe(*program, *code, history));
  };
  const auto result = run(*program, options);
  for (const Answer& level : *result) {
    const std::string at = " at " + level.level;
    const testing::OracleLevel& oracle = expected->at(*level.base);
    const auto& histories = found[*level.base];
    const std::set<std::string> distinct(histories.begin(), histories.end());
    if (distinct.size() != histories.size()) return "duplicates" + at;
    if (level.counts.blocked != 0) return "blocked" + at;
    for (const std::string& h : oracle.histories) {
      if (!distinct.contains(h)) return "missing" + at + "\n" + h;
    }
    for (const std::string& h : distinct) {
      if (!oracle.histories.contains(h)) return "too many" + at + "\n" + h;
    }
    for (const PropertyAnswer& row : level.properties) {
      const Property& property = program->at(row.property);
      const std::string key =
          std::string(name(property.kind)) + " " + property.name;
      const auto count = oracle.violating.find(key);
      const std::uint64_t want =
          count == oracle.violating.end() ? 0 : count->second;
      if (row.violating != want) {
        return key + at + ": " + std::to_string(row.violating) + " not " +
               std::to_string(want);
      }
    }
    if ((level.counts.faulted > 0) != !oracle.fault_lines.empty()) {
      return "faults" + at;
    }
  }
  return "";
}

/// Runs `check` on random programs; shrinks and prints the first that fails.
void fuzz(std::uint64_t seed, int rounds, const RandomProgramOptions& options,
          const std::function<std::string(const std::string&)>& check) {
  Random random(seed);
  for (int i = 0; i < rounds; ++i) {
    const RandomProgram program = testing::random_program(random, options);
    const std::string wrong = check(program.text());
    if (wrong.empty()) continue;
    const RandomProgram small = testing::shrink(
        program,
        [&](const RandomProgram& p) { return !check(p.text()).empty(); });
    FAIL() << "seed " << seed << ", round " << i << ": " << check(small.text())
           << "\n"
           << small.text();
  }
}

TEST(ExploreFuzz, FindsExactlyTheHistoriesOfTheDefinitions) {
  fuzz(1, fuzz_rounds(600), {}, differences);
}

TEST(ExploreFuzz, FindsExactlyTheHistoriesOfProgramsThatFault) {
  RandomProgramOptions options;
  options.has_faults = true;
  fuzz(2, fuzz_rounds(300), options, differences);
}

TEST(ExploreFuzz, FindsExactlyTheHistoriesOfManyShortSessions) {
  RandomProgramOptions options;
  options.sessions = 5;
  options.txns = 6;
  options.has_aborts = false;
  fuzz(3, fuzz_rounds(60), options, differences);
}

std::string counts(const Answer& level) {
  std::string out = level.level + " " + std::to_string(level.counts.histories) +
                    " " + std::to_string(level.counts.end_states) + " " +
                    std::to_string(level.counts.discarded) + " " +
                    std::to_string(level.counts.faulted);
  for (const PropertyAnswer& row : level.properties) {
    out += " " + std::to_string(row.violating);
  }
  return out + "\n";
}

std::string all_counts(const std::string& text,
                       const explore::ExploreOptions& options) {
  const auto program = read::read_txn("fuzz.txn", text);
  if (!program) return "";
  std::string out;
  const auto result = run(*program, options);
  for (const Answer& level : *result) {
    out += counts(level);
  }
  return out;
}

/// Larger programs than the oracle can do.
RandomProgramOptions larger() {
  RandomProgramOptions options;
  options.sessions = 4;
  options.txns = 6;
  options.reads = 9;
  options.has_faults = true;
  return options;
}

TEST(ExploreFuzz, TheNaiveSearchAndSeveralJobsCountTheSame) {
  fuzz(4, fuzz_rounds(150), larger(), [](const std::string& text) {
    const auto program = read::read_txn("fuzz.txn", text);
    if (!program) return std::string();
    explore::ExploreOptions options;
    options.self_check = true;
    const auto result = run(*program, options);
    for (const Answer& level : *result) {
      if (level.counts.duplicates != 0) return std::string("duplicates");
      if (level.counts.end_states > 3000) return std::string();
    }
    const std::string plain = all_counts(text, {});
    options.self_check = false;
    options.jobs = 3;
    const std::string jobs = all_counts(text, options);
    if (jobs != plain) return "plain\n" + plain + "three jobs\n" + jobs;
    options.jobs = 1;
    options.algorithm = explore::Algorithm::Dfs;
    const std::string dfs = all_counts(text, options);
    if (dfs != plain) return "plain\n" + plain + "naive\n" + dfs;
    return std::string();
  });
}

TEST(ExploreFuzz, PermutingTheSessionsChangesNoCount) {
  Random random(5);
  const int rounds = fuzz_rounds(150);
  for (int i = 0; i < rounds; ++i) {
    RandomProgram program = testing::random_program(random, larger());
    const std::string before = all_counts(program.text(), {});
    std::reverse(program.sessions.begin(), program.sessions.end());
    const std::string after = all_counts(program.text(), {});
    // A session stops at a failed assumption, so only what counts is compared.
    EXPECT_EQ(before, after) << program.text();
  }
}

/// Every history that explore writes, read back and judged by check: those of
/// a level have it, the other causal ones have not.
std::string disagreement_with_check(const std::string& text) {
  const auto program = read::read_txn("fuzz.txn", text);
  if (!program) return "";
  const auto code = exec::compile(*program);
  const Workload workload = workload_of(*program);
  std::map<Base, std::set<std::string>> found;
  explore::ExploreOptions options;
  options.on_history = [&](const explore::ExploredHistory& history) {
    found[history.level].insert(
        report::history_lines(workload, *code, history));
  };
  const auto result = run(*program, options);
  for (const Answer& level : *result) {
    if (level.counts.end_states > 60) return "";
  }
  const Budget budget = Budget::unlimited();
  for (const Base explored : {Base::ReadCommitted, Base::MonotonicAtomicView,
                              Base::ReadAtomic, Base::Causal}) {
    for (const std::string& lines : found[explored]) {
      auto source = read::open_history_text("fuzz.jsonl", lines, {});
      if (!source) return source.error().what + "\n" + lines;
      auto history = (*source)->next();
      if (!history) return history.error().what + "\n" + lines;
      for (const Base level : kLevels) {
        const bool is_filter = explored == Base::Causal && level > explored;
        if (level != explored && !is_filter) continue;
        const Outcome outcome =
            check::check(**history, {level}, budget).outcome();
        const bool expected = found[level].contains(lines);
        if ((outcome == Outcome::Holds) != expected) {
          return "check says " + std::string(name(outcome)) + " at " +
                 std::string(name(level)) + "\n" + lines;
        }
      }
    }
  }
  return "";
}

TEST(ExploreFuzz, CheckAgreesOnEveryHistory) {
  fuzz(6, fuzz_rounds(200), {}, disagreement_with_check);
}

/// The history that a schedule shows, with its commit order, judged by
/// certify from the definitions.
std::string bad_commit_order(const Workload& workload, Base level,
                             const Counterexample& violation) {
  const History history = check::history_of(workload, violation, {false, true});
  CommitOrder order;
  order.order.push_back(History::kInitial);
  for (const CallRef t : violation.commit_order) {
    for (std::size_t i = 1; i < history.size(); ++i) {
      if (history.name(TxnId(i)) == workload.name(t)) {
        order.order.emplace_back(i);
      }
    }
  }
  Verdict verdict;
  verdict.level = {level, Order::Session};
  verdict.evidence = order;
  const certify::Certificate certificate = certify::certify(history, verdict);
  return certificate ? "" : certificate.why_not;
}

/// Every violation is shown by a schedule that the interpreter can follow and
/// by transactions of which none can be left out.
std::string bad_explanation(const std::string& text) {
  const auto program = read::read_txn("fuzz.txn", text);
  if (!program) return "";
  const Workload workload = workload_of(*program);
  explore::ExploreOptions options;
  options.levels = kLevels;
  options.all = true;
  const auto result = explore::explore(*program, options, Budget::unlimited());
  for (const Answer& level : *result) {
    std::size_t violated = 0;
    for (const PropertyAnswer& row : level.properties) {
      violated += row.verdict == Outcome::Violated;
    }
    const auto faults = static_cast<std::size_t>(
        std::count_if(level.counterexamples.begin(),
                      level.counterexamples.end(), [](const Counterexample& v) {
                        return v.kind == Counterexample::Kind::Error;
                      }));
    if (level.counterexamples.size() - faults != violated)
      return "not all shown";
    if ((faults > 0) != (level.counts.faulted > 0)) return "faults not shown";
    for (const Counterexample& violation : level.counterexamples) {
      if (violation.replay_problem) return "replay_problem is set";
      const std::string order =
          bad_commit_order(workload, *level.base, violation);
      if (!order.empty()) return violation.name + ": " + order;
      if (violation.commit_order.size() != violation.calls.size()) {
        return violation.name + ": not all commit";
      }
      for (const FinalTable& table : violation.finals) {
        for (const RowUse& value : table.rows) {
          std::optional<sql::Row> last;
          if (!value.writer) continue;
          for (const Step& step : violation.steps) {
            for (const RowUse& write : step.writes) {
              if (step.call == value.writer && write.key == value.key) {
                last = write.row;
              }
            }
          }
          if (last != value.row) return violation.name + ": final state";
        }
      }
      // Runs the transactions one after the other only if that is the level.
      if (level.base == Base::Serializable && violation.is_avoided_serially) {
        return violation.name + ": serial orders do not show it";
      }
    }
  }
  return "";
}

TEST(ExploreFuzz, EveryViolationCanBeReplayed) {
  RandomProgramOptions options;
  options.has_faults = true;
  fuzz(7, fuzz_rounds(1000), options, bad_explanation);
}

}  // namespace
}  // namespace txscope
