#include "robust/profile_search.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>

namespace txscope::robust {
namespace {

using engine::ObservedOutcome;
using Calls = std::vector<CallRef>;

constexpr std::size_t kMostOrders = 5040;  // of one set of transactions
constexpr std::chrono::seconds kShortenTime{3};

std::string text_of(const sql::Row& row) {
  std::string out = "(";
  for (std::size_t i = 0; i < row.size(); ++i) {
    out += (i > 0 ? ", " : "") + to_string(row[i]);
  }
  return out + ")";
}

/// What committed transactions saw, and the final rows, as text to compare.
struct Signature {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> seen;
  std::string final;
};

/// Rows as text, without numbers that a sequence gave: they are nobody's
/// writes, and another order draws others.
std::string final_text(const sql::Schema& schema,
                       const ObservedOutcome& outcome) {
  std::string out;
  for (std::size_t t = 0; t < outcome.final.size(); ++t) {
    std::vector<std::string> rows;  // hidden keys tell nothing
    for (sql::Row row : outcome.final[t]) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (schema.tables[t].columns[c].sequence) row[c] = sql::Value();
      }
      rows.push_back(text_of(row));
    }
    std::sort(rows.begin(), rows.end());
    for (const std::string& row : rows) out += row;
    out += ";";
  }
  return out;
}

/// What the statements of the last attempt of each call gave; `original` maps
/// a call of the application that ran to the one it stands for.
template <class F>
Signature signature_of(const sql::Schema& schema,
                       const ObservedOutcome& outcome, F&& original) {
  Signature out;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> attempt;
  for (const engine::Step& step : outcome.schedule) {
    const CallRef call = original(CallRef{step.session, step.call});
    const std::pair at(call.session, call.call);
    auto [last, is_new] = attempt.try_emplace(at, step.attempt);
    std::string& seen = out.seen[at];
    if (last->second != step.attempt) {
      last->second = step.attempt;
      seen.clear();
    }
    if (step.kind != engine::Step::Kind::Executed) continue;
    seen += std::to_string(step.at.offset) + ":" + std::to_string(step.count);
    for (const sql::Row& row : step.rows) seen += text_of(row);
    seen += ";";
  }
  out.final = final_text(schema, outcome);
  return out;
}

Calls committed(const ObservedOutcome& outcome) {
  Calls out;
  for (std::uint32_t s = 0; s < outcome.ends.size(); ++s) {
    for (std::uint32_t c = 0; c < outcome.ends[s].size(); ++c) {
      if (outcome.ends[s][c].is_committed) out.push_back({s, c});
    }
  }
  return out;
}

class ProfileSearch {
 public:
  ProfileSearch(const sql::Application& application,
                const engine::Profile& profile, Notion notion,
                std::uint64_t loop_bound, const Budget& budget)
      : application_(application),
        profile_(profile),
        notion_(notion),
        budget_(budget) {
    application_.properties.clear();
    how_.all = true;
    how_.explains = false;
    how_.loop_bound = loop_bound;
  }

  Result<ProfileAnswer> run() {
    if (auto error = look(std::make_shared<sql::Application>(application_))) {
      return *error;
    }
    if (out_.answer != Answer::NotRobust) return std::move(out_);
    ProfileAnswer whole = out_;
    reduce();
    whole.counterexample = tell();
    return whole;
  }

 private:
  /// All outcomes of an application; odd_ is one that no serial order gives.
  std::optional<Error> look(std::shared_ptr<const sql::Application> of) {
    const sql::Application& application = *of;
    out_ = {};
    odd_.reset();
    shown_ = std::move(of);
    serial_.clear();
    bool is_unknown = false;
    engine::ProfileOptions how = how_;
    how.on_outcome = [&](const ObservedOutcome& outcome) {
      if (budget_.spent()) return;
      if (odd_ && odd_->schedule.size() <= outcome.schedule.size()) return;
      const auto is_serial = has_order(application, outcome);
      if (!is_serial) is_unknown = true;
      if (is_serial && !*is_serial) odd_ = outcome;
    };
    const auto result =
        engine::explore_profile(application, profile_, how, budget_);
    if (!result) return result.error();
    out_.outcomes = result->counts.histories;
    if (odd_) {
      out_.answer = Answer::NotRobust;
    } else if (!result->is_complete) {
      out_.why = result->counts.cut > 0 ? result->cut_reason
                                        : to_string(result->spent);
    } else if (is_unknown || budget_.spent_now()) {
      out_.why = "more than " + std::to_string(kMostOrders) +
                 " serial orders, or the budget";
    } else {
      out_.answer = Answer::Robust;
    }
    return std::nullopt;
  }

  /// Whether some order of the committed calls shows the same; nothing if that
  /// cannot be said.
  std::optional<bool> has_order(const sql::Application& application,
                                const ObservedOutcome& outcome) {
    const Calls calls = committed(outcome);
    const auto known = orders_of(application, calls);
    if (!known) return std::nullopt;
    return known->contains(key_of(
        signature_of(application_.schema, outcome, [](CallRef c) { return c; }),
        calls));
  }

  [[nodiscard]] std::string key_of(const Signature& signature,
                                   const Calls& calls) const {
    if (notion_ == Notion::State) return signature.final;
    std::string out;
    for (const CallRef& call : calls) {
      const auto seen = signature.seen.find({call.session, call.call});
      if (seen != signature.seen.end()) out += seen->second;
      out += "|";
    }
    return out + signature.final;
  }

  /// What the orders of some calls show, if there are not too many.
  const std::set<std::string>* orders_of(const sql::Application& application,
                                         const Calls& calls) {
    std::string name;
    for (const CallRef& c : calls) {
      name += std::to_string(c.session) + "." + std::to_string(c.call) + " ";
    }
    const auto [at, is_new] = serial_.try_emplace(name);
    if (!is_new) return at->second ? &*at->second : nullptr;
    std::set<std::string> shown;
    std::vector<std::uint32_t> order;
    for (const CallRef& c : calls) order.push_back(c.session);
    std::sort(order.begin(), order.end());
    std::size_t count = 0;
    do {
      if (++count > kMostOrders || budget_.spent_now()) return nullptr;
      run_order(application, calls, order, shown);
    } while (std::next_permutation(order.begin(), order.end()));
    at->second = std::move(shown);
    return &*at->second;
  }

  void run_order(const sql::Application& application, const Calls& calls,
                 const std::vector<std::uint32_t>& order,
                 std::set<std::string>& shown) {
    sql::Application serial = application;
    serial.sessions.resize(1);
    serial.sessions.front().calls.clear();
    std::map<std::uint32_t, std::size_t> next;  // by session
    Calls original;
    for (const std::uint32_t session : order) {
      std::size_t nth = next[session]++;
      for (const CallRef& c : calls) {
        if (c.session != session || nth-- > 0) continue;
        original.push_back(c);
        serial.sessions.front().calls.push_back(
            application.sessions[c.session].calls[c.call]);
        break;
      }
    }
    engine::ProfileOptions how = how_;
    how.on_outcome = [&](const ObservedOutcome& outcome) {
      if (committed(outcome).size() != calls.size()) return;
      shown.insert(
          key_of(signature_of(application_.schema, outcome,
                              [&](CallRef c) { return original[c.call]; }),
                 calls));
    };
    (void)engine::explore_profile(serial, profile_, how, budget_);
  }

  /// As few calls as still show something odd.
  void reduce() {
    std::vector<InstanceId> all;
    Calls calls;
    for (std::uint32_t s = 0; s < application_.sessions.size(); ++s) {
      for (std::uint32_t c = 0; c < application_.sessions[s].calls.size();
           ++c) {
        all.emplace_back(calls.size());
        calls.push_back({s, c});
      }
    }
    const auto whole = odd_;
    const auto whole_application = shown_;
    bool found = false;
    const Budget effort({kShortenTime, std::nullopt});
    (void)smallest_selection(
        all,
        [&](const std::vector<InstanceId>& selection) {
          sql::Application part = application_;
          for (auto& session : part.sessions) session.calls.clear();
          for (const InstanceId i : selection) {
            const CallRef& c = calls[i.index];
            part.sessions[c.session].calls.push_back(
                application_.sessions[c.session].calls[c.call]);
          }
          std::erase_if(part.sessions,
                        [](const auto& s) { return s.calls.empty(); });
          found = !look(std::make_shared<sql::Application>(std::move(part))) &&
                  out_.answer == Answer::NotRobust;
          return found;
        },
        effort);
    if (found) return;
    odd_ = whole;
    shown_ = whole_application;
  }

  [[nodiscard]] std::string name_of(std::uint32_t session,
                                    std::uint32_t call) const {
    const sql::Session& s = shown_->sessions[session];
    return s.name + "." + s.calls[call].label;
  }

  [[nodiscard]] Counterexample tell() const {
    using Kind = engine::Step::Kind;
    using Shown = Counterexample::Step::Kind;
    Counterexample out;
    for (const sql::Session& session : shown_->sessions) {
      out.sessions.push_back(session.name);
      for (const sql::Call& call : session.calls) {
        out.transactions.push_back(session.name + "." + call.label);
      }
    }
    for (const sql::Session& session : application_.sessions) {
      out.all_transactions += session.calls.size();
    }
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> begun;
    for (const engine::Step& step : odd_->schedule) {
      const std::string name = name_of(step.session, step.call);
      const sql::Call& call = shown_->sessions[step.session].calls[step.call];
      if (begun.insert({step.session, step.call, step.attempt}).second) {
        std::string text = call_text(*shown_, call);
        if (step.attempt > 0) text += " (again)";
        out.steps.push_back({Shown::Begin, step.session, name, 0, text, ""});
      }
      std::string text =
          step.statement == nullptr
              ? std::string(shown_->text(step.at))
              : sql::text_with_values(*shown_, *step.statement, step.slots);
      switch (step.kind) {
        case Kind::Executed:
          out.steps.push_back(
              {Shown::Statement, step.session, name, step.at.line, text,
               seen_of(step), step.at,
               step.statement != nullptr && step.statement->is_select()});
          break;
        case Kind::Waits: {
          std::string seen = "waits for";
          for (const std::uint32_t s : step.waits_for) {
            seen += " " + shown_->sessions[s].name;
          }
          out.steps.push_back(
              {Shown::Wait, step.session, name, step.at.line, text, seen});
          break;
        }
        case Kind::Failed:
          out.steps.push_back({Shown::Error, step.session, name, step.at.line,
                               text, step.code + " " + step.message});
          break;
        case Kind::Committed:
          out.commit_order.push_back(name);
          out.steps.push_back(
              {Shown::End, step.session, name, 0, "COMMIT", ""});
          break;
        case Kind::RolledBack:
          out.steps.push_back(
              {Shown::End, step.session, name, 0, "ROLLBACK", ""});
          break;
      }
    }
    for (std::size_t t = 0; t < odd_->final.size(); ++t) {
      if (odd_->final[t].empty()) continue;
      std::string rows = shown_->schema.tables[t].name;
      for (const sql::Row& row : odd_->final[t]) rows += " " + text_of(row);
      out.finals.push_back(std::move(rows));
    }
    out.is_of_level = true;  // the engine itself ran it
    out.is_refused = true;   // all orders were run
    return out;
  }

  static std::string seen_of(const engine::Step& step) {
    if (step.statement == nullptr) return "";
    const bool gives_rows =
        step.statement->is_select() || !step.statement->returning.empty();
    if (!gives_rows || (step.rows.empty() && step.count > 0)) {
      return std::to_string(step.count) + (step.count == 1 ? " row" : " rows");
    }
    if (step.rows.empty()) return "no row";
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(step.rows.size(), 3);
         ++i) {
      if (i > 0) out += ", ";
      out += step.rows[i].size() == 1 ? to_string(step.rows[i].front())
                                      : text_of(step.rows[i]);
    }
    return step.rows.size() > 3 ? out + ", .." : out;
  }

  sql::Application application_;
  const engine::Profile& profile_;
  const Notion notion_;
  const Budget& budget_;
  engine::ProfileOptions how_;
  std::map<std::string, std::optional<std::set<std::string>>> serial_;
  std::optional<ObservedOutcome> odd_;
  /// That odd_ is of: its steps point to statements.
  std::shared_ptr<const sql::Application> shown_;
  ProfileAnswer out_;
};

}  // namespace

Result<ProfileAnswer> search_profile(const sql::Application& application,
                                     const engine::Profile& profile,
                                     Notion notion, std::uint64_t loop_bound,
                                     const Budget& budget) {
  return ProfileSearch(application, profile, notion, loop_bound, budget).run();
}

}  // namespace txscope::robust
