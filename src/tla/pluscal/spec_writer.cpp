#include "tla/pluscal/spec_writer.h"

#include <algorithm>

namespace txscope::tla::pluscal {

ProcessFairness SpecWriter::fairness_of(const Process& process) const {
  if (process.fairness != ProcessFairness::None) return process.fairness;
  const std::string& option = algorithm_.options.fairness;
  if (option == "wf") return ProcessFairness::Weak;
  if (option == "sf") return ProcessFairness::Strong;
  return ProcessFairness::None;
}

/// `WF_vars((pc[self] # "a") /\ Name(self)) /\ SF_vars(b(self))`
std::vector<std::string> SpecWriter::conditions(const Routine& routine,
                                                const std::string& self,
                                                const std::string& argument,
                                                bool is_strong) {
  std::string action;
  if (!routine.minus_labels.empty()) {
    action = "(pc[" + self + "]";
    if (routine.minus_labels.size() == 1)
      action += " # \"" + routine.minus_labels[0] + "\"";
    else
      action += " \\notin {\"" + joined(routine.minus_labels, "\", \"") + "\"}";
    action += ") /\\ ";
  }
  action += routine.name + argument;
  std::vector<std::string> all = {(is_strong ? "SF_vars(" : "WF_vars(") +
                                  action + ")"};
  if (!is_strong)
    for (const std::string& label : routine.plus_labels)
      all.push_back("SF_vars(" + label + argument + ")");
  return all;
}

/// All procedures that a process calls, directly or not.
std::vector<const Procedure*> SpecWriter::called_by(
    const Process& process) const {
  std::vector<const Procedure*> all;
  const auto add = [&](const Routine& routine, const auto& self) -> void {
    for (const std::string& name : routine.calls)
      for (const Procedure& procedure : algorithm_.procedures)
        if (procedure.name == name &&
            std::find(all.begin(), all.end(), &procedure) == all.end()) {
          all.push_back(&procedure);
          self(procedure, self);
        }
  };
  add(process, add);
  return all;
}

std::string SpecWriter::fairness(const Process& process) const {
  const bool is_strong = fairness_of(process) == ProcessFairness::Strong;
  const std::string self = process.is_one ? process.id.flat() : "self";
  std::vector<std::string> all =
      conditions(process, self, process.is_one ? "" : "(self)", is_strong);
  for (const Procedure* procedure : called_by(process))
    for (std::string& one :
         conditions(*procedure, self, "(" + self + ")", is_strong))
      all.push_back(std::move(one));
  const std::string prefix =
      process.is_one ? "" : "\\A self \\in " + process.id.flat() + " : ";
  return prefix + joined(all, " /\\ ");
}

void SpecWriter::write() {
  const std::string& option = algorithm_.options.fairness;
  std::vector<std::string> fair;
  const bool is_next_fair =
      option == "wfNext" || algorithm_.is_fair ||
      (!algorithm_.is_parallel() && (option == "wf" || option == "sf"));
  if (option != "nof") {
    if (is_next_fair) fair.push_back("WF_vars(Next)");
    for (const Process& process : algorithm_.processes)
      if (fairness_of(process) != ProcessFairness::None)
        fair.push_back(fairness(process));
  }
  if (fair.empty()) {
    page_.line("Spec == Init /\\ [][Next]_vars");
  } else {
    page_.line("Spec == /\\ Init /\\ [][Next]_vars");
    for (const std::string& one : fair) {
      page_.indent(8);
      page_.line("/\\ " + one);
    }
  }
  page_.end_line();
}

}  // namespace txscope::tla::pluscal
