#include <algorithm>
#include <map>
#include <set>

#include "model/sql/walk.h"
#include "report/dictionary.h"
#include "report/lanes.h"
#include "report/sql_report.h"
#include "report/wrap.h"

namespace txscope {
namespace {

using StepKind = SqlPicture::Step::Kind;

constexpr std::size_t kLevelWidth = 34;
constexpr std::size_t kCountWidth = 12;
constexpr std::size_t kVerdictWidth = 11;
constexpr std::size_t kColumns = 3;  // properties side by side
constexpr std::size_t kMaxSerial = 6;
constexpr std::size_t kMaxRows = 8;         // of a table
constexpr std::size_t kMaxStatement = 150;  // columns of a lane's statement

std::string_view shown(Outcome verdict) {
  return verdict == Outcome::Violated ? "VIOLATED" : name(verdict);
}

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string lines(std::string_view first, std::string_view text) {
  std::string out = wrapped(first, text);
  if (!out.ends_with('\n')) out += "\n";
  return out;
}

std::string joined(const std::vector<std::string>& parts,
                   const std::string& between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string property_title(const sql::Property& property) {
  return std::string(name(property.kind)) + " \"" + property.name + "\"";
}

// --- verdicts

std::string count_of(const SqlLevel& level) {
  const std::uint64_t n = level.profile != nullptr ? level.profile->outcomes
                                                   : level.theory->histories;
  return grouped(n) + (is_complete(level) ? "" : "+");
}

std::string aborts_text(const engine::ProfileResult& profile) {
  std::vector<std::string> codes;
  for (const auto& [code, n] : profile.aborts) codes.push_back(code);
  if (codes.empty()) return "";
  return "; some abort with " + joined(codes, ", ");
}

/// What the search of one level came to, in a sentence.
std::string counts_sentence(const SqlLevel& level) {
  std::string text;
  if (level.profile != nullptr) {
    const engine::ProfileResult& r = *level.profile;
    text = counted(r.outcomes, "different outcome") + ", " +
           counted(r.final_states, "final state") + aborts_text(r);
    if (r.cut > 0) text += "; " + grouped(r.cut) + " cut";
  } else {
    const LevelResult& r = *level.theory;
    text =
        grouped(r.histories) + (r.histories == 1 ? " history" : " histories");
    if (r.level > Base::Causal) {
      text += " (of " + grouped(r.end_states) + " causal ones)";
    }
    if (r.cut > 0) text += ", " + grouped(r.cut) + " cut by a bound";
  }
  return text + (is_complete(level) ? "; that is all of them" : "") + ".";
}

/// Why a level was not explored to its end.
std::string why_undecided(const SqlReport& report, const SqlLevel& level) {
  const Spent spent =
      level.profile != nullptr ? level.profile->spent : level.theory->spent;
  switch (spent) {
    case Spent::Nothing:
    case Spent::Proof: break;
    case Spent::Time: return "the time was up before everything was seen";
    case Spent::Memory:
      return "the memory was used up before everything was seen";
    case Spent::Cancelled:
      return "the search was stopped before everything was seen";
  }
  if (level.profile != nullptr && level.profile->cut > 0) {
    return level.profile->cut_reason;
  }
  if (level.theory != nullptr && level.theory->cut > 0) {
    return "a loop reached its bound of " + grouped(report.loop_bound) +
           " rounds (--loop-bound raises it), or a number its limit";
  }
  return "";
}

/// What a product does not call so; it is explored all the same.
std::string_view unknown_words(const sql::DbStatement& statement,
                               engine::Product product) {
  const auto* insert = std::get_if<sql::Insert>(&statement.what);
  const auto* query = std::get_if<sql::Select>(&statement.what);
  const bool is_update = std::holds_alternative<sql::Update>(statement.what);
  switch (product) {
    case engine::Product::PostgreSql: break;
    case engine::Product::MariaDb:
      if (is_update && !statement.returning.empty()) return "UPDATE RETURNING";
      [[fallthrough]];
    case engine::Product::Oracle:
      if (insert != nullptr && insert->on_conflict) return "ON CONFLICT";
      break;
    case engine::Product::Sqlite:
      if (query != nullptr && (*query)->lock != sql::LockStrength::None) {
        return "FOR UPDATE";
      }
      break;
  }
  return "";
}

std::string dialect_notes(const SqlReport& report) {
  std::set<std::string> notes;
  for (const SqlLevel& level : report.levels) {
    if (level.profile == nullptr) continue;
    const engine::Profile& profile = *level.profile->profile;
    for (const sql::Routine& routine : report.application->routines) {
      sql::for_each_statement(routine.body, [&](const sql::DbStatement& s) {
        const std::string_view words = unknown_words(s, profile.product);
        if (words.empty()) return;
        notes.insert(
            std::string(profile.name.substr(0, profile.name.find(':'))) +
            " does not know " + std::string(words) + " (line " +
            std::to_string(s.at.line) +
            "); it is explored with PostgreSQL's meaning.");
      });
    }
  }
  std::string out;
  for (const std::string& note : notes) out += lines("", note);
  return out;
}

std::string notes(const SqlReport& report) {
  std::string out = dialect_notes(report);
  for (const SqlLevel& level : report.levels) {
    if (is_complete(level)) continue;
    const std::string why = why_undecided(report, level);
    if (!why.empty()) out += lines("", level_name(level) + ": " + why + ".");
  }
  std::set<std::string> sources;
  for (const SqlLevel& level : report.levels) {
    if (level.profile == nullptr || level.profile->profile->is_observed) {
      continue;
    }
    const engine::Profile& profile = *level.profile->profile;
    if (!sources.insert(std::string(profile.source)).second) continue;
    const auto product = profile.name.substr(0, profile.name.find(':'));
    out += lines("", std::string(product) + " is " +
                         std::string(profile.source) + " on a running server.");
  }
  return out.empty() ? "" : "\n" + out;
}

std::string table(const SqlReport& report) {
  const auto& properties = report.application->properties;
  std::string out;
  const std::size_t n = properties.size();
  for (std::size_t p = 0; p < n; ++p) {
    out += lines(padded("  [" + std::to_string(p + 1) + "] ", 6),
                 property_title(properties[p]) + ", line " +
                     std::to_string(properties[p].at.line));
  }
  if (n > 0) out += "\n";
  const bool any_profile =
      std::any_of(report.levels.begin(), report.levels.end(),
                  [](const SqlLevel& l) { return l.profile != nullptr; });
  const bool any_theory =
      std::any_of(report.levels.begin(), report.levels.end(),
                  [](const SqlLevel& l) { return l.theory != nullptr; });
  const std::string what = any_profile && any_theory ? "runs"
                           : any_profile             ? "outcomes"
                                                     : "histories";
  std::size_t first = 0;
  do {
    const std::size_t last = std::min(first + kColumns, n);
    std::string head = padded("level", kLevelWidth) + padded(what, kCountWidth);
    for (std::size_t p = first; p < last; ++p) {
      head += padded("[" + std::to_string(p + 1) + "]", kVerdictWidth);
    }
    if (n == 0) head += "verdict";
    out += trimmed(head);
    for (const SqlLevel& level : report.levels) {
      std::string row = padded(level_name(level), kLevelWidth) +
                        padded(count_of(level), kCountWidth);
      for (std::size_t p = first; p < last; ++p) {
        row += padded(shown(verdict_of(report, level, p)), kVerdictWidth);
      }
      if (n == 0) row += shown(verdict_of(level));
      out += trimmed(row);
    }
    first = last;
    if (first < n) out += "\n";
  } while (first < n);
  return out;
}

// --- one violation

/// Statements that are too long lose their middle.
std::string without_middle(const std::string& text) {
  if (columns(text) <= kMaxStatement) return text;
  return shortened(text, kMaxStatement);
}

/// Short results stay on one line.
std::string unbroken(std::string text) {
  if (columns(text) <= 16)
    std::replace(text.begin(), text.end(), ' ', kHardSpace);
  return text;
}

class PictureText {
 public:
  PictureText(const SqlReport& report, const SqlPicture& picture)
      : application_(*report.application), picture_(picture) {}

  std::string text() {
    const sql::Property& property = application_.properties[picture_.property];
    const bool is_invariant = property.kind == PropertyKind::Invariant;
    std::string out =
        lines("", "At " + picture_.level + " the " + property_title(property) +
                      (is_invariant ? " breaks" : " fails") + " (" +
                      to_string(application_.place(property.at)) + ").");
    if (picture_.transactions.size() < picture_.all_transactions) {
      out += counted(picture_.transactions.size(), "transaction") + " of " +
             std::to_string(picture_.all_transactions) +
             (picture_.transactions.size() == 1 ? " is" : " are") +
             " enough:\n";
    }
    out += "\n" + lanes() + "\n";
    out += finals();
    out += lines("", "Line " + std::to_string(property.at.line) + ", " +
                         one_line(application_.text(property.at)) + ", is " +
                         picture_.value + ".");
    if (picture_.replay_problem) {
      out +=
          lines("", "This schedule could not be replayed (" +
                        *picture_.replay_problem +
                        "); that is a mistake of txscope, please report it.");
    }
    return out + serial() + anomaly() + repairs();
  }

 private:
  std::string lanes() {
    std::set<std::uint32_t> sessions;
    for (const SqlPicture::Step& s : picture_.steps) sessions.insert(s.session);
    std::vector<std::string> names;
    std::map<std::uint32_t, std::size_t> lane;
    for (const std::uint32_t s : sessions) {
      lane[s] = names.size();
      names.push_back(application_.sessions[s].name);
    }
    std::vector<LaneRow> rows;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> begun;
    std::map<std::uint32_t, std::uint32_t> waiting;  // line, by session
    for (const SqlPicture::Step& step : picture_.steps) {
      if (begun.insert({step.session, step.call, step.attempt}).second) {
        rows.push_back({lane[step.session], 0, begin_text(step)});
      }
      const bool has_line =
          step.kind != StepKind::Commit && step.kind != StepKind::Rollback;
      rows.push_back({lane[step.session], has_line ? step.at.line : 0,
                      step_text(step, waiting)});
    }
    return draw_lanes(names, rows);
  }

  [[nodiscard]] std::string begin_text(const SqlPicture::Step& step) const {
    const sql::Call& call =
        application_.sessions[step.session].calls[step.call];
    std::string text = one_line(application_.text(call.at));
    while (text.ends_with(';')) text.pop_back();
    // A script's statements follow anyway.
    if (text.size() >= 5 && (text[0] == 'B' || text[0] == 'b')) text = "BEGIN";
    if (step.attempt > 0) text += " (again)";
    return shortened(text, 60);
  }

  std::string step_text(const SqlPicture::Step& step,
                        std::map<std::uint32_t, std::uint32_t>& waiting) const {
    switch (step.kind) {
      case StepKind::Commit: return "COMMIT";
      case StepKind::Rollback: return "ROLLBACK";
      case StepKind::Wait: {
        std::vector<std::string> others;
        for (const std::uint32_t s : step.waits_for) {
          others.push_back(application_.sessions[s].name);
        }
        waiting[step.session] = step.at.line;
        return without_middle(step.statement) + " ... waits for " +
               joined(others, " and ");
      }
      case StepKind::Error: {
        const bool has_waited = waiting.erase(step.session) > 0;
        return (has_waited ? "..." : without_middle(step.statement)) +
               " ERROR " + (step.code == "raised" ? "" : step.code + " ") +
               step.seen;
      }
      case StepKind::Statement: break;
    }
    const bool has_waited = waiting.erase(step.session) > 0;
    std::string text = has_waited ? "..." : without_middle(step.statement);
    if (!step.seen.empty()) text += " " + unbroken("-> " + step.seen);
    if (!step.misses.empty()) {
      text += " (without " + joined(step.misses, ", ") + ")";
    }
    return text;
  }

  [[nodiscard]] std::string rows_text(
      const SqlPicture::TableRows& table) const {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < std::min(table.rows.size(), kMaxRows); ++i) {
      rows.push_back(row_text(table.rows[i]));
    }
    if (rows.empty()) return "no rows";
    std::string text = joined(rows, " ");
    if (table.rows.size() > kMaxRows) {
      text += " and " + counted(table.rows.size() - kMaxRows, "other");
    }
    return text;
  }

  [[nodiscard]] std::string finals() const {
    if (picture_.finals.empty() && picture_.variables.empty()) return "";
    std::string out = "In the end:\n";
    for (const SqlPicture::TableRows& table : picture_.finals) {
      out += lines("  " + application_.schema.at(table.table).name + " ",
                   rows_text(table));
    }
    for (const auto& [variable, value] : picture_.variables) {
      out += "  " + variable + " = " + value + "\n";
    }
    return out;
  }

  /// The same transactions one after the other; equal results together.
  [[nodiscard]] std::string serial() const {
    if (picture_.serial.empty()) return "";
    const auto breaking =
        std::count_if(picture_.serial.begin(), picture_.serial.end(),
                      [](const auto& run) { return run.is_violated; });
    const bool all =
        static_cast<std::size_t>(breaking) == picture_.serial.size();
    std::string out =
        breaking == 0
            ? "One after the other, in any order, this cannot happen:\n"
        : all ? "One after the other it breaks, too; no level prevents that:\n"
              : "One after the other it breaks in some orders, too; no level "
                "prevents that:\n";
    const auto result_of = [&](const SqlPicture::Serial& run) {
      std::vector<std::string> parts;
      for (const SqlPicture::TableRows& table : run.finals) {
        parts.push_back(application_.schema.at(table.table).name + " " +
                        rows_text(table));
      }
      for (const std::string& call : run.aborted) {
        parts.push_back(call + " fails");
      }
      parts.push_back(run.is_violated ? "VIOLATED" : "fine");
      return joined(parts, "; ");
    };
    std::vector<std::pair<std::string, std::size_t>> groups;  // text, more
    std::vector<std::string> results;
    for (const SqlPicture::Serial& run : picture_.serial) {
      const std::string result = result_of(run);
      const auto same = std::find(results.begin(), results.end(), result);
      if (same != results.end()) {
        ++groups[static_cast<std::size_t>(same - results.begin())].second;
        continue;
      }
      results.push_back(result);
      groups.emplace_back(joined(run.order, ", "), 0);
    }
    for (std::size_t i = 0; i < std::min(groups.size(), kMaxSerial); ++i) {
      std::string text = groups[i].first;
      if (groups[i].second > 0) {
        text += " (and " + counted(groups[i].second, "other order") + ")";
      }
      out += lines("  ", text + ": " + results[i]);
    }
    if (groups.size() > kMaxSerial) {
      out +=
          "  and " + counted(groups.size() - kMaxSerial, "other result") + "\n";
    }
    return out;
  }

  [[nodiscard]] std::string anomaly() const {
    if (!picture_.refused_by) return "";
    const Anomaly& anomaly = picture_.anomaly;
    const bool has_words = !anomaly.words.empty();
    std::string out = lines(
        "",
        "The first level that refuses this history is " +
            std::string(name(*picture_.refused_by)) + ": " +
            (has_words ? anomaly.words + " (" + anomaly.id + ")" : anomaly.id) +
            ".");
    const auto* entry = dictionary::find(anomaly.words);
    if (entry == nullptr) entry = dictionary::find(anomaly.id);
    if (entry == nullptr) return out;
    if (!entry->practice.empty()) {
      out += "\nWhat to do:\n" + lines("  ", entry->practice);
    }
    return out + "\nMore: txscope explain " + std::string(entry->name) + "\n";
  }

  static std::string locks_text(
      const std::vector<engine::Repair::Lock>& locks) {
    std::vector<std::string> direct;
    std::vector<std::string> before;
    for (const engine::Repair::Lock& lock : locks) {
      (lock.is_before ? before : direct)
          .push_back("line " + std::to_string(lock.select.line));
    }
    std::vector<std::string> parts;
    if (!direct.empty()) {
      parts.push_back("add FOR UPDATE to the SELECT on " +
                      joined(direct, " and "));
    }
    if (!before.empty()) {
      parts.push_back(
          "lock the rows that the SELECT on " + joined(before, " and ") +
          " reads just before it (PERFORM 1 FROM ... WHERE ... FOR UPDATE)");
    }
    return joined(parts, ", ");
  }

  [[nodiscard]] std::string repairs() const {
    if (picture_.repairs.empty()) return "";
    std::string out = "\nWhat to do (each was tried):\n";
    for (const engine::Repair& repair : picture_.repairs) {
      const std::string level(repair.profile->name);
      std::string text;
      if (repair.locks.empty()) {
        text = "run at " + level;
      } else {
        text = locks_text(repair.locks) + ", stay at " + level;
      }
      if (!repair.retried.empty()) {
        text += ", and try again on error " + joined(repair.retried, " or ");
      }
      text += repair.all_hold ? ": everything holds" : ": this property holds";
      out += lines("  - ", text);
    }
    return out;
  }

  const sql::Application& application_;
  const SqlPicture& picture_;
};

/// Levels as they are looked at for something to draw: engines in their order
/// (PostgreSQL first), then theory; the strongest of each first.
std::vector<const SqlLevel*> by_interest(const SqlReport& report) {
  std::vector<const SqlLevel*> out;
  for (std::size_t i = report.levels.size(); i-- > 0;) {
    out.push_back(&report.levels[i]);
  }
  const auto rank = [](const SqlLevel* level) {
    return level->profile == nullptr
               ? 1000
               : static_cast<int>(level->profile->profile->product);
  };
  std::stable_sort(
      out.begin(), out.end(),
      [&](const SqlLevel* a, const SqlLevel* b) { return rank(a) < rank(b); });
  return out;
}

/// Of each property one violation.
std::vector<SqlPicture> to_draw(const SqlReport& report) {
  std::vector<SqlPicture> out;
  for (const SqlLevel* level : by_interest(report)) {
    for (SqlPicture& picture : pictures(report, *level)) {
      const bool is_drawn =
          std::any_of(out.begin(), out.end(), [&](const SqlPicture& other) {
            return other.property == picture.property;
          });
      if (!is_drawn) out.push_back(std::move(picture));
    }
  }
  std::sort(out.begin(), out.end(),
            [](const SqlPicture& a, const SqlPicture& b) {
              return a.property < b.property;
            });
  return out;
}

/// The weakest of the levels asked about at which everything holds.
std::string advice(const SqlReport& report) {
  bool any_violated = false;
  std::vector<std::string> holds;
  std::string product;  // one level of each product, and of theory
  for (const SqlLevel& level : report.levels) {
    any_violated |= verdict_of(level) == Outcome::Violated;
    if (verdict_of(level) != Outcome::Holds) continue;
    const std::string full = level_name(level);
    const std::string its = full.substr(0, full.find(':') + 1);
    if (!holds.empty() && its == product) continue;
    product = its;
    holds.push_back(full);
  }
  if (!any_violated || holds.empty()) return "";
  return lines("", "Everything holds at " + joined(holds, ", at ") + ".");
}

}  // namespace

std::string sql_text(const SqlReport& report) {
  std::string out;
  if (report.levels.size() == 1) {
    const SqlLevel& level = report.levels.front();
    const std::string verdict = verdict_of(level) == Outcome::Violated
                                    ? "is VIOLATED"
                                    : std::string(name(verdict_of(level)));
    out += lines("", report.input + ": " + level_name(level) + " " + verdict);
    out += lines("", counts_sentence(level));
    for (std::size_t p = 0; p < report.application->properties.size(); ++p) {
      out += "  " + padded(shown(verdict_of(report, level, p)), kVerdictWidth) +
             property_title(report.application->properties[p]);
      const std::uint64_t n = violating(report, level, p);
      if (report.all && n > 0) {
        const bool is_engine = level.profile != nullptr;
        out += " (in " + grouped(n) +
               (is_engine ? n == 1 ? " final state" : " final states"
                : n == 1  ? " history"
                          : " histories") +
               ")";
      }
      out += "\n";
    }
  } else {
    std::size_t calls = 0;
    for (const auto& s : report.application->sessions) calls += s.calls.size();
    out += report.input + ": " +
           counted(report.application->sessions.size(), "session") + ", " +
           counted(calls, "transaction") + "\n\n";
    out += table(report);
  }
  out += notes(report);
  for (const SqlPicture& picture : to_draw(report)) {
    out += "\n" + PictureText(report, picture).text();
  }
  const std::string last = report.levels.size() > 1 ? advice(report) : "";
  if (!last.empty()) out += "\n" + last;
  return out;
}

}  // namespace txscope
