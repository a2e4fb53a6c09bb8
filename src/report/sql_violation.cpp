#include <algorithm>
#include <map>
#include <set>

#include "report/dictionary.h"
#include "report/lanes.h"
#include "report/sql_report.h"
#include "report/verdict_table.h"
#include "report/wrap.h"

namespace txscope {
namespace {

using PictureKind = SqlPicture::Step::Kind;

constexpr std::size_t kMaxRows = 8;         // of a table
constexpr std::size_t kMaxStatement = 150;  // columns of a lane's statement

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
      const bool has_line = step.kind != PictureKind::Commit &&
                            step.kind != PictureKind::Rollback;
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
      case PictureKind::Commit: return "COMMIT";
      case PictureKind::Rollback: return "ROLLBACK";
      case PictureKind::Wait: {
        std::vector<std::string> others;
        for (const std::uint32_t s : step.waits_for) {
          others.push_back(application_.sessions[s].name);
        }
        waiting[step.session] = step.at.line;
        return without_middle(step.statement) + " ... waits for " +
               joined(others, " and ");
      }
      case PictureKind::Error: {
        const bool has_waited = waiting.erase(step.session) > 0;
        return (has_waited ? "..." : without_middle(step.statement)) +
               " ERROR " + (step.code == "raised" ? "" : step.code + " ") +
               step.seen;
      }
      case PictureKind::Statement: break;
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

}  // namespace

std::string violation_text(const SqlReport& report, const SqlPicture& picture) {
  return PictureText(report, picture).text();
}

}  // namespace txscope
