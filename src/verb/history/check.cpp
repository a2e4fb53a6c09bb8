#include "txscope/check.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "read/histories/find_histories.h"
#include "verb/answer/envelope.h"
#include "verb/answer/evidence.h"
#include "verb/history/check_input.h"
#include "verb/input/levels.h"

namespace txscope::verb {
namespace {

// Every input by itself, so many at once; the answers in the order asked.
std::vector<CheckedInput> check_inputs(const std::vector<std::string>& inputs,
                                       const CheckRequest& request,
                                       const std::vector<Level>& levels,
                                       const Budget& budget) {
  std::vector<CheckedInput> said(inputs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < inputs.size(); i = next++)
      said[i] =
          check_input(inputs[i], inputs.size() > 1, request, levels, budget);
  };
  const std::size_t wanted = std::clamp<std::size_t>(request.jobs, 1, 256);
  const std::size_t helpers = std::min(wanted, inputs.size()) - 1;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  return said;
}

std::vector<Promise> questions(const std::vector<Level>& levels) {
  std::vector<Promise> all;
  for (const Level level : levels)
    all.push_back({std::string(name(level.base)),
                   std::string(name(level.order)), Promise::Known::Nothing});
  return all;
}

std::vector<std::string> inputs_of(const CheckRequest& request) {
  if (request.text || request.history)
    return {request.inputs.empty() ? "" : request.inputs[0]};
  std::vector<std::string> inputs;
  for (const std::string& named : request.inputs)
    for (std::string& found : read::find_histories(named))
      inputs.push_back(std::move(found));
  return inputs;
}

void add(const Checked& one, Checked& all) {
  all.rules = std::max(all.rules, one.rules);
  all.sessions += one.sessions;
  all.transactions += one.transactions;
  all.committed += one.committed;
  all.statements += one.statements;
  all.executions += one.executions;
}

}  // namespace

bool CheckRequest::wants(std::string_view format) const {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

bool CheckRequest::wants_document() const {
  return std::any_of(
      formats.begin(), formats.end(), [](const std::string& format) {
        return format == "evidence" || is_document_format(format);
      });
}

Result<Report> check(const CheckRequest& request, const Budget& budget) {
  Report report;
  const auto levels = parse_levels(request.level, request.order, report.notes);
  if (!levels) return levels.error();
  request.listener.questions(questions(*levels));
  report.verb = "check";
  report.inputs = inputs_of(request);
  CheckDetail detail;
  detail.inputs = check_inputs(report.inputs, request, *levels, budget);
  // Of one input the error is the answer; of several it is one of them.
  if (detail.inputs.size() == 1 && detail.inputs.front().problem)
    return *detail.inputs.front().problem;
  for (const CheckedInput& one : detail.inputs) {
    if (one.problem) report.problems.push_back(*one.problem);
    report.findings.insert(report.findings.end(), one.findings.begin(),
                           one.findings.end());
    add(one.checked, report.checked);
  }
  const auto is_vacuous = [](const Finding& f) {
    return !f.vacuous_because.empty();
  };
  if (!report.findings.empty() &&
      std::all_of(report.findings.begin(), report.findings.end(), is_vacuous))
    report.checked.vacuous_because = report.findings.front().vacuous_because;
  conclude(report, std::move(detail));
  return report;
}

}  // namespace txscope::verb
