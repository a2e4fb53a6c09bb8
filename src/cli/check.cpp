#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/check_input.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "read/histories/find_histories.h"
#include "report/check_report.h"
#include "report/dot.h"
#include "report/wrap.h"

namespace txscope::cli {
namespace {

// Every input by itself, so many at once; the answers in the order asked.
std::vector<CheckedInput> check_inputs(const std::vector<std::string>& inputs,
                                       const Options& options,
                                       const std::vector<Level>& levels,
                                       const Budget& budget) {
  std::vector<CheckedInput> said(inputs.size());
  std::atomic<std::size_t> next = 0;
  Ticker ticker("reading");
  const auto work = [&] {
    for (std::size_t i = next++; i < inputs.size(); i = next++)
      said[i] = check_input(inputs[i], inputs.size() > 1, options, levels,
                            budget, ticker);
  };
  const std::size_t wanted = std::clamp<std::size_t>(options.jobs, 1, 256);
  const std::size_t helpers = std::min(wanted, inputs.size()) - 1;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  return said;
}

// "3 histories: 2 hold, 1 violated", and a line for each.
std::string summary(const std::vector<CheckedInput>& said,
                    const std::vector<std::string>& inputs) {
  std::size_t count = 0, holding = 0, violated = 0, undecided = 0, wrong = 0;
  std::size_t width = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    count += said[i].lines.size();
    holding += said[i].holding;
    violated += said[i].violated;
    undecided += said[i].undecided;
    if (said[i].problem) ++wrong, width = std::max(width, columns(inputs[i]));
    for (const auto& line : said[i].lines)
      width = std::max(width, columns(line.name));
  }
  std::string text = grouped(count);
  text += count == 1 ? " history: " : " histories: ";
  text += grouped(holding) + " without a violation, " + grouped(violated) +
          " violated";
  if (undecided > 0) text += ", " + grouped(undecided) + " undecided";
  if (wrong > 0) text += "; " + counted(wrong, "file") + " could not be read";
  text += "\n";
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (said[i].problem)
      text += "  " + padded(inputs[i], width) + "  could not be read\n";
    for (const auto& line : said[i].lines)
      text += "  " + padded(line.name, width) + "  " + line.headline + "\n";
  }
  return text;
}

std::string joined_report(const Output& output, std::size_t index,
                          std::vector<CheckedInput>& said,
                          const std::vector<std::string>& inputs) {
  if (output.format == "json") {
    auto results = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (said[i].problem)
        results.push_back(
            {{"input", inputs[i]}, {"error", error_fields(*said[i].problem)}});
      for (const auto& result : said[i].results) results.push_back(result);
    }
    return json_report("check", inputs, std::move(results),
                       seconds_since_start());
  }
  std::string text;
  for (CheckedInput& one : said) {
    if (!text.empty() && !one.texts[index].empty() && output.format == "text")
      text += "\n";
    text += one.texts[index];
  }
  if (output.format == "dot") return dot_graph(text);
  if (said.size() > 1) text += "\n" + summary(said, inputs);
  return text;
}

int worst_status(const std::vector<CheckedInput>& said) {
  bool is_violated = false;
  bool is_undecided = false;
  for (const CheckedInput& one : said) {
    if (one.problem) return kWrong;
    is_violated |= one.violated > 0;
    is_undecided |= one.undecided > 0;
  }
  if (is_violated) return kViolated;
  return is_undecided ? kUndecided : kHolds;
}

nlohmann::ordered_json unanswered(const std::vector<Level>& levels) {
  auto results = nlohmann::ordered_json::array();
  for (const Level level : levels)
    results.push_back(
        {{"level", name(level.base)}, {"order", name(level.order)}});
  return results;
}

}  // namespace

int run_check(const Options& options) {
  const auto levels = parse_levels(options.level, options.order);
  if (!levels) return report_error(levels.error());
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  promise_results(unanswered(*levels));
  const Budget budget(*allowed);
  std::vector<std::string> inputs;
  for (const std::string& named : options.inputs)
    for (std::string& found : find_histories(named))
      inputs.push_back(std::move(found));
  auto said = check_inputs(inputs, options, *levels, budget);
  // Of one input the error is the answer; of several it is one of them.
  if (said.size() == 1 && said.front().problem)
    return report_error(*said.front().problem);
  for (const CheckedInput& one : said)
    if (one.problem) tell_error(*one.problem);
  for (std::size_t i = 0; i < options.outputs.size(); ++i) {
    const std::string text = joined_report(options.outputs[i], i, said, inputs);
    if (auto ok = write_output(options.outputs[i], text); !ok)
      return report_error(ok.error());
  }
  return worst_status(said);
}

}  // namespace txscope::cli
