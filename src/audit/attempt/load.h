#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/attempt/next_ids.h"
#include "audit/audit.h"
#include "audit/tables/unknown_tables.h"

namespace txscope::audit {

/// Turns lines of a log into transactions that can be run.
class Preparer {
 public:
  Preparer(const LogInput& input, const AuditOptions& options)
      : file_(input.file),
        options_(options),
        statements_(input.read, input.header->dialect),
        unknown_(*input.setup) {}

  /// The transaction, whose `log` must stay where it is.
  /// Of one that is not judged what cannot be read is left out.
  [[nodiscard]] Result<Txn> prepare(const sql::LogTransaction& t,
                                    bool with_aborted = false);
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  /// Whether it has to be explained.
  [[nodiscard]] bool is_judged(const sql::LogTransaction& t) const {
    return options_.judge_aborted || t.status != sql::LogStatus::Aborted;
  }
  /// Tables that something unsupported wrote.
  [[nodiscard]] bool has_unknown_tables() const { return !unknown_.empty(); }
  [[nodiscard]] std::vector<bool> opaque(const Txn& txn) const;
  /// What these write of what they see of unknown tables is unknown, too,
  /// wherever they stand.
  void spread_unknown(const std::vector<Txn>& txns);

  /// Sessions by number, and unknown tables, for another one to go on with.
  void resume(const SavedState& state);
  void save(SavedState& state) const;

 private:
  /// After a statement of the log whose effects are not known.
  void forget(const sql::LogStatement& statement);

  std::string file_;
  AuditOptions options_;
  PreparedStatements statements_;
  std::unordered_map<std::string, std::uint32_t> sessions_;
  UnknownTables unknown_;
  std::uint64_t skipped_ = 0;
};

/// The tables after a log's setup.
struct InitialState {
  std::unique_ptr<Tables> tables;
  std::vector<std::int64_t> next_ids;
  std::vector<std::int64_t> increments;
};
[[nodiscard]] Result<InitialState> run_setup(const LogInput& input,
                                             const Budget& budget);

/// A whole log in memory.
class LoadedLog {
 public:
  [[nodiscard]] static Result<std::unique_ptr<LoadedLog>> load(
      const LogInput& input, const AuditOptions& options, InitialState initial);

  [[nodiscard]] const WholeLog& whole() const { return whole_; }
  /// All transactions, aborted ones included, ready to be looked at.
  [[nodiscard]] const std::vector<Txn>& judged() const { return all_; }
  [[nodiscard]] bool must_explain(const Txn& txn) const {
    return preparer_.is_judged(*txn.log);
  }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const Tables& initial() const { return *initial_.tables; }
  [[nodiscard]] NextIds new_ids() const {
    // What depends on the time that passed is guessed, too.
    return NextIds(initial_.next_ids, initial_.increments, &id_use_, is_timed_);
  }
  /// Whether answers may depend on the time that passed.
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  /// Whether snapshots may show tables emptier than they were.
  [[nodiscard]] bool has_truncate() const { return has_truncate_; }
  [[nodiscard]] const IdUse& id_use() const { return id_use_; }
  /// From now on these statements have drawn these numbers.
  void give(const std::vector<GivenIds>& given);
  [[nodiscard]] std::uint64_t statements() const { return statements_; }
  [[nodiscard]] std::uint64_t skipped() const { return preparer_.skipped(); }

 private:
  LoadedLog(const LogInput& input, const AuditOptions& options)
      : preparer_(input, options) {}
  void note(const Prepared& prepared);

  Preparer preparer_;
  InitialState initial_;
  WholeLog whole_;
  std::vector<Txn> all_;
  IdUse id_use_;
  std::string file_;
  std::uint64_t statements_ = 0;
  bool is_timed_ = false;
  bool has_truncate_ = false;
};

}  // namespace txscope::audit
