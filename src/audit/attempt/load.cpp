#include "audit/attempt/load.h"

#include <algorithm>
#include <utility>

#include "exec/sql/memory/database.h"

namespace txscope::audit {
namespace {

using StatementKind = sql::ReadStatement::Kind;

Error in_line(const std::string& file, const sql::LogTransaction& t,
              std::size_t statement, const std::string& what,
              const std::string& hint) {
  Error error;
  error.where = {file, t.line, 0, {}};
  error.what = "transaction " + t.id + ", statement " +
               std::to_string(statement + 1) + ": " + what;
  error.hint = hint;
  error.source_line = t.statements[statement].sql.substr(0, 200);
  return error;
}

/// What the recorder could not keep.  (COPY is there as a text, and refused as
/// other statements are that cannot be run, unless it did nothing.)
bool is_passed_over(const sql::LogStatement& statement,
                    const Prepared& prepared) {
  if (statement.opaque == "copy") return statement.error.has_value();
  if (statement.opaque == "own words")
    return prepared.kind == StatementKind::Unsupported;
  return !statement.opaque.empty();
}

/// What failed, what a savepoint took back, and all of what aborted.
std::vector<bool> taken_back(const Txn& txn) {
  const auto& statements = txn.log->statements;
  std::vector<bool> is_taken_back(statements.size(),
                                  txn.log->status == sql::LogStatus::Aborted);
  std::unordered_map<std::string, std::size_t> savepoints;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    if (statements[k].error) is_taken_back[k] = true;
    const Prepared& prepared = *txn.statements[k];
    if (prepared.kind == StatementKind::Savepoint)
      savepoints[prepared.name] = k;
    const auto found = savepoints.find(prepared.name);
    if (prepared.kind != StatementKind::RollbackTo || found == savepoints.end())
      continue;
    std::fill(
        is_taken_back.begin() + static_cast<std::ptrdiff_t>(found->second),
        is_taken_back.begin() + static_cast<std::ptrdiff_t>(k), true);
  }
  return is_taken_back;
}

}  // namespace

void Preparer::forget(const sql::LogStatement& statement) {
  ++skipped_;
  if (statement.sql.empty())
    unknown_.forget_all();
  else
    unknown_.forget(statement.sql, Error{});
}

std::vector<bool> Preparer::opaque(const Txn& txn) const {
  std::vector<bool> opaque = txn.is_opaque;
  for (std::size_t k = 0; k < txn.statements.size(); ++k)
    if (unknown_.touches(*txn.statements[k])) opaque[k] = true;
  return opaque;
}

void Preparer::spread_unknown(const std::vector<Txn>& txns) {
  for (bool is_more = !unknown_.empty(); is_more;) {
    is_more = false;
    for (const Txn& txn : txns)
      for (const PreparedPtr& prepared : txn.statements)
        is_more |= unknown_.spread(*prepared);
  }
}

void Preparer::resume(const SavedState& state) {
  for (const std::string& session : state.sessions)
    sessions_.try_emplace(session,
                          static_cast<std::uint32_t>(sessions_.size()));
  unknown_.resume(state.unknown_tables);
  skipped_ = state.skipped;
}

void Preparer::save(SavedState& state) const {
  state.sessions.resize(sessions_.size());
  for (const auto& [name, number] : sessions_) state.sessions[number] = name;
  state.unknown_tables = unknown_.names();
  state.skipped = skipped_;
}

Result<Txn> Preparer::prepare(const sql::LogTransaction& t, bool with_aborted) {
  Txn txn;
  txn.log = &t;
  txn.session =
      sessions_
          .try_emplace(t.session, static_cast<std::uint32_t>(sessions_.size()))
          .first->second;
  if (options_.own_levels && !t.level.empty()) {
    auto level = parse_audit_level(t.level, "");
    if (!level) {
      Error error = level.error();
      error.where = {file_, t.line, 0, {}};
      error.what = "transaction " + t.id + ": " + error.what;
      return error;
    }
    txn.rule = level->rule;
    txn.is_on_standby = level->is_on_standby;
  }
  if (!is_judged(t) && !with_aborted) return txn;
  for (std::size_t k = 0; k < t.statements.size(); ++k) {
    const sql::LogStatement& s = t.statements[k];
    const PreparedPtr shared = statements_.at(s.sql);
    const Prepared& prepared = *shared;
    if (prepared.runs_routines()) unknown_.meet_call();
    unknown_.spread(prepared);
    if (is_passed_over(s, prepared)) {
      // Only what may have happened counts: a statement that failed did
      // nothing.
      if (is_judged(t) && t.status != sql::LogStatus::Aborted && !s.error)
        forget(s);
      txn.statements.push_back(shared);
      txn.is_opaque.push_back(true);
      txn.is_idle.push_back(false);
      continue;
    }
    bool is_opaque = false;
    const bool is_catalog = s.is_catalog && !unknown_.names_routine(s.sql);
    const bool must_be_read = is_judged(t) && !is_catalog &&
                              (!s.error || !is_always_possible(*s.error));
    if (prepared.kind == StatementKind::Unsupported && must_be_read) {
      if (!options_.skip_unsupported)
        return in_line(file_, t, k, prepared.error.what,
                       prepared.error.hint.empty()
                           ? "--skip-unsupported leaves such statements out"
                           : prepared.error.hint +
                                 "; --skip-unsupported leaves such statements "
                                 "out");
      is_opaque = true;
      unknown_.forget(s.sql, prepared.error);
    } else if (prepared.is_sql() && s.parameters.size() < prepared.parameters &&
               must_be_read) {
      return in_line(file_, t, k,
                     "it has " + std::to_string(s.parameters.size()) +
                         " parameters, its text names $" +
                         std::to_string(prepared.parameters),
                     "");
    }
    const bool is_idle =
        is_catalog ||
        (!must_be_read && (prepared.kind == StatementKind::Unsupported ||
                           s.parameters.size() < prepared.parameters));
    skipped_ += is_opaque && !is_idle ? 1 : 0;
    is_opaque |= is_idle;
    txn.is_idle.push_back(is_idle);
    txn.statements.push_back(shared);
    txn.is_opaque.push_back(is_opaque);
  }
  txn.is_taken_back = taken_back(txn);
  return txn;
}

Result<InitialState> run_setup(const LogInput& input, const Budget& budget) {
  InitialState state;
  const sql::Application& setup = *input.setup;
  const sql::Routines routines(setup);
  auto ran = sql::MemoryDatabase::after_setup(routines, budget);
  auto* database = std::get_if<0>(&ran);
  if (database == nullptr) {
    Error error;
    error.where = {input.file, 1, 0, {}};
    const auto* failed = std::get_if<sql::SqlError>(&ran);
    error.what = failed == nullptr ? "the setup takes too long"
                                   : "the setup fails: " + failed->message;
    return error;
  }
  state.tables = std::make_unique<Tables>(setup.schema);
  for (std::size_t t = 0; t < setup.schema.tables.size(); ++t) {
    Effects effects;
    for (const sql::Row& row : database->rows(TableId(t)))
      effects.push_back(
          {TableId(t), 0, true, std::make_shared<const sql::Row>(row)});
    state.tables->put(effects, kSetup);
  }
  state.next_ids.assign(database->sequences().begin(),
                        database->sequences().end());
  for (const sql::Sequence& sequence : setup.schema.sequences)
    state.increments.push_back(sequence.increment);
  return state;
}

Result<std::unique_ptr<LoadedLog>> LoadedLog::load(const LogInput& input,
                                                   const AuditOptions& options,
                                                   InitialState initial) {
  std::unique_ptr<LoadedLog> log(new LoadedLog(input, options));
  log->initial_ = std::move(initial);
  log->file_ = input.file;
  while (true) {
    auto next = input.next();
    if (!next) return next.error();
    if (!*next) break;
    log->statements_ += (**next).statements.size();
    log->whole_.transactions.push_back(std::move(**next));
  }
  for (const sql::LogTransaction& t : log->whole_.transactions) {
    auto txn = log->preparer_.prepare(t, true);
    if (!txn) return txn.error();
    log->whole_.sessions = std::max(log->whole_.sessions, txn->session + 1);
    log->all_.push_back(std::move(*txn));
  }
  log->preparer_.spread_unknown(log->all_);
  if (log->preparer_.has_unknown_tables())
    for (Txn& txn : log->all_) txn.is_opaque = log->preparer_.opaque(txn);
  for (const Txn& txn : log->all_)
    if (log->must_explain(txn)) {
      log->whole_.txns.push_back(txn);
      for (const PreparedPtr& prepared : txn.statements) log->note(*prepared);
    }
  log->id_use_ = IdUse(input.setup->schema, log->whole_.transactions,
                       !input.setup->routines.empty());
  return log;
}

void LoadedLog::note(const Prepared& prepared) {
  is_timed_ |= prepared.is_timed;
  has_truncate_ |= prepared.is_truncate;
}

void LoadedLog::give(const std::vector<GivenIds>& given) {
  std::unordered_map<std::uint64_t, sql::LogTransaction*> by_line;
  for (sql::LogTransaction& t : whole_.transactions) by_line[t.line] = &t;
  for (const GivenIds& one : given)
    by_line.at(one.line)->statements[one.statement].generated = one.ids;
}

}  // namespace txscope::audit
