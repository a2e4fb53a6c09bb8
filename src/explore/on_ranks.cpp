#include "explore/on_ranks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "explore/rank_source.h"

namespace txscope::explore {
namespace {

constexpr std::uint64_t kNothingMore = ~std::uint64_t{0};

std::string number_as_text(std::uint64_t n) {
  ByteWriter writer;
  writer.number(n);
  return writer.take();
}

void write(const LevelCounts& counts, ByteWriter& to) {
  for (const std::uint64_t n : {counts.histories, counts.filtered,
                                counts.discarded, counts.faulted, counts.cut})
    to.number(n);
  for (const std::uint64_t n : counts.violating) to.number(n);
  to.number(counts.outcomes.size());
  for (const auto& [outcome, count] : counts.outcomes) {
    to.number(outcome.size());
    for (const auto& value : outcome) {
      to.number(value ? 1 : 0);
      to.number(static_cast<std::uint64_t>(value.value_or(0)));
    }
    to.number(count);
  }
}

SeenOutcome read_outcome(ByteReader& from) {
  SeenOutcome outcome;
  for (std::uint64_t n = from.number(); n > 0 && from.is_good(); --n) {
    const bool is_there = from.number() != 0;
    const auto value = static_cast<std::int64_t>(from.number());
    outcome.push_back(is_there ? std::optional(value) : std::nullopt);
  }
  return outcome;
}

void add(ByteReader& from, LevelCounts& to) {
  for (std::uint64_t* n :
       {&to.histories, &to.filtered, &to.discarded, &to.faulted, &to.cut})
    *n += from.number();
  for (std::uint64_t& n : to.violating) n += from.number();
  for (std::uint64_t n = from.number(); n > 0 && from.is_good(); --n) {
    const SeenOutcome outcome = read_outcome(from);
    to.outcomes[outcome] += from.number();
  }
}

void write(const Finding& finding, ByteWriter& to) {
  to.number(static_cast<std::uint64_t>(finding.level));
  to.number(finding.target.property ? finding.target.property->index + 1 : 0);
  to.number(finding.target.pc);
  write(finding.history, to);
}

Finding read_finding(ByteReader& from) {
  Finding finding;
  finding.level = static_cast<Base>(from.number());
  if (const std::uint64_t property = from.number(); property != 0)
    finding.target.property =
        PropertyId(static_cast<std::uint32_t>(property - 1));
  finding.target.pc = static_cast<std::uint32_t>(from.number());
  finding.history = read_work(from);
  return finding;
}

/// Of one level and property or fault one finding is told: which does not
/// depend on who found it.
std::tuple<Base, bool, std::uint32_t, std::uint32_t> key_of(const Finding& f) {
  const auto& property = f.target.property;
  return {f.level, !property, property ? property->index : 0, f.target.pc};
}

std::string written(const Finding& finding) {
  ByteWriter writer;
  write(finding, writer);
  return writer.take();
}

void keep_one_of_each(std::vector<Finding>& findings) {
  std::sort(findings.begin(), findings.end(),
            [](const Finding& x, const Finding& y) {
              if (key_of(x) != key_of(y)) return key_of(x) < key_of(y);
              const std::string a = written(x);
              const std::string b = written(y);
              return a.size() != b.size() ? a.size() < b.size() : a < b;
            });
  findings.erase(std::unique(findings.begin(), findings.end(),
                             [](const Finding& x, const Finding& y) {
                               return key_of(x) == key_of(y);
                             }),
                 findings.end());
}

std::string written(const EngineResult& result) {
  ByteWriter to;
  to.number(result.is_finished ? 1 : 0);
  to.number(static_cast<std::uint64_t>(result.spent));
  to.number(result.end_states);
  to.number(result.search.explored);
  to.number(result.search.blocked);
  to.number(result.search.leaves);
  for (const LevelCounts& counts : result.counts) write(counts, to);
  to.number(result.findings.size());
  for (const Finding& finding : result.findings) write(finding, to);
  return to.take();
}

void add(std::string_view bytes, EngineResult& to) {
  ByteReader from(bytes);
  to.is_finished = from.number() != 0 && to.is_finished;
  if (const auto spent = static_cast<Spent>(from.number());
      spent != Spent::Nothing)
    to.spent = spent;
  to.end_states += from.number();
  to.search.explored += from.number();
  to.search.blocked += from.number();
  to.search.leaves += from.number();
  for (LevelCounts& counts : to.counts) add(from, counts);
  for (std::uint64_t n = from.number(); n > 0 && from.is_good(); --n)
    to.findings.push_back(read_finding(from));
}

}  // namespace

bool RankSearches::can_share(const EngineTask& task) {
  return task.algorithm == Algorithm::Dpor && !task.self_check &&
         !task.on_history;
}

std::string RankSearches::search(const exec::Script& script, EngineTask task,
                                 const Budget& budget) {
  RankSource source(group_, ++searches_);
  task.source = &source;
  return written(run_engine(script, task, budget));
}

EngineResult RankSearches::lead(const exec::Script& script,
                                const EngineTask& task, std::uint64_t number,
                                const Budget& budget) {
  (void)group_.all_gather(number_as_text(number));
  const auto parts = group_.all_gather(search(script, task, budget));
  EngineResult result;
  result.is_finished = true;
  result.counts.resize(task.levels.size());
  for (LevelCounts& counts : result.counts)
    counts.violating.resize(script.properties);
  for (const std::string& part : parts) add(part, result);
  keep_one_of_each(result.findings);
  return result;
}

void RankSearches::dismiss() {
  (void)group_.all_gather(number_as_text(kNothingMore));
}

void RankSearches::help(const exec::Script& script, const TaskOf& task_of,
                        const Budget& budget) {
  for (;;) {
    const auto said = group_.all_gather({});
    const std::uint64_t number = ByteReader(said.front()).number();
    if (number == kNothingMore) return;
    (void)group_.all_gather(search(script, task_of(number), budget));
  }
}

}  // namespace txscope::explore
