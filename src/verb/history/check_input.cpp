#include "verb/history/check_input.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <memory>

#include "base/printable.h"
#include "certify/certify.h"
#include "check/anomaly/all_anomalies.h"
#include "check/check.h"
#include "check/ladder.h"
#include "check/vacuous.h"
#include "model/history_builder.h"
#include "report/check_report.h"
#include "report/document/documents.h"
#include "report/page/wrap.h"
#include "verb/answer/envelope.h"
#include "verb/input/history_input.h"
#include "verb/input/levels.h"
#include "verb/input/observed_history.h"

namespace txscope::verb {
namespace {

Promise promise(const Level& level, Outcome outcome) {
  return {std::string(name(level.base)), std::string(name(level.order)),
          known(outcome)};
}

std::vector<Finding> findings_of(const report::CheckReport& report) {
  std::vector<Finding> findings;
  const std::string nothing = check::why_nothing_to_check(*report.history);
  for (const report::CheckReport::Row& row : report.rows) {
    Finding finding;
    finding.input = report.input;
    finding.level = describe(row.verdict.level);
    finding.order = name(row.verdict.level.order);
    finding.about = About::Level;
    finding.outcome = row.verdict.outcome();
    if (finding.outcome == Outcome::Violated)
      finding.why = report::anomaly_of(report, row.verdict).id;
    if (finding.outcome == Outcome::Holds) finding.vacuous_because = nothing;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<std::optional<evidence::CommitOrder>> orders_of(
    const report::CheckReport& report) {
  std::vector<std::optional<evidence::CommitOrder>> orders;
  for (const report::CheckReport::Row& row : report.rows) {
    auto& order = orders.emplace_back();
    if (!report.with_evidence || row.verdict.outcome() != Outcome::Holds)
      continue;
    order.emplace();
    for (const TxnId t : row.verdict.commit_order().order)
      if (t != History::kInitial)
        order->transactions.push_back(report.history->name(t));
  }
  return orders;
}

void add_checked(const report::CheckReport& report, CheckedInput& said) {
  const report::HistoryCounts counts(*report.history);
  said.checked.rules =
      std::max<std::uint64_t>(said.checked.rules, report.rows.size());
  said.checked.sessions += report.history->sessions().size();
  said.checked.transactions += report.history->size() - 1;
  said.checked.committed += counts.committed;
  said.checked.statements += counts.reads + counts.writes;
  said.checked.executions += 1;
}

// Beside a verdict, which keeps its value: that it is one of nothing.
void mark_vacuous(const std::string& because, nlohmann::ordered_json& result) {
  if (because.empty() || result["verdict"] != "holds") return;
  result["vacuous"] = true;
  result["vacuous_because"] = because;
}

void add(const report::CheckReport& report, const CheckRequest& request,
         CheckedInput& said) {
  const auto any = [&](Outcome outcome) {
    return std::any_of(
        report.rows.begin(), report.rows.end(),
        [&](const auto& row) { return row.verdict.outcome() == outcome; });
  };
  if (any(Outcome::Violated))
    ++said.violated;
  else
    ++(any(Outcome::Undecided) ? said.undecided : said.holding);
  std::string name = printable(report.input, Lines::Show);
  if (report.number > 0) name += ", history " + std::to_string(report.number);
  said.lines.push_back({std::move(name), report::check_headline(report)});
  for (Finding& finding : findings_of(report))
    said.findings.push_back(std::move(finding));
  if (request.wants_document())
    for (auto& order : orders_of(report))
      said.orders.push_back(std::move(order));
  add_checked(report, said);
  if (request.wants("text")) {
    if (!said.text.empty()) said.text += "\n";
    said.text += report::check_text(report);
  }
  if (request.wants("dot")) said.dot += report::check_dot_part(report);
  if (request.wants_document())
    report::document::add_history(report, said.document);
  if (!request.wants("json")) return;
  const std::string nothing = check::why_nothing_to_check(*report.history);
  for (auto& result : report::check_json(report)) {
    mark_vacuous(nothing, result);
    said.results.push_back(std::move(result));
  }
}

// Our own evidence must prove what we say; if not, it is a bug of ours.
Result<Done> certify_one(const report::CheckReport& report,
                         const Verdict& verdict) {
  const certify::Certificate certificate =
      certify::certify(*report.history, verdict);
  if (certificate) return Done{};
  return Error{Place{report.input, 0, 0, {}},
               "internal error: the evidence for '" + describe(verdict.level) +
                   "' does not stand: " + certificate.why_not,
               "please report this history", ""};
}

Result<Done> certify_all(const report::CheckReport& report) {
  for (const auto& row : report.rows)
    if (auto ok = certify_one(report, row.verdict); !ok) return ok.error();
  for (const auto* all : {&report.all, &report.counted}) {
    if (!*all) continue;
    for (const check::AnomalyKind& kind : (*all)->kinds)
      if (auto ok = certify_one(report, {kind.level, kind.smallest}); !ok)
        return ok.error();
  }
  return Done{};
}

bool has_times(const History& history) {
  return std::any_of(history.txns().begin(), history.txns().end(),
                     [](const Txn& t) { return t.end != Txn::kNoTime; });
}

// Formats in which people who test databases write.
bool is_from_a_tester(read::Format format) {
  return format == read::Format::Edn || format == read::Format::ElleJson ||
         format == read::Format::EtcdLog;
}

class InputCheck {
 public:
  InputCheck(const std::string& input, bool is_one_of_many,
             const CheckRequest& request, const std::vector<Level>& levels,
             const Budget& budget)
      : input_(input),
        is_one_of_many_(is_one_of_many),
        request_(request),
        levels_(levels),
        budget_(budget),
        is_only_one_(!is_one_of_many) {}

  CheckedInput run() {
    say("reading " + input_);
    const HistoryInput how{request_.input_format, request_.judge_aborted,
                           request_.jobs > 1, request_.initial};
    auto source =
        request_.history
            ? open_observed(input_, *request_.history, request_.judge_aborted)
            : open_input(how, input_, request_.text, &budget_);
    if (!source && budget_.reason() == Spent::Nothing)
      return problem(source.error());
    if (!source) {
      add_unread(0);
      return std::move(numbered_);
    }
    return judge_all(**source);
  }

 private:
  void say(const std::string& what) const {
    if (request_.listener.on_progress) request_.listener.on_progress(what);
  }

  CheckedInput problem(Error error) const {
    CheckedInput said;
    said.problem = std::move(error);
    return said;
  }

  // A history that is judged while the next one is read.
  struct Judged {
    std::size_t number;
    std::unique_ptr<const History> history;
    std::future<Result<report::CheckReport>> report;
  };

  // As many histories are in memory as there are jobs.  The first is told in
  // both ways, alone and as number 1, before it is known whether another
  // follows.
  CheckedInput judge_all(read::HistorySource& source) {
    for (std::size_t number = 1;; ++number) {
      say("reading " + input_);
      auto history = source.next();
      const bool is_wrong = !history && budget_.reason() == Spent::Nothing;
      const bool is_over = !history || !*history;
      // What was read before a mistake is judged for nothing.
      while (is_over && !judged_.empty())
        if (auto ok = tell_first(); !ok) return problem(ok.error());
      if (is_wrong) return problem(history.error());
      if (history && is_over)
        return std::move(number == 2 ? alone_ : numbered_);
      if (!history) {
        add_unread(number == 1 ? 0 : number);
        return std::move(numbered_);
      }
      say("checking " + input_ + ", " +
          report::counted((*history)->size() - 1, "transaction"));
      begin(number, **std::move(history), source.format());
      while (judged_.size() >= jobs())
        if (auto ok = tell_first(); !ok) return problem(ok.error());
    }
  }

  [[nodiscard]] std::size_t jobs() const {
    return is_one_of_many_ ? 1 : std::clamp<std::size_t>(request_.jobs, 1, 256);
  }

  void begin(std::size_t number, History history, read::Format format) {
    if (number > 1 && is_only_one_.exchange(false) &&
        request_.listener.on_forget)
      request_.listener.on_forget();
    auto kept = std::make_unique<const History>(std::move(history));
    const History& judged = *kept;
    const auto policy = jobs() > 1 ? std::launch::async : std::launch::deferred;
    judged_.push_back(
        {number, std::move(kept), std::async(policy, [this, &judged, format] {
           return judge(judged, format);
         })});
  }

  Result<Done> tell_first() {
    Judged first = std::move(judged_.front());
    judged_.pop_front();
    auto report = first.report.get();
    if (!report) return report.error();
    if (first.number == 1) add(*report, request_, alone_);
    report->number = first.number;
    add(*report, request_, numbered_);
    return Done{};
  }

  [[nodiscard]] report::CheckReport empty_report(const History& history) const {
    report::CheckReport report;
    report.input = input_;
    report.history = &history;
    report.with_evidence = request_.evidence;
    report.is_one_of_many = is_one_of_many_;
    return report;
  }

  Result<report::CheckReport> judge(const History& history,
                                    read::Format format) const {
    report::CheckReport report = empty_report(history);
    report.is_certified = request_.certify;
    report.is_for_builders = is_from_a_tester(format);
    std::vector<Level> levels = levels_;
    if (is_whole_ladder(request_.level, request_.order) &&
        !check::missing_times(history) && has_times(history)) {
      levels.push_back({Base::SnapshotIsolation, Order::Realtime});
      levels.push_back({Base::Serializable, Order::Realtime});
    }
    for (const Level level : levels) {
      if (level.order != Order::Realtime) continue;
      if (auto missing = check::missing_times(history))
        return *std::move(missing);
      break;
    }
    const auto tell = [this](const Verdict& verdict) {
      if (!is_only_one_ || verdict.outcome() == Outcome::Undecided) return;
      request_.listener.decided(promise(verdict.level, verdict.outcome()));
    };
    for (check::LadderRow& row : check::check_levels(history, levels, budget_,
                                                     level_jobs(history), tell))
      report.rows.push_back({std::move(row.verdict), row.follows_from});
    if (request_.all)
      report.all = check::find_all_anomalies(history, levels, budget_);
    else if (counts_kinds(report))
      report.counted = check::find_all_anomalies(history, levels, budget_,
                                                 check::CountEffort::Glance);
    if (request_.certify)
      if (auto ok = certify_all(report); !ok) return ok.error();
    return report;
  }

  // Of one big history, for a document.
  [[nodiscard]] bool counts_kinds(const report::CheckReport& report) const {
    constexpr std::size_t kBig = 50;         // transactions
    constexpr std::size_t kLarge = 100'000;  // operations: seconds
    const bool is_document = std::any_of(
        request_.formats.begin(), request_.formats.end(), &is_document_format);
    return is_document && !is_one_of_many_ && report.history->size() > kBig &&
           report.history->ops().size() <= kLarge &&
           std::any_of(report.rows.begin(), report.rows.end(),
                       [](const report::CheckReport::Row& row) {
                         return row.verdict.outcome() == Outcome::Violated;
                       });
  }

  // Of small histories several are judged at once, of large ones the levels.
  [[nodiscard]] unsigned level_jobs(const History& history) const {
    constexpr std::size_t kLarge = 1000;
    return history.size() > kLarge ? static_cast<unsigned>(jobs()) : 1;
  }

  // Reading ended with the budget: no level is decided.
  void add_unread(std::size_t number) {
    const auto nothing = HistoryBuilder(input_).finish();
    report::CheckReport report = empty_report(*nothing);
    report.number = number;
    report.is_unread = true;
    for (const Level level : levels_)
      report.rows.push_back({Verdict{level, budget_.reason()}, std::nullopt});
    add(report, request_, numbered_);
  }

  const std::string& input_;
  bool is_one_of_many_;
  const CheckRequest& request_;
  const std::vector<Level>& levels_;
  const Budget& budget_;
  CheckedInput alone_;
  CheckedInput numbered_;
  std::deque<Judged> judged_;
  std::atomic<bool> is_only_one_;  // history of the whole call
};

}  // namespace

CheckedInput check_input(const std::string& input, bool is_one_of_many,
                         const CheckRequest& request,
                         const std::vector<Level>& levels,
                         const Budget& budget) {
  return InputCheck(input, is_one_of_many, request, levels, budget).run();
}

}  // namespace txscope::verb
