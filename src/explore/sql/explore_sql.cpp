#include "explore/sql/explore_sql.h"

#include <algorithm>
#include <cassert>

#include "explore/sql/transactions.h"
#include "model/sql/walk.h"

namespace txscope::explore {
namespace {

constexpr std::size_t kSerialOrders = 64;  // run before the search
constexpr std::size_t kMaxCalls = 4000;

Error at_place(const sql::Application& application, Span at, std::string what,
               std::string hint) {
  return Error{application.place(at), std::move(what), std::move(hint),
               std::string(application.line(at))};
}

}  // namespace

SqlExploration::SqlExploration(const sql::Application& application,
                               std::uint64_t loop_bound)
    : Subject(names_, script_),
      application_(application),
      names_(workload_of(application)),
      routines_(application, loop_bound),
      script_(application, routines_) {}

class SqlExplorer {
 public:
  SqlExplorer(const sql::Application& application,
              const ExploreOptions& options, const Budget& budget,
              const OnSqlHistory& on_history, const SqlPass* pass = nullptr)
      : application_(application),
        options_(options),
        budget_(budget),
        on_history_(on_history),
        pass_(pass),
        out_(std::make_unique<SqlExploration>(application,
                                              options.loop_bound)) {}

  Result<std::unique_ptr<SqlExploration>> run() {
    if (auto wrong = refusal()) return std::move(*wrong);
    auto wrong = prepare();
    const bool are_ready = are_all_ready();
    if (wrong) return std::move(*wrong);
    if (!are_ready) return undecided();
    for (;;) {
      const Budget pass(budget_);
      if (pass_ != nullptr) {
        (*pass_)(*out_, pass);
      } else {
        out_->answers_ = explore(*out_, options_, pass);
      }
      if (options_.ranks != nullptr) universe().share_wants(*options_.ranks);
      if (!universe().grow()) break;
      out_->script_.use(universe());
    }
    if (on_history_) tell_histories();
    return std::move(out_);
  }

 private:
  Universe& universe() { return *out_->universe_; }

  /// Runs the setup and finds keys.  If the budget does not suffice there is no
  /// universe.
  std::optional<Error> prepare() {
    if (budget_.spent_now()) return std::nullopt;
    auto initial = sql::MemoryDatabase::after_setup(out_->routines_, budget_);
    if (const auto* error = std::get_if<sql::SqlError>(&initial)) {
      return at_place(application_, error->at,
                      "the setup fails: " + error->message + " (SQLSTATE " +
                          error->sqlstate + ")",
                      "");
    }
    if (std::holds_alternative<sql::Interrupted>(initial)) return std::nullopt;
    out_->universe_ = std::make_unique<Universe>(
        out_->routines_, std::get<sql::MemoryDatabase>(initial),
        out_->script_.instances.size());
    out_->script_.use(universe());
    run_serially();
    out_->script_.use(universe());
    return std::nullopt;
  }

  /// Whether this rank and all others have found the same keys: each has a
  /// budget of its own.
  bool are_all_ready() {
    const bool is_ready = out_->universe_ != nullptr && !budget_.spent_now();
    if (options_.ranks == nullptr) return is_ready;
    const auto said = options_.ranks->all_gather(is_ready ? "ready" : "");
    return std::none_of(said.begin(), said.end(),
                        [](const std::string& one) { return one.empty(); });
  }

  /// Once more, by this rank alone.
  void tell_histories() {
    ExploreOptions telling = options_;
    telling.ranks = nullptr;
    telling.on_history = [this](const ExploredHistory& history) {
      on_history_(*out_, history);
    };
    out_->answers_ = explore(*out_, telling, budget_);
    assert(!universe().is_outgrown() && "the universe is a fixpoint");
  }

  [[nodiscard]] std::optional<Error> refusal() const {
    std::size_t calls = 0;
    for (const sql::Session& session : application_.sessions) {
      calls += session.calls.size();
      for (const sql::Call& call : session.calls) {
        if (!call.level) continue;
        return at_place(application_, call.at,
                        "a transaction with a level of its own cannot be "
                        "explored at theoretical levels",
                        "explore at an engine's levels: --level " +
                            std::string(call.level->profile->name));
      }
      for (const sql::Call& call : session.calls) {
        const auto end = inner_end(call.routine);
        if (!end) continue;
        return at_place(application_, *end,
                        "COMMIT and ROLLBACK in a procedure cannot be explored "
                        "at theoretical levels, where a call is one "
                        "transaction",
                        "explore at an engine's levels: --level postgresql");
      }
    }
    if (calls < kMaxCalls) return std::nullopt;
    return at_place(application_, application_.sessions.front().at,
                    "more than 4,000 transactions", "");
  }

  /// Where a routine, or one that it calls, ends a transaction by itself.
  [[nodiscard]] std::optional<Span> inner_end(sql::RoutineId routine) const {
    std::optional<Span> found;
    std::vector<bool> is_seen(application_.routines.size());
    std::vector<sql::RoutineId> open = {routine};
    while (!open.empty() && !found) {
      const sql::RoutineId now = open.back();
      open.pop_back();
      if (is_seen[now.index]) continue;
      is_seen[now.index] = true;
      for_each_pl(application_.at(now).body, [&](const sql::PlStatement& s) {
        if (std::holds_alternative<sql::PlEnd>(s.what)) found = s.at;
        if (const auto* call = std::get_if<sql::PlCall>(&s.what))
          open.push_back(call->routine);
      });
    }
    return found;
  }

  /// The budget was spent before anything was known.
  Result<std::unique_ptr<SqlExploration>> undecided() {
    for (const Base level : options_.levels) {
      out_->answers_.push_back(undecided_answer(
          out_->names_, std::string(name(level)), budget_.reason()));
      out_->answers_.back().base = level;
    }
    return std::move(out_);
  }

  /// Finds most of the open keys before the search starts.
  void run_serially() {
    std::vector<std::uint32_t> order;
    for (std::size_t s = 0; s < application_.sessions.size(); ++s) {
      order.insert(order.end(), application_.sessions[s].calls.size(),
                   static_cast<std::uint32_t>(s));
    }
    std::size_t orders = 0;
    do {
      run_in_order(order);
    } while (++orders < kSerialOrders && !budget_.spent_now() &&
             std::next_permutation(order.begin(), order.end()));
  }

  void run_in_order(const std::vector<std::uint32_t>& order) {
    const exec::Script& script = out_->script_;
    Transactions transactions(out_->routines_, universe(), script, budget_,
                              Transactions::NewKeys::Open);
    std::vector<std::int64_t> state = universe().initial();
    std::vector<std::size_t> next(application_.sessions.size());
    for (const std::uint32_t session : order) {
      const exec::InstanceId instance(script.first_of_session[session].index +
                                      next[session]++);
      std::vector<std::int64_t> after = state;
      const auto row = [&](KeyId key) -> std::int64_t& {
        const auto& initial = universe().initial();
        while (after.size() <= key.index) {
          after.push_back(initial[after.size()]);
        }
        return after[key.index];
      };
      std::int64_t slot = 0;
      exec::Event event = transactions.start(instance, &slot);
      while (event.stop == exec::Stop::Read ||
             event.stop == exec::Stop::Write) {
        if (event.stop == exec::Stop::Read) {
          event = transactions.answer(event.pc, row(event.key), &slot);
        } else {
          row(event.key) = event.value;
          event = transactions.resume(event.pc, &slot);
        }
      }
      if (event.stop == exec::Stop::Commit) state = std::move(after);
      if (event.stop == exec::Stop::Bound) return;
    }
  }

  const sql::Application& application_;
  const ExploreOptions& options_;
  const Budget& budget_;
  const OnSqlHistory& on_history_;
  const SqlPass* pass_;
  std::unique_ptr<SqlExploration> out_;
};

Result<std::unique_ptr<SqlExploration>> search_sql(
    const sql::Application& application, std::uint64_t loop_bound,
    const Budget& budget, const SqlPass& pass) {
  ExploreOptions options;
  options.loop_bound = loop_bound;
  const OnSqlHistory nobody;
  return SqlExplorer(application, options, budget, nobody, &pass).run();
}

Result<std::unique_ptr<SqlExploration>> explore_sql(
    const sql::Application& application, const ExploreOptions& options,
    const Budget& budget, const OnSqlHistory& on_history) {
  return SqlExplorer(application, options, budget, on_history).run();
}

}  // namespace txscope::explore
