#include "engine/explain/self_check.h"

#include <algorithm>

#include "engine/search/explore_profile.h"
#include "engine/search/rule_judge.h"
#include "engine/search/serial.h"
#include "engine/search/serial_outcomes.h"
#include "engine/server/server.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kMostOrdersToCheck = 720;

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
      if (is_serializable() && !out_.problem) check_outcomes();
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
    const auto expected = run_serially_in_all_orders(
        database, application_, all, kMostOrdersToCheck, budget_);
    for (const SerialOutcome& serial : expected) {
      Server server(around_, profile_, all);
      State state = server.initial(database);
      for (const std::uint32_t s : serial.order) {
        const auto session = static_cast<SessionNo>(s);
        if (!run_alone(server, state, session, nullptr)) return;
      }
      if (!is_same(server.ends(state), serial.ends) ||
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

  void check_outcomes() {
    ProfileOptions options;
    options.explains = false;
    options.loop_bound = loop_bound_;
    options.all = true;
    options.builtins = SerialSense::Outcome;
    const auto answer =
        explore_profile(application_, profile_, options, budget_);
    if (!answer || answer->builtins.empty()) return;
    switch (answer->builtins.front().verdict) {
      case Outcome::Violated:
        out_.problem = "no serial order produces one of the outcomes";
        return;
      case Outcome::Holds:
        out_.done.push_back("a serial order produces each of " +
                            std::to_string(answer->counts.histories) +
                            " outcomes");
        return;
      case Outcome::Undecided: return;
    }
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
  SelfCheck out_;
};

}  // namespace

SelfCheck self_check(const sql::Application& application,
                     const Profile& profile, std::uint64_t loop_bound,
                     const Budget& budget) {
  return SelfChecker(application, profile, loop_bound, budget).run();
}

}  // namespace txscope::engine
