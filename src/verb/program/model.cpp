#include "txscope/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/interrupt.h"
#include "read/file_kind.h"
#include "report/model_report.h"
#include "report/page/wrap.h"
#include "transport/outside.h"
#include "transport/processes.h"
#include "verb/answer/evidence.h"
#include "verb/answer/vacuity.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

Result<Done> refusal(const ModelRequest& request) {
  if (request.input == "-")
    return wrong_call(
        "a specification cannot come from standard input",
        "modules and the configuration are looked for beside its file");
  if (auto other = misplaced(request.input, read::FileKind::Specification))
    return *other;
  if (request.input.ends_with(".cfg")) {
    const std::string module =
        request.input.substr(0, request.input.size() - 4) + ".tla";
    return wrong_call(
        "'" + request.input + "' is a configuration, not a module",
        "give the module: txscope model " + module + " --config " +
            request.input);
  }
  if (!request.dump.empty() && !request.dump.ends_with(".dot") &&
      !request.dump.ends_with(".json"))
    return wrong_call("--dump " + request.dump + " says no format",
                      "end the file's name with .dot or .json");
  if (request.processes > 0 && request.jobs > 1)
    return wrong_call("--jobs does not go with --processes",
                      "give one of them: --processes for ranks that share "
                      "nothing, --jobs for threads of one process");
  if (!request.disk.empty() && request.jobs > 1)
    return wrong_call("--jobs does not go with --disk",
                      "give --processes instead, or none of them");
  const bool is_given_ranks = transport::outside() != nullptr;
  if (is_given_ranks && (request.processes > 0 || request.jobs > 1))
    return wrong_call("mpirun says how many processes there are",
                      "leave out --processes and --jobs");
  const bool is_on_ranks =
      request.processes > 0 || !request.disk.empty() || is_given_ranks;
  if (!request.disk.empty() && request.simulate > 0)
    return wrong_call("--simulate does not go with --disk",
                      "it keeps no states; leave out --disk");
  if (is_on_ranks && request.simulate > 0 && request.coverage)
    return wrong_call(
        "--coverage does not go with --simulate on several "
        "processes",
        "leave out --processes");
  std::error_code none;
  if (!request.disk.empty() &&
      !std::filesystem::is_directory(request.disk, none))
    return wrong_call("--disk " + request.disk + " is no directory",
                      "make it, on a disk with room");
  if (!is_on_ranks && !request.resume.empty() &&
      std::filesystem::is_directory(request.resume, none))
    return wrong_call(
        "--resume " + request.resume + " is a directory",
        "a search with --processes or --disk wrote it; give one of them");
  return Done{};
}

txscope::ModelRequest asked_of(const ModelRequest& request) {
  txscope::ModelRequest asked;
  asked.spec = request.input;
  if (!request.config.empty()) asked.config = request.config;
  asked.include = request.include;
  asked.jobs = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(request.jobs, 1, 256));
  if (transport::outside() != nullptr)
    asked.ranks = transport::outside()->size();
  else
    asked.ranks = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(request.processes, transport::kMostProcesses));
  if (request.no_deadlock) asked.check_deadlock = false;
  if (request.depth > 0)
    asked.max_depth = static_cast<std::uint32_t>(request.depth);
  if (request.simulate > 0) asked.simulate = request.simulate;
  asked.seed = request.seed;
  asked.use_natives = !request.literal;
  asked.wants_coverage = request.coverage;
  if (!request.checkpoint.empty()) asked.checkpoint = request.checkpoint;
  if (!request.resume.empty()) asked.resume = request.resume;
  asked.wants_graph = !request.dump.empty();
  asked.on_verdict = [&request](const ModelResult& found) {
    const bool is_violated = found.outcome == Outcome::Violated;
    const Promise verdict{"", "", known(found.outcome), "",
                          is_violated ? found.property : ""};
    Promise question = verdict;
    question.known = Promise::Known::Nothing;
    request.listener.questions({question});
    request.listener.decided(verdict);
  };
  // Waiting states may have a quarter of the memory, on two levels.
  if (request.memory_bytes) asked.queue_bytes = *request.memory_bytes / 8;
  if (!request.disk.empty()) {
    asked.disk = request.disk;
    if (asked.ranks == 0) asked.ranks = 1;
  }
  if (asked.ranks > 0) asked.memory_bytes = request.memory_bytes;
  // Values may have another eighth.
  if (request.memory_bytes && asked.ranks > 0)
    asked.value_bytes = *request.memory_bytes / 8 / asked.ranks;
  return asked;
}

std::function<void(const ModelProgress&)> progress_of(
    const ModelRequest& request) {
  if (!request.listener.on_progress) return {};
  return [&request,
          began = std::chrono::steady_clock::now()](const ModelProgress& p) {
    const std::chrono::duration<double> past =
        std::chrono::steady_clock::now() - began;
    const double rate = static_cast<double>(p.generated) / past.count();
    const std::string ranks =
        p.ranks == 0
            ? std::string()
            : fmt::format(
                  "; {} ranks, {}/s each, the busiest {:.2f} of the "
                  "mean, {:.1f} MB/s sent",
                  p.ranks,
                  report::grouped(static_cast<std::uint64_t>(rate / p.ranks)),
                  p.busiest,
                  static_cast<double>(p.bytes_sent) / 1e6 / past.count());
    request.listener.on_progress(fmt::format(
        "depth {}: {} states generated ({}/s), {} distinct, {} waiting{}",
        p.depth, report::grouped(p.generated),
        report::grouped(static_cast<std::uint64_t>(rate)),
        report::grouped(p.distinct), report::grouped(p.queue), ranks));
  };
}

/// What goes to files of its own.
Result<Done> write_extras(const ModelRequest& request,
                          const ModelResult& result) {
  if (interrupted() != 0) return Done{};
  if (!request.dump.empty() && result.graph) {
    const std::string graph = request.dump.ends_with(".dot")
                                  ? report::model_graph_dot(*result.graph)
                                  : report::model_graph_json(*result.graph);
    if (auto ok = write_file_atomically(request.dump, graph); !ok) return ok;
  }
  if (!request.trace.empty() && !result.trace.empty())
    return write_file_atomically(request.trace,
                                 report::model_tlc_trace(result));
  return Done{};
}

std::vector<Finding> findings_of(const std::string& input,
                                 const ModelResult& result) {
  std::vector<Finding> all;
  const auto add = [&](const std::string& property, About about,
                       Outcome outcome) {
    Finding finding;
    finding.input = input;
    finding.property = property;
    finding.about = about;
    finding.outcome = outcome;
    if (outcome == Outcome::Violated) finding.where = result.property_place;
    if (outcome == Outcome::Undecided)
      finding.why = result.outcome == Outcome::Violated
                        ? "the search ended with the violation"
                    : result.is_cut_by_depth ? "the depth was limited"
                    : !result.trouble.empty()
                        ? result.trouble
                        : "the " + to_string(result.spent) + " budget ended";
    all.push_back(std::move(finding));
  };
  // Until something breaks nothing else is decided.
  const bool is_violated = result.outcome == Outcome::Violated;
  const Outcome others = is_violated ? Outcome::Undecided : result.outcome;
  if (is_violated)
    add(result.property,
        result.violation == ModelViolation::Deadlock ? About::Deadlock
                                                     : About::Rule,
        Outcome::Violated);
  for (const auto* names : {&result.invariants, &result.properties})
    for (const std::string& property : *names)
      if (!is_violated || property != result.property)
        add(property, About::Rule, others);
  if (all.empty()) add("", About::Rule, result.outcome);
  return all;
}

}  // namespace

Result<bool> translate_pluscal(const std::string& path) {
  ModelRequest request;
  request.input = path;
  if (auto ok = refusal(request); !ok) return ok.error();
  const auto text = translated_module(path);
  if (!text) return text.error();
  const auto before = read_whole(path);
  if (!before) return before.error();
  if (*before == *text) return false;
  if (auto ok = write_file_atomically(path, *text); !ok) return ok.error();
  return true;
}

Result<Report> model(const ModelRequest& request, const Budget& budget) {
  if (auto ok = refusal(request); !ok) return ok.error();
  Report report;
  report.verb = "model";
  report.inputs = {request.input};
  ModelResult so_far;
  auto result =
      check_model(asked_of(request), budget, progress_of(request), &so_far);
  if (!result) {
    report.failure = result.error();
    if (so_far.trace.empty()) return *report.failure;
    conclude(report, ModelDetail{std::move(so_far), request.all_values});
    return report;
  }
  if (auto ok = write_extras(request, *result); !ok) return ok.error();
  report.findings = findings_of(request.input, *result);
  report.checked.rules = result->invariants.size() + result->properties.size() +
                         result->assumptions;
  report.checked.executions = result->distinct;
  if (result->is_cut_by_constraint)
    report.checked.partly.emplace_back(
        "only the states that the constraints leave");
  mark_all_vacuous(result->emptiness, report);
  conclude(report, ModelDetail{std::move(*result), request.all_values});
  return report;
}

}  // namespace txscope::verb
