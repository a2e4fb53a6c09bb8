#include "robust/proof/program_proof.h"

#include <algorithm>
#include <utility>

#include "exec/code.h"
#include "explore/subject.h"
#include "robust/proof/proof_run.h"
#include "robust/proof/prover.h"
#include "robust/search.h"

namespace txscope::robust {
namespace {

using Parameters = std::vector<Value>;

constexpr std::size_t kProgramClients = 60;  // per cycle that is left
constexpr std::size_t kMostParameters = 8;   // of one transaction
constexpr std::size_t kProgramTriples = 12;

/// Those of the calls, then combinations of small numbers.
std::vector<Parameters> parameters_for(const Program& program,
                                       TransactionId id) {
  std::vector<Parameters> out;
  const auto add = [&](const Parameters& parameters) {
    const bool is_open = std::any_of(
        parameters.begin(), parameters.end(), [](const Value& value) {
          return !std::holds_alternative<std::int64_t>(value);
        });
    if (!is_open && out.size() < kMostParameters &&
        std::find(out.begin(), out.end(), parameters) == out.end())
      out.push_back(parameters);
  };
  for (const ProgramSession& session : program.sessions)
    for (const Call& call : session.calls)
      if (call.transaction == id) add(call.arguments);
  std::vector<Parameters> all = {{}};
  for (std::uint32_t p = 0; p < program.at(id).parameters; ++p) {
    std::vector<Parameters> longer;
    for (const Parameters& start : all) {
      for (const std::int64_t value : {0, 1}) {
        longer.push_back(start);
        longer.back().emplace_back(value);
      }
    }
    if (longer.size() > kMostParameters) longer.resize(kMostParameters);
    all = std::move(longer);
  }
  for (const Parameters& parameters : all) add(parameters);
  return out;
}

class ClientSearch {
 public:
  ClientSearch(const Program& program, std::vector<std::string> names,
               std::uint64_t loop_bound, const Budget& budget)
      : program_(program), names_(std::move(names)), budget_(budget) {
    asked_.loop_bound = loop_bound;
    client_ = program;
    client_.properties.clear();
    client_.end_conditions.clear();
    for (txscope::Table& table : client_.tables)
      for (txscope::Row& row : table.rows)
        for (Value& value : row)
          if (std::holds_alternative<Arbitrary>(value)) value = std::int64_t{0};
    client_.arbitrary.reset();
  }

  /// Whether a client runs into the triple.
  bool shows(const OpenTriple& triple, RobustResult& result) {
    asked_.notion = result.notion;
    asked_.granularity = result.granularity;
    std::size_t tried = 0;
    const TransactionId pivot(triple.pivot);
    const TransactionId second(triple.second);
    const TransactionId last(triple.last);
    for (const Parameters& a : parameters_for(program_, pivot)) {
      for (const Parameters& b : parameters_for(program_, second)) {
        for (const Parameters& c : parameters_for(program_, last)) {
          if (++tried > kProgramClients || budget_.spent_now()) return false;
          client_.sessions.assign(2, {});
          client_.sessions[0].name = "client1";
          client_.sessions[0].calls = {call(pivot, a, 1)};
          client_.sessions[1].name = "client2";
          client_.sessions[1].calls = {call(second, b, 1),
                                       call(last, c, second == last ? 2 : 1)};
          if (search_client(result)) return true;
        }
      }
    }
    return false;
  }

 private:
  [[nodiscard]] Call call(TransactionId id, const Parameters& parameters,
                          int number) const {
    Call out;
    out.label =
        names_[id.index] + (number > 1 ? "#" + std::to_string(number) : "");
    out.transaction = id;
    out.arguments = parameters;
    out.at = program_.at(id).at;
    return out;
  }

  bool search_client(RobustResult& result) {
    const auto code = exec::compile(client_);
    if (!code) return false;
    const SearchAnswer found = search(*code, asked_, budget_);
    if (found.answer != Outcome::Violated) return false;
    const Workload workload = workload_of(client_);
    result.counterexample = explain(explore::ProgramSubject(workload, *code),
                                    asked_, found, nullptr, budget_);
    return true;
  }

  const Program& program_;
  const std::vector<std::string> names_;
  const Budget& budget_;
  SearchQuestion asked_;
  Program client_;
};

}  // namespace

RobustResult prove_program(const Program& program, RobustResult result,
                           std::uint64_t loop_bound, const Budget& budget) {
  result.method = Method::Proof;
  Prover prover(program, result.granularity, budget);
  const auto open = prover.open_triples(PivotLevel::Snapshot);
  tell_open(prover, open, budget, result);
  // A client's state and parameters are of our choice, so there is none under
  // assumptions.
  if (result.answer == Outcome::Holds || prover.has_given_up() ||
      !program.assumptions.empty())
    return result;
  ClientSearch clients(program, prover.names(), loop_bound, budget);
  for (std::size_t i = 0; i < open.size() && i < kProgramTriples; ++i) {
    if (!clients.shows(open[i], result)) continue;
    result.answer = Outcome::Violated;
    result.why.clear();
    break;
  }
  return result;
}

}  // namespace txscope::robust
