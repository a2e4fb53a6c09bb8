#include "tla/search/coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace txscope::tla {
namespace {

/// The formulas that evaluation counts, reached from some formula.
class Formulas {
 public:
  void add(const Code& code) {
    if (!seen_.insert(&code).second) return;
    found.push_back(&code);
    parts(code);
  }

  std::vector<const Code*> found;

 private:
  /// What stands for a formula but is not counted itself unless it is primed.
  void through(const Code& code) {
    if (code.is_primed) return add(code);
    if (seen_.insert(&code).second) parts(code);
  }

  void parts(const Code& code) {
    switch (code.op) {
      case Op::And:
      case Op::Or:
      case Op::Not:
      case Op::Implies:
      case Op::Equiv:
      case Op::Forall:
      case Op::Exists:
        for (const Code* kid : code.all()) add(*kid);
        return;
      case Op::If:
        add(code.kid(0));
        through(code.kid(1));
        return through(code.kid(2));
      case Op::Case: {
        std::uint32_t i = 0;
        for (; i + 1 < code.count; i += 2) {
          add(code.kid(i));
          through(code.kid(i + 1));
        }
        if (i < code.count) through(code.kid(i));
        return;
      }
      case Op::Let: return through(code.kid(0));
      case Op::BoxAct: return add(code.kid(0));
      case Op::Call:
        if (code.def->native < 0 && code.def->body != nullptr)
          through(*code.def->body);
        return;
      case Op::CallInstance: return through(*code.target->body);
      default: return;
    }
  }

  std::set<const Code*> seen_;
};

bool is_of_user(const Spot& spot) {
  return spot.source != nullptr && !spot.source->is_ours && spot.line > 0;
}

Place place_of(const Spot& spot) { return error_at(spot, {}).where; }

using Where = std::tuple<std::string, std::uint32_t, std::uint32_t>;

Where where(const Spot& spot) {
  return {spot.source->file, spot.line, spot.column};
}

}  // namespace

ModelCoverage coverage(std::span<const std::unique_ptr<Worker>> workers) {
  ModelCoverage result;
  std::map<Where, ModelCoverage::Action> actions;
  std::map<std::pair<std::string, std::uint32_t>, ModelCoverage::Line> lines;
  for (const auto& worker : workers) {
    for (const auto& [def, count] : worker->action_counts()) {
      auto& action = actions[where(def->spot)];
      action.name = def->name;
      action.place = place_of(def->spot);
      action.generated += count.generated;
      action.distinct += count.distinct;
    }
    Formulas formulas;
    const Behaviour& behaviour = worker->behaviour();
    for (const Formula& f : behaviour.init) formulas.add(*f.code);
    if (behaviour.next) formulas.add(*behaviour.next.code);
    for (const Check& check : behaviour.invariants)
      formulas.add(*check.formula.code);
    // Each worker counts in code of its own: per line, the largest of each.
    std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> here;
    for (const Code* code : formulas.found) {
      if (!is_of_user(code->spot)) continue;
      const std::pair key{code->spot.source->file, code->spot.line};
      here[key] = std::max(here[key], code->visits);
      auto& line = lines[key];
      if (line.place.line != 0) continue;
      line.place = place_of(code->spot);
      line.text = line_of(*code->spot.source, code->spot.line);
    }
    for (const auto& [key, count] : here) lines[key].count += count;
  }
  for (auto& [key, action] : actions)
    result.actions.push_back(std::move(action));
  for (auto& [key, line] : lines) {
    line.place.column = 0;
    result.lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace txscope::tla
