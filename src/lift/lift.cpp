#include "lift/lift.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "lift/own_rows.h"
#include "lift/procedure.h"
#include "lift/rows.h"
#include "lift/runs.h"
#include "lift/tables.h"
#include "lift/templates.h"
#include "read/sql/sql.h"

namespace txscope::lift {
namespace {

constexpr std::size_t kMostProcedures = 100;
constexpr int kMostReadings = 200;

std::string counted(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// Rows of a visitor's own session: two requests of one visitor write them, and
/// the last one wins by design.
bool is_session_table(const std::string& name) {
  std::string small;
  for (const char c : name) small += ascii::lower(c);
  return small == "django_session" || small == "sessions" ||
         small.ends_with("_session") || small.ends_with("_sessions");
}

/// Tables that statements of the setup fill.
std::set<std::string> filled_by(const sql::Application& application) {
  std::set<std::string> names;
  for (const sql::DbStatement& statement : application.setup)
    if (const sql::Relation* target = statement.target())
      names.insert(application.schema.at(target->table).name);
  return names;
}

class Lifter {
 public:
  Lifter(const sql::StatementLog& log, const LiftOptions& options,
         const Budget& budget)
      : log_(log), options_(options), budget_(budget) {}

  Result<Lifted> run() {
    std::vector<Error> others;
    if (!options_.schema_text.empty()) {
      auto read =
          sql::read_sql(options_.name, options_.schema_text, false, &others);
      if (!read) return read.error();
      schema_ = std::move(*read);
    }
    Runs runs = take_apart(log_, options_.runs);
    const sql::Schema* schema =
        options_.schema_text.empty() ? nullptr : &schema_.schema;
    const Tables tables(schema, runs);
    mark_own_rows(runs, tables);
    TemplateOptions which;
    which.ignored = options_.ignored;
    which.whole_requests = options_.whole_requests;
    for (const auto& [name, table] : tables.all())
      if (is_session_table(name) && which.ignored.insert(name).second)
        left_out_.push_back(name);
    const Templates templates = find_templates(runs, tables, which);
    const Relevance relevance(runs, tables, which.ignored);
    const Changes changes(runs, tables);
    Domains domains;
    for (const Template& one : templates.all)
      if (procedures_.size() < kMostProcedures)
        procedures_.push_back(
            make_procedure(one, tables, relevance, changes, domains));
    tell_log(runs, templates);
    if (templates.all.size() > kMostProcedures)
      out_.missing.push_back("only the first " +
                             std::to_string(kMostProcedures) + " of " +
                             std::to_string(templates.all.size()) +
                             " kinds of requests were looked at");
    const auto filled = filled_by(schema_);
    std::set<std::string> used;
    for (const Procedure& procedure : procedures_)
      used.insert(procedure.of->tables.begin(), procedure.of->tables.end());
    std::set<std::string> named = used;
    for (const Procedure& procedure : procedures_)
      for (const TemplateStep& step : procedure.of->steps)
        for (const sql::TableUse& use : step.shape().tables)
          named.insert(use.name);
    tables_text_ = tables.create_text(named);
    if (options_.with_rows)
      rows_text_ = rows_text(procedures_, tables, schema, filled);
    tell_assumptions(runs, tables, used, filled);
    if (auto wrong = write_until_read()) return *wrong;
    out_.requests = runs.runs.size();
    out_.procedures = procedures_.size();
    return std::move(out_);
  }

 private:
  /// Where a line of the text comes from.
  struct Origin {
    std::size_t procedure = 0;
    std::size_t line = 0;
  };

  void put(const std::string& text) {
    out_.text += text;
    lines_ +=
        static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  }

  void write_procedure(std::size_t p) {
    Procedure& one = procedures_[p];
    put("\n-- " + counted(one.of->runs, "request") + ", the first at line " +
        std::to_string(one.of->steps.front().of.front().line) + " of " +
        log_.file + (one.of->has_rounds ? "; loops are folded" : "") + "\n");
    std::string head = "CREATE PROCEDURE " + one.of->name + "(";
    for (std::size_t i = 0; i < one.parameters.size(); ++i)
      head += (i == 0 ? "" : ", ") + one.parameters[i].name + " " +
              one.parameters[i].type;
    starts_[lines_ + 1] = p;
    put(head + ") LANGUAGE plpgsql AS $$\n");
    if (!one.variables.empty()) {
      put("DECLARE\n");
      for (const Variable& variable : one.variables)
        put("  " + variable.name + " " + variable.type + ";\n");
    }
    put("BEGIN\n");
    for (const std::string& line : one.first) put("  " + line + ";\n");
    for (std::size_t l = 0; l < one.lines.size(); ++l) {
      const Line& line = one.lines[l];
      const std::uint64_t begin = lines_ + 1;
      put("  " + line.text + ";  -- line " + std::to_string(line.line) + "\n");
      for (std::uint64_t n = begin; n <= lines_; ++n) origins_[n] = {p, l};
      const bool is_last = l + 1 == one.lines.size();
      if (line.ends_transaction && !is_last) put("  COMMIT;\n");
    }
    put("END $$;\n");
  }

  void write_text() {
    out_.text.clear();
    lines_ = 0;
    origins_.clear();
    starts_.clear();
    put("-- Lifted from " + log_.file + " (" + log_.format +
        ") by txscope.  Edit and keep it.\n");
    if (!options_.schema_text.empty()) {
      put(options_.schema_text);
      if (!out_.text.ends_with('\n')) put("\n");
    }
    if (!tables_text_.empty())
      put("\n-- Tables, as the statements let guess them.\n" + tables_text_);
    if (std::any_of(procedures_.begin(), procedures_.end(),
                    [](const Procedure& one) { return !one.first.empty(); }))
      put("CREATE SEQUENCE txscope_fresh START 1000;\n");
    if (!rows_text_.empty())
      put("\n-- Rows on which the calls meet.\n" + rows_text_);
    for (std::size_t p = 0; p < procedures_.size(); ++p) write_procedure(p);
  }

  /// Two calls of the first procedure that reads and then writes: who runs what
  /// is for people to change.
  void write_sessions() {
    if (procedures_.empty() ||
        options_.schema_text.find("--@ session") != std::string::npos)
      return;
    const auto reads = std::find_if(
        procedures_.begin(), procedures_.end(), [](const Procedure& each) {
          return !each.lines.empty() && !each.lines.front().is_write;
        });
    const Procedure& one =
        reads != procedures_.end() ? *reads : procedures_.front();
    std::string call = "CALL " + one.of->name + "(";
    for (std::size_t i = 0; i < one.parameters.size(); ++i)
      call += (i == 0 ? "" : ", ") + one.parameters[i].argument;
    put("\n--@ session a: " + call + ");\n--@ session b: " + call + ");\n");
  }

  /// Until the reader takes it all, or nothing more can be left out.
  std::optional<Error> write_until_read() {
    for (int round = 0;; ++round) {
      write_text();
      if (procedures_.empty()) return read_at_last();
      auto read = sql::read_sql(options_.name, out_.text, false);
      std::vector<Error> problems;
      if (!read)
        problems.push_back(read.error());
      else
        for (const sql::Routine& routine : read->routines)
          if (routine.problem) problems.push_back(*routine.problem);
      bool has_changed = false;
      for (const Error& problem : problems)
        has_changed = repair(problem) || has_changed;
      if (!read && !has_changed) return read.error();
      if (!has_changed || round > kMostReadings || budget_.spent_now())
        return read_at_last();
      procedures_.erase(
          std::remove_if(procedures_.begin(), procedures_.end(),
                         [](const Procedure& one) {
                           return std::none_of(
                               one.lines.begin(), one.lines.end(),
                               [](const Line& line) { return line.is_write; });
                         }),
          procedures_.end());
    }
  }

  std::optional<Error> read_at_last() {
    write_sessions();
    auto read = sql::read_sql(options_.name, out_.text, false);
    if (!read) return read.error();
    out_.application = std::move(*read);
    return std::nullopt;
  }

  /// Writes the statement at fault in another way, or leaves it out.
  bool repair(const Error& problem) {
    const auto found = origins_.find(problem.where.line);
    if (found == origins_.end()) return drop_procedure(problem);
    Procedure& procedure = procedures_[found->second.procedure];
    if (found->second.line >= procedure.lines.size()) return false;
    Line& line = procedure.lines[found->second.line];
    if (!line.fallback.empty()) {
      simplified_[problem.what] = line.line;
      line.text = std::move(line.fallback);
      line.fallback.clear();
      return true;
    }
    out_.missing.push_back("line " + std::to_string(line.line) +
                           (line.is_write ? ", a write: " : ", a read: ") +
                           problem.what);
    const bool ends = line.ends_transaction;
    procedure.lines.erase(procedure.lines.begin() +
                          static_cast<std::ptrdiff_t>(found->second.line));
    if (ends && found->second.line > 0)
      procedure.lines[found->second.line - 1].ends_transaction = true;
    origins_.clear();  // one change of a procedure per reading
    return true;
  }

  bool drop_procedure(const Error& problem) {
    const auto next = starts_.upper_bound(problem.where.line);
    if (next == starts_.begin() || starts_.empty()) return false;
    Procedure& procedure = procedures_[std::prev(next)->second];
    if (procedure.lines.empty()) return false;
    out_.missing.push_back(procedure.of->name + ": " + problem.what);
    procedure.lines.clear();
    return true;
  }

  void tell_log(const Runs& runs, const Templates& templates) {
    auto& notes = out_.notes;
    notes.push_back(counted(runs.statements, "statement") + " of " +
                    counted(runs.runs.size(), "request") + " in " + log_.file +
                    " (" + log_.format + "), " +
                    std::to_string(templates.reading_runs) +
                    " of which only read and were left out");
    for (const auto& [what, line] : runs.unreadable_writes)
      out_.missing.push_back("line " + std::to_string(line) +
                             ", which may write: " + what);
    std::size_t reads = 0;
    for (const auto& [what, line] : runs.unreadable_reads)
      if (reads++ < 3)
        out_.missing.push_back("line " + std::to_string(line) +
                               ", a read: " + what);
    if (reads > 3)
      out_.missing.push_back(counted(reads - 3, "other kind") +
                             " of reads that could not be read");
    for (const std::string& name : templates.cut)
      out_.missing.push_back(name +
                             " is too long: its first reads were left "
                             "out");
    if (log_.skipped_lines > 0)
      notes.push_back(counted(log_.skipped_lines, "line") +
                      " of the log are no statements, the first is line " +
                      std::to_string(log_.first_skipped));
    if (log_.is_cut) notes.push_back("the log ends in the middle of an entry");
    if (runs.rolled_back > 0)
      notes.push_back(counted(runs.rolled_back, "transaction") +
                      " rolled back and left out");
    if (runs.failed > 0)
      notes.push_back(counted(runs.failed, "statement") +
                      " failed and were left out");
    if (runs.unwrapped > 0)
      notes.push_back(counted(runs.unwrapped, "transaction") +
                      " of tests that roll back: their savepoints were taken "
                      "for transactions");
    if (runs.levels.size() == 1) out_.level = runs.levels.begin()->first;
    if (runs.levels.size() > 1) {
      std::string names;
      for (const auto& [name, count] : runs.levels)
        names += (names.empty() ? "" : ", ") + name;
      notes.push_back("transactions ask for different levels (" + names +
                      "); one is used for all");
    }
  }

  void tell_assumptions(const Runs& runs, const Tables& tables,
                        const std::set<std::string>& used,
                        const std::set<std::string>& filled) {
    auto& notes = out_.notes;
    if (!log_.has_sessions)
      notes.push_back(
          "assumed: the log does not tell connections apart, so "
          "that requests did not overlap in it");
    if (!log_.has_transactions)
      notes.push_back(
          "assumed: the log does not tell where transactions begin "
          "and end, so that each request is one transaction");
    if (runs.cut_by_tag == 0 && runs.cut_by_gap > 0)
      notes.push_back("assumed: a pause of more than " +
                      std::to_string(options_.runs.gap / 1000) + " ms" +
                      (options_.runs.one_user ? "" : " on a connection") +
                      " ends a request (--gap)");
    std::set<std::string> assumed;
    std::set<std::string> found;
    for (const Procedure& procedure : procedures_) {
      assumed.insert(procedure.assumed.begin(), procedure.assumed.end());
      found.insert(procedure.found.begin(), procedure.found.end());
    }
    for (const std::string& one : found)
      notes.push_back("found in the results: " + one);
    for (const std::string& one : assumed)
      notes.push_back("assumed, since the log has no results: " + one);
    if (!procedures_.empty())
      notes.push_back(
          "assumed: a request that writes depends on what it read "
          "before; conditions in the application's code are not "
          "in a log");
    std::string guessed;
    for (const std::string& name : used)
      if (!tables.find(name)->is_known)
        guessed += (guessed.empty() ? "" : ", ") + name;
    if (!guessed.empty())
      notes.push_back("assumed: columns, types and keys of " + guessed +
                      ", which no schema was given for");
    if (filled.empty() && !rows_text_.empty())
      notes.push_back("rows were made up from what statements look for");
    std::string names;
    for (const std::string& name : left_out_)
      if (!name.empty()) names += (names.empty() ? "" : ", ") + name;
    if (!names.empty())
      notes.push_back("left out as visitors' sessions: " + names);
  }

  const sql::StatementLog& log_;
  const LiftOptions& options_;
  const Budget& budget_;
  sql::Application schema_;
  std::vector<Procedure> procedures_;
  std::vector<std::string> left_out_;
  std::string tables_text_;
  std::string rows_text_;
  std::uint64_t lines_ = 0;
  std::map<std::uint64_t, Origin> origins_;
  std::map<std::uint64_t, std::size_t> starts_;
  std::map<std::string, std::uint64_t> simplified_;
  Lifted out_;
};

}  // namespace

Result<Lifted> lift(const sql::StatementLog& log, const LiftOptions& options,
                    const Budget& budget) {
  return Lifter(log, options, budget).run();
}

}  // namespace txscope::lift
