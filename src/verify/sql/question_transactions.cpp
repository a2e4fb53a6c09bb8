// The calls as summaries, and how they are put together.

#include <algorithm>

#include "verify/sql/sql_question_maker.h"

namespace txscope::verify {

using smt::Term;

namespace {

constexpr std::size_t kMaxUniverse = 2000;

/// Of rows that are flattened: what is absent or NULL has no value.
Term same_row(smt::Terms& t, std::span<const Term> a, std::span<const Term> b) {
  std::vector<Term> columns;
  for (std::size_t c = 1; c + 1 < a.size(); c += 2) {
    columns.push_back(t.equal(a[c], b[c]));
    columns.push_back(t.any_of({a[c], t.equal(a[c + 1], b[c + 1])}));
  }
  return t.all_of({t.equal(a[0], b[0]), t.implies(a[0], t.all_of(columns))});
}

}  // namespace

bool SqlQuestionMaker::summarize_all() {
  summaries_.clear();
  std::vector<std::pair<TableId, sql::Row>> wanted;
  const symbolic::OpenKeys keys(application_, universe_, calls_.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    symbolic::SqlSummaryOptions options;
    options.keys = &keys;
    options.rounds = executions_.rounds;
    options.rereads = executions_.rereads;
    options.has_exact_reads = executions_.has_exact_reads;
    options.instance = i + 1;
    options.instances = calls_.size();
    options.sequences = initial_database_.sequences();
    if (is_fixed_) {
      options.fixed = [this, i](TableId table, std::size_t r) {
        return fixed(i, table, r);
      };
    }
    summaries_.push_back(
        symbolic::summarize_call(*q_, application_, universe_, *calls_[i].call,
                                 arguments_[i], options, wanted, budget_));
  }
  bool has_grown = false;
  for (const auto& [table, key] : wanted) {
    has_grown |= universe_.add(table, key);
  }
  if (universe_.size() > kMaxUniverse) {
    throw symbolic::Unsupported{application_.sessions[0].at, "so many rows"};
  }
  if (has_grown) is_fixed_ = false;
  return !has_grown;
}

void SqlQuestionMaker::find_writers() {
  writers_.assign(universe_.size(), {});
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    for (const symbolic::GuardedWrite& w : summaries_[i].writes) {
      writers_[w.key.index].insert(i);
    }
  }
}

const symbolic::GuardedRow* SqlQuestionMaker::fixed(std::size_t reader,
                                                    TableId table,
                                                    std::size_t r) {
  const auto& writers = writers_[universe_.id(table, r).index];
  const bool is_written =
      writers.size() > 1 || (writers.size() == 1 && *writers.begin() != reader);
  return is_written ? nullptr : &initial_[table.index][r];
}

void SqlQuestionMaker::let_calls_fail() {
  std::vector<Term> succeeds;
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    out_.is_covered = out_.is_covered && summaries_[i].is_covered;
    if (executions_.may_fail.empty() || !executions_.may_fail[i]) continue;
    const sql::Session& session = application_.sessions[calls_[i].session];
    const Term stays = t_->negation(
        t_->unknown(session.name + "." + calls_[i].call->label + " fails"));
    succeeds.push_back(stays);
    symbolic::SqlSummary& summary = summaries_[i];
    summary.committed = t_->all_of({summary.committed, stays});
    for (symbolic::GuardedRead& read : summary.reads) {
      for (auto& place : read.places) {
        place.guard = t_->all_of({place.guard, stays});
      }
    }
  }
  if (!succeeds.empty()) {
    out_.question.executions.push_back(t_->any_of(succeeds));
  }
}

void SqlQuestionMaker::make_encoding() {
  std::vector<symbolic::GuardedTxn> txns;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    symbolic::GuardedTxn txn;
    txn.session = static_cast<std::uint32_t>(calls_[i].session);
    txn.reads = summaries_[i].reads;
    txn.writes = summaries_[i].writes;
    txn.pins = summaries_[i].pins;
    txn.committed = summaries_[i].committed;
    txn.finished = t_->negation(summaries_[i].cut);
    txn.beyond = summaries_[i].beyond;
    txns.push_back(std::move(txn));
  }
  std::vector<std::vector<Term>> initial;
  for (const auto& rows : initial_) {
    for (const symbolic::GuardedRow& row : rows)
      initial.push_back(flattened(row));
  }
  out_.question.encoding = std::make_unique<symbolic::HistoryEncoding>(
      *t_, std::move(txns), std::move(initial));
  if (executions_.has_locks) {
    for (const Term f : out_.question.encoding->pins()) {
      out_.question.executions.push_back(f);
    }
  }
  out_.question.same_row = [t = t_](std::span<const Term> a,
                                    std::span<const Term> b) {
    return same_row(*t, a, b);
  };
  name_open_keys();
  std::vector<Term> cuts;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    cuts.push_back(
        t_->all_of({out_.question.encoding->runs(i + 1), summaries_[i].cut}));
  }
  out_.question.cut = t_->any_of(cuts);
}

void SqlQuestionMaker::name_open_keys() {
  std::set<std::uint32_t> tables;
  for (const symbolic::SqlSummary& summary : summaries_)
    tables.insert(summary.open_tables.begin(), summary.open_tables.end());
  for (const std::uint32_t table : tables) {
    std::string text = schema().tables[table].name;
    const char* before = " ";
    for (const symbolic::KeyUniverse::Entry& entry :
         universe_.keys(TableId(table))) {
      std::string key;
      for (const sql::Value& value : entry.key)
        key += (key.empty() ? "" : "/") + to_string(value);
      text += before + key;
      before = ", ";
    }
    out_.question.keys.push_back(std::move(text));
  }
}

}  // namespace txscope::verify
