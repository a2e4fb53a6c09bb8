#include <charconv>
#include <cstdio>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/history_output.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "generate/distinguish.h"
#include "generate/mutate.h"
#include "generate/simulate.h"

namespace txscope::cli {
namespace {

Error bad_option(std::string what, std::string hint) {
  return Error{Place{"txscope", 0, 0, {}}, std::move(what), std::move(hint),
               ""};
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end;
}

// "8" or "4..12"
Result<Done> parse_operations(const std::string& text,
                              SimulatedLoad& workload) {
  const std::size_t dots = text.find("..");
  const std::string_view whole = text;
  const bool is_range = dots != std::string::npos;
  if (parse_number(whole.substr(0, dots), workload.min_operations) &&
      parse_number(is_range ? whole.substr(dots + 2) : whole,
                   workload.max_operations))
    return Done{};
  return bad_option("--operations: cannot read '" + text + "'",
                    "say 8 or 4..12");
}

// "uniform", "zipf", "zipf:0.99", "hotspot"
Result<Done> parse_distribution(const std::string& text, KeyChoice& choice) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name == "uniform" && colon == std::string::npos) return Done{};
  if (name == "hotspot" && colon == std::string::npos) {
    choice.kind = KeyChoice::Kind::Hotspot;
    return Done{};
  }
  if (name == "zipf") {
    choice.kind = KeyChoice::Kind::Zipf;
    if (colon == std::string::npos) return Done{};
    const std::string_view exponent = std::string_view(text).substr(colon + 1);
    if (parse_number(exponent, choice.exponent) && choice.exponent > 0)
      return Done{};
  }
  return bad_option("--distribution: cannot read '" + text + "'",
                    "say uniform, zipf, zipf:0.99 or hotspot");
}

Result<std::uint32_t> small(std::string_view option, std::uint64_t number) {
  if (number <= 0xffffffffu) return static_cast<std::uint32_t>(number);
  return bad_option(
      std::string(option) + ": " + std::to_string(number) + " is too large",
      "at most 4294967295");
}

Result<Level> one_level(const std::string& name, const std::string& order) {
  const auto levels = parse_levels(name, order);
  if (!levels) return levels.error();
  if (levels->size() == 1) return levels->front();
  return bad_option("one level is wanted, not '" + name + "'",
                    "name a single level");
}

Result<Simulation> simulation_of(const Options& options) {
  Simulation simulation;
  const auto level = one_level(
      options.level.empty() ? "serializable" : options.level, options.order);
  if (!level) return level.error();
  simulation.level = *level;
  simulation.has_times = !options.no_times;
  simulation.seed = options.seed;
  SimulatedLoad& workload = simulation.workload;
  struct Count {
    std::string_view option;
    std::uint64_t asked;
    std::uint32_t& target;
  };
  for (const Count& count : {
           Count{"--sessions", options.sessions, workload.sessions},
           Count{"--transactions", options.transactions, workload.transactions},
           Count{"--keys", options.keys, workload.keys},
           Count{"--values", options.values, workload.distinct_values},
           Count{"--replicas", options.replicas, simulation.replicas},
       }) {
    const auto number = small(count.option, count.asked);
    if (!number) return number.error();
    count.target = *number;
  }
  if (auto ok = parse_operations(options.operations, workload); !ok)
    return ok.error();
  if (auto ok = parse_distribution(options.distribution, workload.key_choice);
      !ok)
    return ok.error();
  workload.read_share = options.reads;
  workload.kind = options.lists ? KeyKind::List : KeyKind::Register;
  workload.aborted_share = options.aborted;
  workload.unknown_share = options.unknown;
  return simulation;
}

// --plant: the same history with an anomaly; what was done is told.
Result<History> planted(History history, const Options& options) {
  if (options.plant.empty()) return history;
  const auto mutation = parse_mutation(options.plant);
  if (!mutation)
    return bad_option(mutation.error().what, mutation.error().hint);
  auto mutant = mutate(history, *mutation, options.seed);
  if (!mutant) return mutant.error();
  std::fprintf(stderr, "note: %s\n", mutant->what.c_str());
  return std::move(mutant->history);
}

int write_one(const Options& options, History history) {
  std::optional<History> rest = std::move(history);
  const auto next = [&]() -> Result<std::optional<History>> {
    return std::exchange(rest, std::nullopt);
  };
  const auto ok = write_histories(options, next);
  return ok ? kHolds : report_error(ok.error());
}

int run_distinguish(const Options& options) {
  if (options.allowed_by.empty() || options.forbidden_by.empty())
    return report_error(bad_option(
        "--allowed-by and --forbidden-by belong together", "give both"));
  const auto allowed = one_level(options.allowed_by, options.order);
  if (!allowed) return report_error(allowed.error());
  const auto forbidden = one_level(options.forbidden_by, options.order);
  if (!forbidden) return report_error(forbidden.error());
  const auto found_limits = limits(options);
  if (!found_limits) return report_error(found_limits.error());
  const Budget budget(*found_limits);
  Distinction found = distinguish(*allowed, *forbidden, budget);
  switch (found.kind) {
    case Distinction::Kind::Found:
      return write_one(options, *std::move(found.history));
    case Distinction::Kind::Impossible:
      std::fprintf(stderr,
                   "there is no such history: %s allows whatever %s allows\n",
                   describe(*forbidden).c_str(), describe(*allowed).c_str());
      return kViolated;
    case Distinction::Kind::NotFound: break;
  }
  std::fprintf(stderr, "no such history was found among %llu\n",
               static_cast<unsigned long long>(found.tried));
  return kUndecided;
}

}  // namespace

int run_generate(const Options& options) {
  if (!options.allowed_by.empty() || !options.forbidden_by.empty())
    return run_distinguish(options);
  end_at_once_on_signals();
  const auto simulation = simulation_of(options);
  if (!simulation) return report_error(simulation.error());
  if (auto ok = check_workload(simulation->workload); !ok)
    return report_error(bad_option(ok.error().what, ok.error().hint));
  auto history = simulate(*simulation);
  if (!history) return report_error(history.error());
  auto result = planted(*std::move(history), options);
  if (!result) return report_error(result.error());
  return write_one(options, *std::move(result));
}

}  // namespace txscope::cli
