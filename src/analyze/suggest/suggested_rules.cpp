#include "analyze/suggest/suggested_rules.h"

#include <map>
#include <utility>
#include <variant>

#include "analyze/suggest/routine_rules.h"
#include "model/sql/walk.h"

namespace txscope::analyze {
namespace {

constexpr std::size_t kMostRules = 24;
/// A rule is looked at in every state that somebody commits.
constexpr std::size_t kLargestTable = 1000;

/// All routines' rules that the initial state keeps, each once.
class Collector {
 public:
  Collector(const sql::Application& application,
            const sql::MemoryDatabase& initial, const Budget& budget)
      : application_(application), initial_(initial), budget_(budget) {}

  std::vector<sql::Property> run() {
    for (const sql::Routine& routine : application_.routines) {
      if (routine.problem != nullptr || routine.is_block) continue;
      RoutineRules found = routine_rules(application_.schema, routine);
      for (sql::Property& rule : found.rules) add(std::move(rule));
      add_sums(found.moves, routine.at);
    }
    return std::move(rules_);
  }

 private:
  /// What goes from one place to another leaves a sum as it is.
  void add_sums(const std::vector<Move>& moves, Span at) {
    for (std::size_t i = 0; i < moves.size(); ++i)
      for (std::size_t j = i + 1; j < moves.size(); ++j) {
        const Move& a = moves[i];
        const Move& b = moves[j];
        if (!a.is_update || a.amount.empty() || a.amount != b.amount) continue;
        const bool is_transfer = a.total == b.total;
        if (is_transfer && a.sign == b.sign) continue;
        add_sum(a, is_transfer ? nullptr : &b, at);
      }
  }
  void add_sum(const Move& a, const Move* b, Span at) {
    const char sign = b != nullptr && a.sign == b->sign ? '-' : '+';
    sql::Property sum = sum_of_totals(application_.schema, a.total, sign,
                                      b == nullptr ? nullptr : &b->total);
    const auto value = initial_.holds(sum, {}, budget_);
    if (const auto* now = std::get_if<sql::Value>(&value);
        now != nullptr && !now->is_null()) {
      sql::Property rule = kept_at(sum, *now);
      rule.at = rule.condition.at = at;
      add(std::move(rule));
    }
  }

  void add(sql::Property rule) {
    if (rules_.size() >= kMostRules || !names_.insert(rule.name).second ||
        !is_small(rule))
      return;
    const auto value = initial_.holds(rule, {}, budget_);
    const auto* now = std::get_if<sql::Value>(&value);
    if (now != nullptr && *now == sql::Value::boolean(true))
      rules_.push_back(std::move(rule));
  }
  [[nodiscard]] bool is_small(const sql::Property& rule) {
    bool is_small = true;
    sql::for_each_table(
        *std::get<sql::Select>(rule.condition.what), [&](TableId table) {
          const auto [known, is_new] = sizes_.try_emplace(table.index, 0);
          if (is_new) known->second = initial_.rows(table).size();
          is_small = is_small && known->second <= kLargestTable;
        });
    return is_small;
  }

  const sql::Application& application_;
  const sql::MemoryDatabase& initial_;
  const Budget& budget_;
  std::map<std::uint32_t, std::size_t> sizes_;
  std::set<std::string> names_;
  std::vector<sql::Property> rules_;
};

}  // namespace

std::vector<sql::Property> suggested_rules(const sql::Application& application,
                                           const sql::MemoryDatabase& initial,
                                           const Budget& budget) {
  return Collector(application, initial, budget).run();
}

}  // namespace txscope::analyze
