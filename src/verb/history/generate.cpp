#include "txscope/generate.h"

#include <charconv>
#include <utility>

#include "generate/distinguish.h"
#include "generate/mutate.h"
#include "generate/simulate.h"
#include "verb/input/history_output.h"
#include "verb/input/levels.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end;
}

// "8" or "4..12"
Result<Done> parse_operations(const std::string& text,
                              generate::SimulatedLoad& workload) {
  const std::size_t dots = text.find("..");
  const std::string_view whole = text;
  const bool is_range = dots != std::string::npos;
  if (parse_number(whole.substr(0, dots), workload.min_operations) &&
      parse_number(is_range ? whole.substr(dots + 2) : whole,
                   workload.max_operations))
    return Done{};
  return wrong_call("--operations: cannot read '" + text + "'",
                    "say 8 or 4..12");
}

// "uniform", "zipf", "zipf:0.99", "hotspot"
Result<Done> parse_distribution(const std::string& text,
                                generate::KeyChoice& choice) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name == "uniform" && colon == std::string::npos) return Done{};
  if (name == "hotspot" && colon == std::string::npos) {
    choice.kind = generate::KeyChoice::Kind::Hotspot;
    return Done{};
  }
  if (name == "zipf") {
    choice.kind = generate::KeyChoice::Kind::Zipf;
    if (colon == std::string::npos) return Done{};
    const std::string_view exponent = std::string_view(text).substr(colon + 1);
    if (parse_number(exponent, choice.exponent) && choice.exponent > 0)
      return Done{};
  }
  return wrong_call("--distribution: cannot read '" + text + "'",
                    "say uniform, zipf, zipf:0.99 or hotspot");
}

Result<std::uint32_t> small(std::string_view option, std::uint64_t number) {
  if (number <= 0xffffffffu) return static_cast<std::uint32_t>(number);
  return wrong_call(
      std::string(option) + ": " + std::to_string(number) + " is too large",
      "at most 4294967295");
}

Result<Level> one_level(const std::string& name, const std::string& order,
                        Report& report) {
  const auto levels = parse_levels(name, order, report.notes);
  if (!levels) return levels.error();
  if (levels->size() == 1) return levels->front();
  return wrong_call("one level is needed, not '" + name + "'",
                    "name a single level");
}

Result<generate::Simulation> simulation_of(const GenerateRequest& request,
                                           Report& report) {
  generate::Simulation simulation;
  const auto level =
      one_level(request.level.empty() ? "serializable" : request.level,
                request.order, report);
  if (!level) return level.error();
  simulation.level = *level;
  simulation.has_times = !request.no_times;
  simulation.seed = request.seed;
  generate::SimulatedLoad& workload = simulation.workload;
  struct Count {
    std::string_view option;
    std::uint64_t asked;
    std::uint32_t& target;
  };
  for (const Count& count : {
           Count{"--sessions", request.sessions, workload.sessions},
           Count{"--transactions", request.transactions, workload.transactions},
           Count{"--keys", request.keys, workload.keys},
           Count{"--values", request.values, workload.distinct_values},
           Count{"--replicas", request.replicas, simulation.replicas},
       }) {
    const auto number = small(count.option, count.asked);
    if (!number) return number.error();
    count.target = *number;
  }
  if (auto ok = parse_operations(request.operations, workload); !ok)
    return ok.error();
  if (auto ok = parse_distribution(request.distribution, workload.key_choice);
      !ok)
    return ok.error();
  workload.read_share = request.reads;
  workload.kind = request.lists ? KeyKind::List : KeyKind::Register;
  workload.aborted_share = request.aborted;
  workload.unknown_share = request.unknown;
  return simulation;
}

// --plant: the same history with an anomaly; what was done is told.
Result<History> planted(History history, const GenerateRequest& request,
                        Report& report) {
  if (request.plant.empty()) return history;
  const auto mutation = generate::parse_mutation(request.plant);
  if (!mutation)
    return wrong_call(mutation.error().what, mutation.error().hint);
  auto mutant = generate::mutate(history, *mutation, request.seed);
  if (!mutant) return mutant.error();
  report.notes.push_back(mutant->what);
  return std::move(mutant->history);
}

Result<History> simulated(const GenerateRequest& request, Report& report) {
  const auto simulation = simulation_of(request, report);
  if (!simulation) return simulation.error();
  if (auto ok = generate::check_workload(simulation->workload); !ok)
    return wrong_call(ok.error().what, ok.error().hint);
  auto history = generate::simulate(*simulation);
  if (!history) return history.error();
  return planted(*std::move(history), request, report);
}

/// None, and a finding that says so, if there is no such history.
Result<std::optional<History>> distinguishing(const GenerateRequest& request,
                                              const Budget& budget,
                                              Report& report) {
  if (request.allowed_by.empty() || request.forbidden_by.empty())
    return wrong_call("--allowed-by and --forbidden-by belong together",
                      "give both");
  const auto allowed = one_level(request.allowed_by, request.order, report);
  if (!allowed) return allowed.error();
  const auto forbidden = one_level(request.forbidden_by, request.order, report);
  if (!forbidden) return forbidden.error();
  generate::Distinction found =
      generate::distinguish(*allowed, *forbidden, budget);
  if (found.kind == generate::Distinction::Kind::Found)
    return std::move(found.history);
  Finding none;
  none.level = describe(*forbidden);
  none.property = "differs from " + describe(*allowed);
  none.about = About::Level;
  if (found.kind == generate::Distinction::Kind::Impossible) {
    none.outcome = Outcome::Violated;
    report.summary = "there is no such history: " + describe(*forbidden) +
                     " allows whatever " + describe(*allowed) + " allows\n";
  } else {
    report.summary =
        "no such history was found among " + std::to_string(found.tried) + "\n";
  }
  report.findings.push_back(std::move(none));
  return std::optional<History>();
}

Result<std::optional<History>> made(const GenerateRequest& request,
                                    const Budget& budget, Report& report) {
  if (!request.allowed_by.empty() || !request.forbidden_by.empty())
    return distinguishing(request, budget, report);
  auto history = simulated(request, report);
  if (!history) return history.error();
  return std::optional<History>(*std::move(history));
}

}  // namespace

Result<Report> generate(const GenerateRequest& request, const Budget& budget) {
  Report report;
  report.verb = "generate";
  auto history = made(request, budget, report);
  if (!history) return history.error();
  if (!*history) return report;
  const HistorySink sink{request.to, request.file, request.write};
  if (auto ok = write_history(sink, **std::move(history), report); !ok)
    return ok.error();
  return report;
}

}  // namespace txscope::verb
