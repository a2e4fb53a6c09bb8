#include <algorithm>
#include <map>
#include <set>

#include "analysis/footprint.h"
#include "model/sql/walk.h"
#include "robust/proof/prover.h"

namespace txscope::robust {
namespace {

constexpr std::size_t kMostSets = 200;  // of types, on the way to safe ones

/// `ann.t1`: every session counts its plain statements anew.
std::string script_name(const sql::Application& application,
                        sql::RoutineId id) {
  for (const auto& session : application.sessions) {
    for (const auto& call : session.calls) {
      if (call.routine == id) return session.name + "." + call.label;
    }
  }
  return application.at(id).name;
}

/// What routines and triggers call.
class Callees {
 public:
  explicit Callees(const sql::Application& application)
      : called_(application.routines.size(), false) {
    for (const sql::Routine& routine : application.routines) walk(routine.body);
    for (const sql::Table& table : application.schema.tables)
      for (const sql::Trigger& trigger : table.triggers)
        called_[trigger.routine] = true;
  }
  [[nodiscard]] bool contains(std::size_t routine) const {
    return called_[routine];
  }

 private:
  void walk(const sql::PlBlock& block) {
    for (const sql::PlStatement& statement : block) {
      if (const auto* call = std::get_if<sql::PlCall>(&statement.what))
        called_[call->routine.index] = true;
      sql::for_each_part(
          statement, [this](const sql::Expr& e) { walk(e); },
          [this](const sql::DbStatement& s) { walk(s); },
          [this](const sql::PlBlock& inside) { walk(inside); });
    }
  }
  void walk(const sql::DbStatement& statement) {
    sql::for_each_part(
        statement, [this](const sql::Expr& e) { walk(e); },
        [this](const sql::Query& q) { walk(q); });
  }
  void walk(const sql::Query& query) {
    sql::for_each_part(
        query, [this](const sql::Expr& e) { walk(e); },
        [this](const sql::Query& q) { walk(q); });
  }
  void walk(const sql::Expr& expr) {
    if (expr.op == sql::Op::Function) called_[expr.index] = true;
    sql::for_each_part(
        expr, [this](const sql::Expr& e) { walk(e); },
        [this](const sql::Query& q) { walk(q); });
  }

  std::vector<bool> called_;
};

bool may_write(const sql::Application& application, std::size_t routine) {
  // What calls something that could not be read may write; a trigger's
  // function, which has no body until it is made for a table, is not called.
  const sql::Routine& it = application.routines[routine];
  if (it.problem != nullptr) return !it.body.empty();
  const auto print =
      analysis::footprint_of(application, sql::RoutineId(routine));
  return std::find(print.writes.begin(), print.writes.end(), true) !=
         print.writes.end();
}

}  // namespace

std::vector<std::string> type_names(const sql::Application& application,
                                    const std::vector<sql::RoutineId>& types) {
  std::vector<std::string> out;
  std::map<std::string, int> uses;  // routines may share a name
  for (const sql::RoutineId id : types) {
    const sql::Routine& routine = application.at(id);
    std::string name =
        routine.is_script ? script_name(application, id) : routine.name;
    const int use = ++uses[name];
    if (use > 1) name += "#" + std::to_string(use);
    out.push_back(std::move(name));
  }
  return out;
}

std::vector<sql::RoutineId> transaction_types(
    const sql::Application& application) {
  std::set<std::uint32_t> called;
  for (const auto& session : application.sessions) {
    for (const auto& call : session.calls) called.insert(call.routine.index);
  }
  const Callees inside(application);
  std::vector<sql::RoutineId> out;
  for (std::size_t r = 0; r < application.routines.size(); ++r) {
    const sql::Routine& routine = application.routines[r];
    const bool is_called = called.contains(static_cast<std::uint32_t>(r));
    const bool is_type = !routine.is_block &&
                         (!routine.is_function ||
                          (!inside.contains(r) && may_write(application, r)));
    if (is_type || is_called) out.emplace_back(r);
  }
  return out;
}

std::vector<sql::RoutineId> functions_inside(
    const sql::Application& application) {
  const Callees inside(application);
  std::vector<sql::RoutineId> out;
  for (std::size_t r = 0; r < application.routines.size(); ++r)
    if (application.routines[r].is_function && inside.contains(r) &&
        may_write(application, r))
      out.emplace_back(r);
  return out;
}

std::vector<std::pair<std::size_t, std::size_t>> safe_pairs(
    std::size_t types, const std::vector<OpenTriple>& open) {
  std::set<std::pair<std::size_t, std::size_t>> bad;
  for (const OpenTriple& t : open) {
    const auto ends = std::minmax({t.pivot, t.second, t.last});
    const auto is_one = [&](std::size_t x) {
      return x == ends.first || x == ends.second;
    };
    if (is_one(t.pivot) && is_one(t.second) && is_one(t.last)) bad.insert(ends);
  }
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = a; b < types; ++b) {
      if (!bad.contains({a, b}) && !bad.contains({a, a}) &&
          !bad.contains({b, b})) {
        out.emplace_back(a, b);
      }
    }
  }
  return out;
}

std::vector<std::vector<std::size_t>> safe_sets(
    std::size_t types, const std::vector<OpenTriple>& open) {
  // Every open triple must lose one of its types: minimal sets to leave out.
  std::set<std::set<std::size_t>> out = {{}};
  for (const OpenTriple& triple : open) {
    std::set<std::set<std::size_t>> next;
    for (const auto& left_out : out) {
      if (left_out.contains(triple.pivot) || left_out.contains(triple.second) ||
          left_out.contains(triple.last)) {
        next.insert(left_out);
        continue;
      }
      for (const std::size_t t : {triple.pivot, triple.second, triple.last}) {
        auto more = left_out;
        more.insert(t);
        next.insert(std::move(more));
      }
    }
    std::set<std::set<std::size_t>> minimal;
    for (const auto& a : next) {
      const bool has_smaller =
          std::any_of(next.begin(), next.end(), [&](const auto& b) {
            return b != a &&
                   std::includes(a.begin(), a.end(), b.begin(), b.end());
          });
      if (!has_smaller) minimal.insert(a);
    }
    out = std::move(minimal);
    if (out.size() > kMostSets) return {};
  }
  std::vector<std::vector<std::size_t>> sets;
  for (const auto& left_out : out) {
    std::vector<std::size_t> kept;
    for (std::size_t t = 0; t < types; ++t) {
      if (!left_out.contains(t)) kept.push_back(t);
    }
    sets.push_back(std::move(kept));
  }
  std::sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return sets;
}

}  // namespace txscope::robust
