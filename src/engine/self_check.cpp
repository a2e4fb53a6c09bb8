#include "engine/self_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/explore_profile.h"
#include "engine/judge.h"
#include "engine/machine.h"
#include "engine/serial.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kMaxOrders = 720;

/// What the clients of some calls saw, and the rows in the end; comparable.
struct Account {
  std::map<CallRef, std::vector<sql::StatementResult>> seen;
  std::vector<std::vector<sql::Row>> final;
  friend bool operator==(const Account&, const Account&) = default;
};

class SelfChecker {
 public:
  SelfChecker(const sql::Application& application, const Profile& profile,
              std::uint64_t loop_bound, const Budget& budget)
      : application_(application),
        profile_(profile),
        loop_bound_(loop_bound),
        budget_(budget),
        routines_(application, loop_bound),
        around_{routines_, rows_, budget_} {}

  SelfCheck run() {
    const auto set_up = sql::MemoryDatabase::after_setup(routines_, budget_);
    if (const auto* database = std::get_if<sql::MemoryDatabase>(&set_up)) {
      check_serial_orders(*database);
      if (is_serializable() && !out_.problem) check_outcomes(*database);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_serializable() const {
    return profile_.product == Product::Sqlite ||
           (profile_.product == Product::PostgreSql &&
            profile_.isolation == Isolation::Serializable);
  }

  // --- one after the other

  void check_serial_orders(const sql::MemoryDatabase& database) {
    const Selection all = Selection::all(application_);
    const auto expected = run_serially_in_all_orders(database, application_,
                                                     all, kMaxOrders, budget_);
    for (const SerialOutcome& serial : expected) {
      Machine machine(around_, profile_, all);
      State state = machine.initial(database);
      std::vector<Step> trace;
      for (const std::uint32_t s : serial.order)
        if (!run_call(machine, state, static_cast<SessionNo>(s), trace)) return;
      if (!is_same(machine.ends(state), serial.ends) ||
          final_of(state) != masked(serial.final)) {
        out_.problem = "one after the other, " + order_text(serial.order) +
                       ", it does not end as tables in memory do";
        return;
      }
    }
    if (expected.empty()) return;
    out_.done.push_back("in " + std::to_string(expected.size()) +
                        " serial orders it ends as tables in memory do");
  }

  /// The next call of a session, alone.  False: it cannot be followed.
  static bool run_call(Machine& machine, State& state, SessionNo s,
                       std::vector<Step>& trace) {
    const std::uint32_t call = state.sessions[s].call;
    while (state.sessions[s].status != Status::Done &&
           state.sessions[s].call == call) {
      const std::vector<Move> moves = machine.moves(state);
      const auto own =
          std::find_if(moves.begin(), moves.end(),
                       [&](const Move& move) { return move.session == s; });
      if (own == moves.end()) return false;
      Happenings happenings;
      machine.apply(state, *own, &trace, happenings);
      if (!happenings.undecided.empty()) return false;
    }
    return true;
  }

  static bool is_same(const std::vector<std::vector<CallEnd>>& a,
                      const std::vector<std::vector<CallEnd>>& b) {
    for (std::size_t s = 0; s < a.size(); ++s)
      for (std::size_t c = 0; c < a[s].size(); ++c)
        if (a[s][c].is_committed != b[s][c].is_committed) return false;
    return true;
  }

  [[nodiscard]] std::string order_text(
      const std::vector<std::uint32_t>& order) const {
    std::string text;
    for (const std::uint32_t s : order)
      text += (text.empty() ? "" : ", ") + application_.sessions[s].name;
    return text;
  }

  // --- outcomes of serializable transactions

  void check_outcomes(const sql::MemoryDatabase& database) {
    std::uint64_t outcomes = 0;
    ProfileOptions options;
    options.all = true;
    options.explains = false;
    options.loop_bound = loop_bound_;
    options.on_outcome = [&](const ObservedOutcome& outcome) {
      if (out_.problem) return;
      ++outcomes;
      if (!is_serial(database, outcome)) {
        out_.problem = "outcome " + std::to_string(outcomes) +
                       " is that of no serial order";
      }
    };
    const auto answer =
        explore_profile(application_, profile_, options, budget_);
    if (out_.problem || !answer || budget_.spent()) return;
    out_.done.push_back("each of " + std::to_string(outcomes) +
                        " outcomes is that of a serial order");
  }

  bool is_serial(const sql::MemoryDatabase& database,
                 const ObservedOutcome& outcome) {
    std::vector<CallRef> committed;
    for (std::uint32_t s = 0; s < outcome.ends.size(); ++s)
      for (std::uint32_t c = 0; c < outcome.ends[s].size(); ++c)
        if (outcome.ends[s][c].is_committed) committed.push_back({s, c});
    const auto [known, is_new] = serial_.try_emplace(committed);
    if (is_new) known->second = accounts(database, committed);
    if (known->second.empty()) return true;  // too many orders
    Account account = seen_in(outcome.schedule, committed);
    account.final = masked(outcome.final);
    return std::find(known->second.begin(), known->second.end(), account) !=
           known->second.end();
  }

  /// Of the calls in every order that keeps sessions; none: too many.
  std::vector<Account> accounts(const sql::MemoryDatabase& database,
                                const std::vector<CallRef>& calls) {
    const Selection selection = Selection::of(application_, calls);
    std::vector<std::uint32_t> order;
    for (const CallRef call : calls) order.push_back(call.session);
    std::vector<Account> found;
    std::size_t orders = 0;
    do {
      if (++orders > kMaxOrders || budget_.spent_now()) return {};
      Machine machine(around_, profile_, selection);
      State state = machine.initial(database);
      std::vector<Step> trace;
      for (const std::uint32_t s : order)
        run_call(machine, state, static_cast<SessionNo>(s), trace);
      Account account = seen_in(trace, calls);
      account.final = final_of(state);
      found.push_back(std::move(account));
    } while (std::next_permutation(order.begin(), order.end()));
    return found;
  }

  /// Of calls that committed: attempts before the last one do not count.
  [[nodiscard]] Account seen_in(const std::vector<Step>& steps,
                                const std::vector<CallRef>& calls) const {
    Account account;
    for (const CallRef call : calls) account.seen[call];
    for (const Step& step : steps) {
      const auto own = account.seen.find({step.session, step.call});
      if (own == account.seen.end()) continue;
      if (step.kind == Step::Kind::RolledBack) own->second.clear();
      if (step.kind != Step::Kind::Executed) continue;
      sql::StatementResult result{step.rows, step.count};
      if (!step.statement->is_select() && has_sequences()) result.rows.clear();
      own->second.push_back(std::move(result));
    }
    return account;
  }

  [[nodiscard]] bool has_sequences() const {
    return !application_.schema.sequences.empty();
  }

  [[nodiscard]] std::vector<std::vector<sql::Row>> final_of(
      const State& state) const {
    std::vector<std::vector<sql::Row>> final;
    for (std::size_t t = 0; t < application_.schema.tables.size(); ++t)
      final.push_back(committed_rows(state, application_.schema, TableId(t)));
    return masked(std::move(final));
  }

  /// Without the numbers of sequences, and in an order of its own.
  [[nodiscard]] std::vector<std::vector<sql::Row>> masked(
      std::vector<std::vector<sql::Row>> tables) const {
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const auto& columns = application_.schema.tables[t].columns;
      for (sql::Row& row : tables[t])
        for (std::size_t c = 0; c < columns.size(); ++c)
          if (columns[c].sequence) row[c] = sql::Value();
      std::sort(tables[t].begin(), tables[t].end());
    }
    return tables;
  }

  const sql::Application& application_;
  const Profile& profile_;
  const std::uint64_t loop_bound_;
  const Budget& budget_;
  sql::Routines routines_;
  RowPool rows_;
  const Surroundings around_;
  std::map<std::vector<CallRef>, std::vector<Account>> serial_;
  SelfCheck out_;
};

}  // namespace

SelfCheck self_check(const sql::Application& application,
                     const Profile& profile, std::uint64_t loop_bound,
                     const Budget& budget) {
  return SelfChecker(application, profile, loop_bound, budget).run();
}

}  // namespace txscope::engine
