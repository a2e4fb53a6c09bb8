#include "audit/search/question.h"

#include <algorithm>
#include <array>

#include "check/check.h"

namespace txscope::audit {
namespace {

/// From weak to strong: whatever explains a log at one explains it at all
/// before.
using Chain = std::array<Rule, 4>;
constexpr std::array<Chain, 2> kChains = {
    {{Rule::ReadCommitted, Rule::Prefix, Rule::Snapshot, Rule::Serializable},
     // Snapshot has no locks: it explains more than PostgreSQL's.
     {Rule::PostgresReadCommitted, Rule::PostgresRepeatableRead,
      Rule::Serializable, Rule::Serializable}}};

/// A level of histories that everything explained at the rule has.
Level level_of(const AuditLevel& level, bool has_times) {
  Level result;
  result.order =
      level.is_strict && has_times ? Order::Realtime : Order::Session;
  switch (level.rule) {
    case Rule::Serializable: result.base = Base::Serializable; break;
    case Rule::Snapshot: result.base = Base::SnapshotIsolation; break;
    case Rule::Prefix:
    case Rule::PostgresRepeatableRead: result.base = Base::Prefix; break;
    default: result.base = Base::ReadCommitted; break;
  }
  // Levels whose statements see old versions do not keep a session's own.
  if (level.rule == Rule::ReadCommitted ||
      level.rule == Rule::MariadbReadCommitted ||
      level.rule == Rule::MariadbRepeatableRead ||
      level.rule == Rule::MariadbSnapshot)
    result.order = Order::Session;
  return result;
}

}  // namespace

bool LogQuestion::has_own_levels() const {
  const auto& txns = log.whole().txns;
  return std::any_of(txns.begin(), txns.end(),
                     [](const Txn& txn) { return txn.rule.has_value(); });
}

bool LogQuestion::has_levels() const {
  const auto& txns = log.whole().txns;
  return std::any_of(txns.begin(), txns.end(), [&](const Txn& txn) {
    return txn.is_on_standby || (txn.rule && *txn.rule != level.rule);
  });
}

std::optional<Rule> LogQuestion::weakest_rule() const {
  const auto& all = log.whole().txns;
  const auto rule_of = [&](const Txn& txn) {
    return txn.rule.value_or(level.rule);
  };
  // What a standby shows are versions, whatever the primary's level is.
  const bool has_standby = std::any_of(
      all.begin(), all.end(), [](const Txn& txn) { return txn.is_on_standby; });
  const bool is_any_mariadb =
      std::any_of(all.begin(), all.end(),
                  [&](auto& txn) { return is_of_mariadb(rule_of(txn)); });
  if (has_standby && !is_any_mariadb) return Rule::ReadCommitted;
  for (const Chain& chain : kChains) {
    auto weakest = chain.end();
    bool is_in_chain = true;
    for (const Txn& txn : log.whole().txns) {
      const auto at = std::find(chain.begin(), chain.end(), rule_of(txn));
      is_in_chain = is_in_chain && at != chain.end();
      weakest = std::min(weakest, at);
    }
    if (is_in_chain && weakest != chain.end()) return *weakest;
  }
  return std::nullopt;
}

const RowHistory& LogQuestion::rows() {
  if (!rows_) rows_.emplace(log, level.rule);
  return *rows_;
}

const WantedRows& LogQuestion::wanted() {
  if (!wanted_) wanted_.emplace(log, rows().versions());
  return *wanted_;
}

const History* LogQuestion::history() {
  if (!history_) history_.emplace(rows().history(log.file()));
  return *history_ ? &**history_ : nullptr;
}

const Verdict& LogQuestion::verdict(const Budget& budget) {
  if (!verdict_) {
    const bool has_times = !check::missing_times(*history());
    verdict_ =
        check::check(*history(), audit::level_of(level, has_times), budget);
  }
  return *verdict_;
}

}  // namespace txscope::audit
