#include "engine/search/serial_difference.h"

#include <algorithm>
#include <map>

#include "engine/search/rule_judge.h"
#include "engine/search/serial_outcomes.h"
#include "model/sql/value/shown.h"

namespace txscope::engine {
namespace {

/// What a statement gave, and where it stands.
struct Shown {
  std::uint32_t line = 0;
  std::string text;
  friend bool operator==(const Shown&, const Shown&) = default;
};
/// By call, of the last attempt.
using Told = std::map<CallRef, std::vector<Shown>>;

Told told_by(const std::vector<TraceStep>& trace) {
  Told told;
  for (const TraceStep& step : trace) {
    auto& own = told[{step.session, step.call}];
    if (step.kind == TraceStep::Kind::RolledBack) own.clear();
    if (step.kind != TraceStep::Kind::Executed) continue;
    own.push_back({step.at.line,
                   sql::shown_result(*step.statement, step.rows, step.count)});
  }
  return told;
}

class Comparison {
 public:
  Comparison(const Surroundings& around, const Profile& profile,
             const Selection& selection, const sql::MemoryDatabase& initial)
      : around_(around),
        application_(around.routines.application()),
        selection_(selection),
        initial_(initial),
        server_(around, profile, selection) {}

  std::vector<SerialRun> run(std::span<const Move> moves,
                             std::size_t max_orders) {
    end_ = server_.initial(initial_);
    std::vector<TraceStep> trace;
    Happenings happenings;
    for (const Move& move : moves)
      server_.apply(end_, move, &trace, happenings);
    told_ = told_by(trace);
    std::vector<std::uint32_t> order;
    for (std::uint32_t s = 0; s < end_.sessions.size(); ++s)
      for (const std::uint16_t code : end_.sessions[s].ends)
        if (code == 0) order.push_back(s);
    std::vector<SerialRun> out;
    do {
      if (out.size() == max_orders || around_.budget.spent_now()) return {};
      out.push_back(compare(order));
    } while (std::next_permutation(order.begin(), order.end()));
    return out;
  }

 private:
  SerialRun compare(const std::vector<std::uint32_t>& order) {
    SerialRun out;
    State state = server_.initial(initial_);
    for (const std::uint32_t s : order) {
      SessionState& session = state.sessions[s];
      const SessionState& original = end_.sessions[s];
      const auto no = static_cast<SessionNo>(s);
      while (original.ends[session.call] != 0) server_.skip(state, no);
      const std::uint32_t at = session.call;
      const CallRef call{s, selection_.calls[s][at]};
      out.order.push_back(call);
      if (!out.difference.empty()) continue;
      session.given = std::make_shared<const std::vector<std::int64_t>>(
          original.calls[at].drawn);
      std::vector<TraceStep> trace;
      if (!run_alone(server_, state, no, &trace)) {
        out.difference = "it cannot be followed";
        continue;
      }
      session.given.reset();
      out.difference = difference(call, trace);
    }
    if (out.difference.empty()) out.difference = final_difference(state);
    return out;
  }

  [[nodiscard]] std::string difference(CallRef call,
                                       const std::vector<TraceStep>& trace) {
    const auto& session = application_.sessions[call.session];
    const std::string name =
        session.name + "." + session.calls[call.call].label;
    const std::vector<Shown>& before = told_[call];
    std::size_t n = 0;
    for (const TraceStep& step : trace) {
      if (step.kind == TraceStep::Kind::Failed)
        return name + " fails with " + step.code;
      if (step.kind != TraceStep::Kind::Executed) continue;
      const std::string now =
          sql::shown_result(*step.statement, step.rows, step.count);
      const std::string line = ", line " + std::to_string(step.at.line);
      if (n == before.size() || before[n].line != step.at.line)
        return name + " goes to" + line.substr(1);
      if (before[n].text != now)
        return name + line + ": " + now + ", not " + before[n].text;
      ++n;
    }
    return n == before.size() ? "" : name + " ends earlier";
  }

  [[nodiscard]] std::string final_difference(const State& state) const {
    const sql::Schema& schema = application_.schema;
    for (std::size_t t = 0; t < schema.tables.size(); ++t) {
      const auto now = committed_rows(state, schema, TableId(t));
      if (now == committed_rows(end_, schema, TableId(t))) continue;
      std::string out = schema.tables[t].name + " ends as";
      for (const sql::Row& row : now) out += " " + row_text(row);
      return now.empty() ? schema.tables[t].name + " is empty in the end" : out;
    }
    return "a statement gives other rows";  // further than results are shown
  }

  const Surroundings& around_;
  const sql::Application& application_;
  const Selection& selection_;
  const sql::MemoryDatabase& initial_;
  Server server_;
  State end_;
  Told told_;
};

}  // namespace

std::vector<SerialRun> serial_differences(const Surroundings& around,
                                          const Profile& profile,
                                          const Selection& selection,
                                          const sql::MemoryDatabase& initial,
                                          std::span<const Move> run,
                                          std::size_t max_orders) {
  return Comparison(around, profile, selection, initial).run(run, max_orders);
}

}  // namespace txscope::engine
