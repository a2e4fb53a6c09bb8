#include <algorithm>
#include <cctype>

#include "base/printable.h"
#include "check/anomaly/anomaly.h"
#include "check/anomaly/other_initial_values.h"
#include "check/facts/facts.h"
#include "check/facts/later_writes.h"
#include "check/vacuous.h"
#include "report/check_evidence.h"
#include "report/check_report.h"
#include "report/dictionary/dictionary.h"
#include "report/nothing_committed.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

constexpr std::size_t kLevelColumn = 30;
constexpr std::size_t kOrderShown = 12;

std::string title(const Anomaly& anomaly) {
  if (anomaly.words.empty()) return anomaly.id;
  return anomaly.words + " (" + anomaly.id + ")";
}

bool has_order_of_headline(const CheckReport& report, Level level) {
  return level.order == report.rows.front().verdict.level.order;
}

// By its base; with its order where that is not the one of the headline.
std::string row_name(const CheckReport& report, Level level) {
  if (has_order_of_headline(report, level))
    return std::string(name(level.base));
  if (level.order == Order::Realtime)
    return "strict-" + std::string(name(level.base));
  return describe(level);
}

// Who tests a database wants to know whether it keeps its word, not how to
// write an application around it.
std::string for_builders(const CheckReport& report, Level level) {
  std::string kept;
  for (const auto& row : report.rows)
    if (row.verdict.outcome() == Outcome::Holds)
      kept = row_name(report, row.verdict.level);
  std::string text = "A database that promises " + row_name(report, level) +
                     " or more has broken its promise here: look at how it "
                     "ran the transactions above.";
  if (!kept.empty())
    text += " One that promises no more than " + kept + " has kept it.";
  return wrapped("  ", text);
}

// "--initial x=0": as the command line takes it.
std::string initial_option(const History& history, const std::string& key,
                           Atom value) {
  const std::string setting = key + "=" + history.shown(value);
  const bool is_plain =
      std::all_of(setting.begin(), setting.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '=' || c == '_' || c == ':' ||
               c == '-' || c == '.';
      });
  return "--initial " + (is_plain ? setting : "'" + setting + "'");
}

// What a different initial value would explain is seldom the database's fault.
std::string how_keys_start(const CheckReport& report, Level level) {
  const History& history = *report.history;
  const auto guesses = check::other_initial_values(
      history, check::bad_reads(history, check::Facts(history), level));
  if (guesses.empty()) return "";
  const Atom value = guesses.front().value;
  if (check::one_value_for_all(history, guesses))
    return wrapped("  ", "Or the keys start as " + history.shown(value) +
                             ": then say " +
                             initial_option(history, "*", value) + ".");
  const std::string key = history.name(guesses.front().key);
  std::string text = "Or " + key + " starts as " + history.shown(value) +
                     ", not " + history.shown(history.initial(guesses[0].key)) +
                     ": then say " + initial_option(history, key, value) + ".";
  if (guesses.size() > 1)
    text += " The same for " + counted(guesses.size() - 1, "other key") + ".";
  return wrapped("  ", text);
}

// The dictionary knows what an anomaly means in practice; by its plain word if
// it has one of its own, else by its class.
const dictionary::Entry* entry_of(const Anomaly& anomaly) {
  const auto* entry = dictionary::find(anomaly.words);
  return entry != nullptr ? entry : dictionary::find(anomaly.id);
}

std::string what_to_do(const CheckReport& report, Level level,
                       const Anomaly& anomaly) {
  const auto* entry = entry_of(anomaly);
  if (entry == nullptr) return "";
  const std::string start =
      anomaly.id == "thin-air-read" ? how_keys_start(report, level) : "";
  std::string text;
  if (report.is_for_builders)
    text += "\nWhat to do:\n" + for_builders(report, level) + start;
  else if (!entry->practice.empty())
    text += "\nWhat to do:\n" + wrapped("  ", entry->practice) + start;
  return text;
}

std::string where_to_read_more(const Anomaly& anomaly) {
  const auto* entry = entry_of(anomaly);
  return entry == nullptr ? ""
                          : "\nMore: txscope explain " +
                                dictionary::canonical(entry->name) + "\n";
}

/// What to do first, then what shows it.
std::string instance(const CheckReport& report, Level level,
                     const Refutation& refutation, const Anomaly& anomaly) {
  return what_to_do(report, level, anomaly) +
         show_refutation(*report.history, level, refutation) +
         where_to_read_more(anomaly);
}

std::string show_commit_order(const History& history, const CommitOrder& co) {
  std::string order;
  const std::size_t shown = std::min(co.order.size(), kOrderShown);
  for (std::size_t i = 0; i < shown; ++i)
    order += (i > 0 ? ", " : "") + history.name(co.order[i]);
  if (shown < co.order.size())
    order += ", .. (" + grouped(co.order.size()) +
             " in all; --format json --evidence has them)";
  return wrapped("  commit order: ", order);
}

std::string size_of(const History& history) {
  return counted(history.size() - 1, "transaction") + " in " +
         counted(history.sessions().size(), "session") + ", " +
         counted(history.ops().size(), "operation");
}

std::string contents_of(const History& history) {
  const HistoryCounts counts(history);
  return "  " + grouped(counts.committed) + " committed, " +
         grouped(counts.aborted) + " aborted, " + grouped(counts.unknown) +
         " of unknown outcome; " + counted(counts.reads, "read") + " and " +
         counted(counts.writes, "write") + " of " +
         counted(history.key_count(), "key") + "\n";
}

// What --certify went through, from the definitions alone.
/// Which strategy decided which level.
std::string decided_by(const CheckReport& report) {
  std::string text;
  for (const auto& row : report.rows) {
    if (row.verdict.strategy.empty()) continue;
    text += (text.empty() ? "" : "; ") + describe(row.verdict.level) + " by " +
            std::string(row.verdict.strategy);
  }
  return text.empty() ? "" : wrapped("  Decided: ", text);
}

std::string certified(const CheckReport& report) {
  std::uint64_t orders = 0;
  std::uint64_t refutations = 0;
  std::uint64_t undecided = 0;
  bool has_lemmas = false;
  for (const auto& row : report.rows) {
    switch (row.verdict.outcome()) {
      case Outcome::Holds: ++orders; break;
      case Outcome::Violated:
        ++refutations;
        has_lemmas |= !row.verdict.refutation().lemmas.empty();
        break;
      case Outcome::Undecided: ++undecided; break;
    }
  }
  std::string text = "re-checked from the definitions: ";
  if (orders > 0)
    text += "the commit order of " + counted(orders, "level") + " that hold" +
            (orders == 1 ? "s" : "");
  if (refutations > 0)
    text += (orders > 0 ? std::string(", ") : "") + "every case " +
            (has_lemmas ? "and lemma of " : "of ") +
            counted(refutations, "refutation");
  if (orders + refutations == 0) text += "nothing";
  if (undecided > 0)
    text += "; " + counted(undecided, "level") + " undecided, without evidence";
  if (report.all)
    text += "; the smallest instance of " +
            counted(report.all->kinds.size(), "kind") + " of anomaly";
  return wrapped("  Certified: ", text);
}

// The rows that are violated by themselves.
std::vector<const CheckReport::Row*> minimal_rows(const CheckReport& report) {
  std::vector<const CheckReport::Row*> found;
  for (const auto& row : report.rows)
    if (row.verdict.outcome() == Outcome::Violated && !row.follows_from)
      found.push_back(&row);
  return found;
}

std::string why_undecided(Spent spent) {
  if (spent == Spent::Cancelled) return "it was interrupted";
  return "the " + to_string(spent) + " budget ended";
}

/// Why everything holds and that says nothing; else empty.
std::string why_vacuous(const CheckReport& report) {
  const bool all_hold = std::all_of(
      report.rows.begin(), report.rows.end(),
      [](const auto& r) { return r.verdict.outcome() == Outcome::Holds; });
  return all_hold ? check::why_nothing_to_check(*report.history) : "";
}

std::string headline_of_one(const CheckReport& report) {
  const Verdict& verdict = report.rows.front().verdict;
  const std::string level = describe(verdict.level);
  switch (verdict.outcome()) {
    case Outcome::Holds: return level + " holds";
    case Outcome::Violated:
      return level + " is VIOLATED: " + title(anomaly_of(report, verdict));
    case Outcome::Undecided: break;
  }
  return level + " is undecided: " + why_undecided(verdict.spent());
}

std::string headline(const CheckReport& report) {
  if (const std::string nothing = why_vacuous(report); !nothing.empty())
    return "VACUOUS, nothing was checked: " + nothing;
  if (report.rows.size() == 1) return headline_of_one(report);
  const Level first = report.rows.front().verdict.level;
  const std::string order = " (" + describe(first.order) + ")";
  const auto minimal = minimal_rows(report);
  const auto undecided = std::count_if(
      report.rows.begin(), report.rows.end(),
      [](const auto& r) { return r.verdict.outcome() == Outcome::Undecided; });
  if (minimal.empty() && undecided == 0) {
    const Level last = report.rows.back().verdict.level;
    return "every level asked for holds" +
           (has_order_of_headline(report, last)
                ? order
                : ", up to " + row_name(report, last));
  }
  if (minimal.empty())
    return counted(static_cast<std::uint64_t>(undecided), "level") +
           " undecided, none violated" + order;
  std::string text = "VIOLATED: ";
  bool is_order_used = false;
  for (std::size_t i = 0; i < minimal.size(); ++i) {
    const Verdict& verdict = minimal[i]->verdict;
    const Level level = verdict.level;
    const Anomaly anomaly = anomaly_of(report, verdict);
    text += (i > 0 ? " and " : "") +
            (anomaly.words.empty() ? anomaly.id : anomaly.words) + " from " +
            row_name(report, level);
    is_order_used |= has_order_of_headline(report, level);
  }
  return text + " up" + (is_order_used ? order : "");
}

std::string table(const CheckReport& report) {
  std::string text;
  for (const auto& row : report.rows) {
    const Verdict& verdict = row.verdict;
    std::string answer(name(verdict.outcome()));
    if (verdict.outcome() == Outcome::Undecided)
      answer += ": " + why_undecided(verdict.spent());
    if (verdict.outcome() == Outcome::Violated)
      answer = row.follows_from
                   ? "also violated"
                   : "VIOLATED   " + title(anomaly_of(report, verdict));
    text += "  " + padded(row_name(report, verdict.level), kLevelColumn) +
            answer + "\n";
  }
  return text;
}

std::string table_of_all(const CheckReport& report) {
  const check::AllAnomalies& all = *report.all;
  if (all.kinds.empty() && !all.counted_until) return "\nNo anomalies.\n";
  std::string text =
      "\nAnomalies, each at the weakest level that forbids it, and how many of "
      "them\nthere are that share no read:\n";
  for (const check::AnomalyKind& kind : all.kinds) {
    const std::string count = grouped(kind.count);
    text += "  " + padded(row_name(report, kind.level), kLevelColumn) +
            std::string(count.size() < 7 ? 7 - count.size() : 0, ' ') + count +
            "  " + title(kind.anomaly) + "\n";
  }
  if (all.counted_until)
    text += wrapped("  ", "The count ended at " +
                              row_name(report, *all.counted_until) +
                              ": there may be more, there and above.");
  return text;
}

/// "lost update (G-single): forbidden by snapshot-isolation (session order)"
std::string heading(const std::string& what, Level level) {
  return "\n" + wrapped("", what + ": forbidden by " + describe(level));
}

std::string instances_of_all(const CheckReport& report) {
  std::string text;
  for (const check::AnomalyKind& kind : report.all->kinds) {
    text += heading(
        title(kind.anomaly) +
            (kind.count > 1 ? ", the smallest of " + grouped(kind.count) : ""),
        kind.level);
    text += instance(report, kind.level, kind.smallest, kind.anomaly);
  }
  return text;
}

std::string instances_of_rows(const CheckReport& report) {
  std::string text;
  for (const auto* row : minimal_rows(report)) {
    const Verdict& verdict = row->verdict;
    const Anomaly anomaly = anomaly_of(report, verdict);
    if (report.rows.size() > 1) text += heading(title(anomaly), verdict.level);
    text += instance(report, verdict.level, verdict.refutation(), anomaly);
  }
  return text;
}

bool holds_throughout(const CheckReport& report) {
  return std::all_of(report.rows.begin(), report.rows.end(), [](const auto& r) {
    return r.verdict.outcome() == Outcome::Holds;
  });
}

}  // namespace

Anomaly anomaly_of(const CheckReport& report, const Verdict& verdict) {
  const Level level = verdict.level;
  const bool needs_order =
      std::any_of(report.rows.begin(), report.rows.end(), [&](const auto& row) {
        const Verdict& other = row.verdict;
        return other.level.base == level.base &&
               other.level.order < level.order &&
               other.outcome() == Outcome::Holds;
      });
  return check::anomaly_of(*report.history, level, verdict.refutation(),
                           needs_order ? level.order : Order::None);
}

std::string nothing_committed(const History& history) {
  if (history.size() < 2 || history.judge_aborted()) return "";
  std::uint64_t unknown = 0;
  for (std::size_t t = 1; t < history.size(); ++t) {
    const Status status = history.at(TxnId(t)).status;
    if (status == Status::Committed) return "";
    unknown += status == Status::Unknown ? 1 : 0;
  }
  return nothing_committed(0, unknown);
}

HistoryCounts::HistoryCounts(const History& history) {
  for (std::size_t t = 1; t < history.size(); ++t) {
    switch (history.at(TxnId(t)).status) {
      case Status::Committed: ++committed; break;
      case Status::Aborted: ++aborted; break;
      case Status::Unknown: ++unknown; break;
    }
  }
  for (const Op& op : history.ops()) ++(op.is_read() ? reads : writes);
}

std::string check_headline(const CheckReport& report) {
  return headline(report);
}

std::string check_text(const CheckReport& report) {
  const History& history = *report.history;
  std::string input = printable(report.input, Lines::Show);
  if (report.number > 0) input += ", history " + std::to_string(report.number);
  // Never wrapped, so that `grep VIOLATED` shows all of it.
  std::string text = input + ": " + headline(report) + "\n";
  text += report.is_unread ? "  it was not read to its end\n"
                           : "  " + size_of(history) + "\n";
  if (report.is_certified) text += certified(report);
  if (report.with_evidence) text += decided_by(report);
  if (report.all) text += contents_of(history);
  if (report.is_one_of_many && !report.all && holds_throughout(report))
    return text;
  const bool has_table = report.rows.size() > 1 && why_vacuous(report).empty();
  if (has_table) text += "\n" + table(report);
  if (report.all)
    text += table_of_all(report) + instances_of_all(report);
  else
    text += instances_of_rows(report);
  const Verdict& only = report.rows.front().verdict;
  if (!has_table && only.outcome() == Outcome::Holds)
    text += show_commit_order(history, only.commit_order());
  return text;
}

}  // namespace txscope::report
