#include "verb/database/saved_schedule.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/ascii.h"
#include "db/dialect.h"
#include "model/level.h"
#include "model/sql/application.h"
#include "read/sql/sql.h"
#include "verb/input/joined_sql.h"

namespace txscope::verb {
namespace {

using SavedJson = nlohmann::json;
using Planned = StatementSchedule::Step;

Error wrong_saved(const std::string& file, std::string what, std::string hint) {
  return Error{Place{file, 0, 0, {}}, std::move(what), std::move(hint), "", 0};
}

std::optional<std::string> cell_of(const SavedJson& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "t" : "f";
  return value.dump();
}

std::string first_word_of(const std::string& sql) {
  std::string word;
  for (const char c : sql) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += ascii::upper(c);
  }
  return word;
}

/// Whether a text is a statement of SQL, and not one of a routine's language.
bool goes_to_database(const std::string& sql) {
  static const std::set<std::string> kWords = {
      "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE",
      "WITH",   "COMMIT", "LOCK",   "VALUES", "TABLE"};
  return kWords.count(first_word_of(sql)) == 1;
}

std::optional<Planned::Kind> kind_of_event(const SavedJson& step) {
  const std::string event = step.value("event", "");
  if (event == "statement") return Planned::Kind::Statement;
  if (event == "wait") return Planned::Kind::Wait;
  if (event == "error") return Planned::Kind::Error;
  if (event == "commit") return Planned::Kind::Commit;
  if (event == "rollback") return Planned::Kind::Rollback;
  if (event == "end")
    return step.value("statement", "") == "COMMIT" ? Planned::Kind::Commit
                                                   : Planned::Kind::Rollback;
  return std::nullopt;
}

/// One counterexample of a report, with the application around it.
class ScheduleReader {
 public:
  ScheduleReader(const sql::Application& application, const SavedJson& result,
                 const SavedJson& example)
      : application_(application), result_(result), example_(example) {}

  StatementSchedule run(const Profile& profile) {
    out_.profile = &profile;
    out_.level = result_.value("level", "");
    out_.name = name();
    read_setup();
    for (const SavedJson& step : example_.at("schedule")) read_step(step);
    mark_caught();
    read_end();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string name() const {
    for (const char* field : {"name", "property", "anomaly"})
      for (const SavedJson* from : {&example_, &result_})
        if (from->contains(field) && (*from)[field].is_string())
          return (*from)[field];
    return "as if one after the other";
  }

  void read_setup() {
    const Product product = out_.profile->product;
    out_.setup = db::load_texts(application_, product);
    for (const sql::Table& table : application_.schema.tables)
      out_.tables.push_back(table.name);
    for (const SavedJson* from : {&example_, &result_})
      if (from->contains("inputs") && (*from)["inputs"].is_object())
        for (const auto& [input, value] : (*from)["inputs"].items())
          set_open_cell(input, value);
    for (const sql::Session& session : application_.sessions)
      for (const sql::Call& call : session.calls)
        if (call.level && call.level->profile->product == product)
          out_.own_levels[session.name + "." + call.label] =
              call.level->profile;
  }

  /// "accounts.balance[1]": a value that the setup leaves open.
  void set_open_cell(const std::string& input, const SavedJson& value) {
    const std::size_t bracket = input.find('[');
    const std::size_t dot = input.rfind('.', bracket);
    if (bracket == std::string::npos || dot == std::string::npos) return;
    const std::string name = input.substr(0, dot);
    for (const sql::Table& table : application_.schema.tables) {
      if (table.name != name || !table.has_primary_key) continue;
      const std::string key =
          input.substr(bracket + 1, input.size() - bracket - 2);
      const auto& columns = table.unique.at(0).columns;
      std::string where;
      std::size_t at = 0;
      for (const std::uint32_t column : columns) {
        const std::size_t end = std::min(key.find(", ", at), key.size());
        where += (where.empty() ? "" : " AND ") + table.columns[column].name +
                 " = " + literal(key.substr(at, end - at));
        at = std::min(end + 2, key.size());
      }
      out_.setup.push_back("UPDATE " + table.name + " SET " +
                           input.substr(dot + 1, bracket - dot - 1) + " = " +
                           literal(cell_of(value).value_or("NULL")) +
                           " WHERE " + where);
    }
  }

  static std::string literal(const std::string& text) {
    const bool is_number =
        !text.empty() &&
        text.find_first_not_of("0123456789.-") == std::string::npos;
    if (is_number || text == "NULL") return text;
    if (text == "t" || text == "f") return text == "t" ? "true" : "false";
    if (text.front() == '\'') return text;
    return db::literal(sql::Value::text(text), Product::PostgreSql);
  }

  std::size_t session_of(const std::string& name) {
    const auto found =
        std::find(out_.sessions.begin(), out_.sessions.end(), name);
    if (found != out_.sessions.end())
      return static_cast<std::size_t>(found - out_.sessions.begin());
    out_.sessions.push_back(name);
    return out_.sessions.size() - 1;
  }

  void read_step(const SavedJson& saved) {
    const auto kind = kind_of_event(saved);
    if (!kind) return;
    Planned step;
    step.kind = *kind;
    step.session = session_of(saved.at("session").get<std::string>());
    step.transaction = saved.value("transaction", "");
    step.sql = db::in_dialect(application_, saved.value("statement", ""),
                              out_.profile->product);
    step.seen = saved.value("seen", "");
    if (*kind == Planned::Kind::Error) read_error(saved, step);
    out_.steps.push_back(std::move(step));
  }

  /// `robust` has the code before the message.
  static void read_error(const SavedJson& saved, Planned& step) {
    step.code = saved.contains("error")
                    ? saved["error"].get<std::string>()
                    : step.seen.substr(0, step.seen.find(' '));
    step.is_outside = !goes_to_database(step.sql);
  }

  /// After an error that nobody catches the transaction is rolled back, or is
  /// tried again.
  void mark_caught() {
    for (std::size_t i = 0; i < out_.steps.size(); ++i) {
      Planned& step = out_.steps[i];
      if (step.kind != Planned::Kind::Error) continue;
      for (std::size_t j = i + 1; j < out_.steps.size(); ++j) {
        const Planned& next = out_.steps[j];
        if (next.session != step.session) continue;
        step.is_caught = next.kind != Planned::Kind::Rollback &&
                         next.transaction == step.transaction;
        break;
      }
    }
  }

  void read_end() {
    if (example_.contains("values") && example_["values"].is_object())
      for (const auto& [table, rows] : example_["values"].items()) {
        if (!rows.is_array()) continue;
        StatementSchedule::Rows cells;
        for (const SavedJson& row : rows) {
          auto& one = cells.emplace_back();
          for (const SavedJson& value : row) one.push_back(cell_of(value));
        }
        out_.finals.emplace_back(table, std::move(cells));
      }
    out_.is_witness = example_.value("kind", "") == "witness";
    if (!example_.contains("variables"))
      out_.condition = example_.value("condition", "");
  }

  const sql::Application& application_;
  const SavedJson& result_;
  const SavedJson& example_;
  StatementSchedule out_;
};

/// Whatever in a result has a schedule of statements.
std::vector<const SavedJson*> examples_in(const SavedJson& result) {
  std::vector<const SavedJson*> found;
  const auto add = [&](const SavedJson& one) {
    if (one.is_object() && one.contains("schedule") &&
        one["schedule"].is_array() && !one["schedule"].empty())
      found.push_back(&one);
  };
  add(result);
  for (const char* field : {"violation", "counterexample", "run"})
    if (result.contains(field)) add(result[field]);
  if (result.contains("violations"))
    for (const SavedJson& one : result["violations"]) add(one);
  for (const char* field : {"properties", "findings"}) {
    if (!result.contains(field)) continue;
    for (const SavedJson& one : result[field])
      for (const char* inner : {"counterexample", "run", "witness"})
        if (one.contains(inner)) add(one[inner]);
  }
  return found;
}

class ReportReader {
 public:
  ReportReader(const SavedJson& report, std::string file,
               const SavedChoice& choice)
      : report_(report), file_(std::move(file)), choice_(choice) {}

  Result<SavedSchedules> run() {
    auto application = read_application();
    if (!application) return application.error();
    for (const SavedJson& result : report_.at("results")) {
      const auto profile = profile_of(result);
      if (!profile) continue;
      for (const SavedJson* example : examples_in(result)) {
        const std::string key = std::string((*profile)->name) +
                                example->value("name", "") +
                                example->at("schedule").dump();
        if (!seen_.insert(key).second) continue;
        out_.schedules.push_back(
            ScheduleReader(*application, result, *example).run(**profile));
      }
    }
    if (out_.schedules.empty())
      return wrong_saved(
          file_,
          "the report has no counterexample that can be run" +
              (out_.notes.empty() ? "" : ": " + out_.notes.front()),
          "replay runs what is violated at a level of PostgreSQL or "
          "MariaDB, or of theory");
    return std::move(out_);
  }

 private:
  Result<sql::Application> read_application() {
    std::vector<std::string> inputs;
    const SavedJson& input =
        report_.contains("input") ? report_["input"] : SavedJson();
    if (input.is_string()) inputs = {input.get<std::string>()};
    if (input.is_array()) inputs = input.get<std::vector<std::string>>();
    if (inputs.empty() || inputs.front() == "-")
      return wrong_saved(file_,
                         "the report does not say which file it is about",
                         "give txscope the application as a file");
    if (inputs.front().size() > 4 &&
        inputs.front().substr(inputs.front().size() - 4) == ".txn")
      return wrong_saved(file_, "a .txn program has no statements to be run",
                         "replay runs applications in SQL");
    auto script = joined_sql(inputs);
    if (!script) return script.error();
    return sql::read_open_sql(script->name, std::move(script->text), false);
  }

  /// None: it cannot be run; a note says why.
  std::optional<const Profile*> profile_of(const SavedJson& result) {
    if (choice_.profile != nullptr) return choice_.profile;
    const std::string level = result.value("level", "");
    const auto cannot = [&](const std::string& why) {
      const std::string note = level + " is not replayed: " + why;
      if (std::find(out_.notes.begin(), out_.notes.end(), note) ==
          out_.notes.end())
        out_.notes.push_back(note);
      return std::nullopt;
    };
    if (is_profile_name(level)) {
      const auto profile = parse_profile(level);
      if (!profile) return cannot(profile.error().what);
      const Product product = (*profile)->product;
      if (product != Product::PostgreSql && product != Product::MariaDb)
        return cannot("only PostgreSQL and MariaDB are run");
      if (choice_.product && *choice_.product != product)
        return cannot("the database is another product");
      return *profile;
    }
    const Product product = choice_.product.value_or(Product::PostgreSql);
    const auto base = parse_level(level);
    const Profile* profile = base ? profile_for(product, base->base) : nullptr;
    if (profile == nullptr)
      return cannot("no database has that level; say --level");
    return profile;
  }

  const SavedJson& report_;
  std::string file_;
  const SavedChoice& choice_;
  std::set<std::string> seen_;
  SavedSchedules out_;
};

}  // namespace

Result<SavedSchedules> saved_schedules(const nlohmann::json& report,
                                       const std::string& file,
                                       const SavedChoice& choice) {
  return ReportReader(report, file, choice).run();
}

}  // namespace txscope::verb
