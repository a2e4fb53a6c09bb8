#include <algorithm>
#include <set>

#include "model/sql/walk.h"
#include "report/sql_report.h"
#include "report/verdict_table.h"
#include "report/wrap.h"

namespace txscope {
namespace {

constexpr std::size_t kSqlLevelWidth = 34;

// --- verdicts

std::string count_of(const SqlLevel& level) {
  const std::uint64_t n = level.profile != nullptr ? level.profile->outcomes
                                                   : level.theory->histories;
  return grouped(n) + (is_complete(level) ? "" : "+");
}

std::string aborts_text(const engine::ProfileResult& profile) {
  std::vector<std::string> codes;
  for (const auto& [code, n] : profile.aborts)
    codes.push_back(code == "raised" ? "RAISE" : code);
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
    std::string head =
        padded("level", kSqlLevelWidth) + padded(what, kCountWidth);
    for (std::size_t p = first; p < last; ++p) {
      head += padded("[" + std::to_string(p + 1) + "]", kVerdictWidth);
    }
    if (n == 0) head += "verdict";
    out += trimmed(head);
    for (const SqlLevel& level : report.levels) {
      std::string row = padded(level_name(level), kSqlLevelWidth) +
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

std::string property_title(const sql::Property& property) {
  return std::string(name(property.kind)) + " \"" + property.name + "\"";
}

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
    out += "\n" + violation_text(report, picture);
  }
  const std::string last = report.levels.size() > 1 ? advice(report) : "";
  if (!last.empty()) out += "\n" + last;
  return out;
}

}  // namespace txscope
