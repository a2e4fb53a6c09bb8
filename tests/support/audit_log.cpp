#include "support/audit_log.h"

#include <functional>
#include <sstream>
#include <type_traits>

#include "audit/attempt/load.h"
#include "audit/rows/reachable_versions.h"
#include "audit/search/decide.h"
#include "read/logs/log_reader.h"
#include "read/sql/file/log_statements.h"

namespace txscope::test {
namespace {

using Open = std::function<Result<logs::LogReader>()>;

/// Gives a log to somebody as the auditor wants it.
template <class Use>
std::invoke_result_t<Use, const audit::LogInput&> with_input(const Open& open,
                                                             const Use& use) {
  auto log = open();
  if (!log) return log.error();
  const auto statements = sql::LogStatements::open(log->name(), log->header());
  if (!statements) return statements.error();
  std::optional<logs::LogReader> second;
  audit::LogInput input;
  input.header = &log->header();
  input.setup = &statements->setup();
  input.read = [&](const std::string& sql) { return statements->read(sql); };
  input.next = [&] { return second ? second->next() : log->next(); };
  input.again = [&]() -> Result<Done> {
    auto opened = open();
    if (!opened) return opened.error();
    second.emplace(std::move(*opened));
    return Done{};
  };
  input.digest = [&] { return second ? second->digest() : log->digest(); };
  input.file = log->name();
  return use(input);
}

Result<audit::AuditLevel> level_of(const std::string& whole) {
  const std::size_t mark = whole.find('!');
  const std::string name = whole.substr(0, mark);
  const std::size_t slash = name.find('/');
  auto level = audit::parse_audit_level(
      name.substr(0, slash),
      slash == name.npos ? std::string() : name.substr(slash + 1));
  if (level) level->is_exact = mark != whole.npos;
  return level;
}

Result<audit::AuditReport> audit_opened(const Open& open,
                                        const std::string& names,
                                        const audit::AuditOptions& options,
                                        const Budget& budget) {
  std::vector<audit::AuditLevel> levels;
  std::istringstream words(names);
  for (std::string name; std::getline(words, name, ',');) {
    auto level = level_of(name);
    if (!level) return level.error();
    levels.push_back(*level);
  }
  return with_input(open, [&](const audit::LogInput& input) {
    return audit::audit(input, levels, options, budget);
  });
}

Open opens(const std::string& text) {
  return [&text] {
    return logs::LogReader::open(read::Input::of_text("log.jsonl", text));
  };
}

}  // namespace

Result<audit::AuditReport> audit_text_log(const std::string& text,
                                          const std::string& levels,
                                          const audit::AuditOptions& options,
                                          const Budget& budget) {
  return audit_opened(opens(text), levels, options, budget);
}

Result<audit::Certificate> certify_text_log(const std::string& text,
                                            const audit::AuditResult& result,
                                            const audit::AuditOptions& options,
                                            const Budget& budget) {
  return with_input(opens(text), [&](const audit::LogInput& input) {
    return audit::certify(input, options, result, budget);
  });
}

Result<audit::AuditReport> audit_log_file(const std::string& path,
                                          const std::string& levels,
                                          const audit::AuditOptions& options,
                                          const Budget& budget) {
  const Open open = [&]() -> Result<logs::LogReader> {
    auto input = read::Input::open(path);
    if (!input) return input.error();
    return logs::LogReader::open(std::move(*input));
  };
  return audit_opened(open, levels, options, budget);
}

std::string verdict_of(const audit::Found& found) {
  return std::string(name(found.answer));
}

Result<std::vector<audit::Found>> refutations_of(
    const std::string& text, const std::string& level,
    const audit::AuditOptions& options) {
  const auto asked = level_of(level);
  if (!asked) return asked.error();
  const Budget budget = Budget::unlimited();
  return with_input(
      opens(text),
      [&](const audit::LogInput& input) -> Result<std::vector<audit::Found>> {
        auto initial = audit::run_setup(input, budget);
        if (!initial) return initial.error();
        const auto log =
            audit::LoadedLog::load(input, options, std::move(*initial));
        if (!log) return log.error();
        return audit::refutations(**log, *asked, budget);
      });
}

Result<bool> refuted_by_versions(const std::string& text,
                                 const std::string& level,
                                 const audit::AuditOptions& options) {
  const auto asked = level_of(level);
  if (!asked) return asked.error();
  const Budget budget = Budget::unlimited();
  return with_input(
      opens(text), [&](const audit::LogInput& input) -> Result<bool> {
        auto initial = audit::run_setup(input, budget);
        if (!initial) return initial.error();
        const auto log =
            audit::LoadedLog::load(input, options, std::move(*initial));
        if (!log) return log.error();
        if (!audit::ReachableVersions::applies(**log, asked->rule))
          return false;
        return audit::ReachableVersions(**log, (*log)->whole(),
                                        (*log)->initial(), 200'000, budget)
            .bad()
            .has_value();
      });
}

}  // namespace txscope::test
