#include "tla/pluscal/translator.h"

#include <algorithm>

#include "tla/pluscal/init_writer.h"
#include "tla/pluscal/options.h"
#include "tla/pluscal/spec_writer.h"

namespace txscope::tla::pluscal {
namespace {

constexpr std::size_t kWidth = 78;

/// Writes the definitions in the order of the standard translator.
class Writer {
 public:
  Writer(const Algorithm& algorithm, const Omissions& omitted)
      : algorithm_(algorithm),
        omitted_(omitted),
        omits_done_(omitted.done || algorithm.options.omits_done) {}

  Translation run(const std::vector<std::string>& notes) {
    page_.at(algorithm_.spot);
    for (const std::string& note : notes) page_.line(note);
    variables();
    process_set();
    InitWriter(algorithm_, known_, omitted_, page_).write();
    for (const Procedure& procedure : algorithm_.procedures)
      routine(procedure, &procedure, the_self(procedure.spot), true);
    for (const Process& process : algorithm_.processes)
      routine(process, nullptr,
              process.is_one ? process.id : the_self(process.spot),
              !process.is_one);
    if (!algorithm_.is_parallel()) main();
    page_.at(algorithm_.spot);
    next();
    SpecWriter(algorithm_, page_).write();
    termination();
    return page_.take();
  }

 private:
  bool is_parallel() const { return algorithm_.is_parallel(); }

  void collect_variables() {
    auto& all = known_.all;
    known_.is_parallel = is_parallel();
    if (!omitted_.pc) all.push_back("pc");
    for (const Declaration& one : algorithm_.variables) all.push_back(one.name);
    if (!algorithm_.procedures.empty()) all.push_back("stack");
    globals_ = all.size();
    for (const Procedure& procedure : algorithm_.procedures)
      for (const auto* declared : {&procedure.parameters, &procedure.variables})
        for (const Declaration& one : *declared) {
          all.push_back(one.name);
          known_.local.insert(one.name);
        }
    for (const Process& process : algorithm_.processes)
      for (const Declaration& one : process.variables) {
        all.push_back(one.name);
        if (!process.is_one) known_.local.insert(one.name);
      }
    if (all.empty())
      fail(algorithm_.spot, "the algorithm has no variables",
           "without variables there are no states");
  }

  void list(const std::string& head, const std::vector<std::string>& names) {
    page_.put(head);
    const std::uint32_t column = page_.column();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) page_.put(", ");
      if (i > 0 && page_.column() + names[i].size() + 1 > kWidth) {
        page_.end_line();
        page_.indent(column);
      }
      page_.put(names[i]);
    }
  }

  void declare(std::size_t from, std::size_t to) {
    const auto begin = known_.all.begin();
    const std::vector<std::string> names(
        begin + static_cast<std::ptrdiff_t>(from),
        begin + static_cast<std::ptrdiff_t>(to));
    if (names.empty()) return;
    list(names.size() == 1 ? "VARIABLE " : "VARIABLES ", names);
    page_.end_line();
  }

  void variables() {
    collect_variables();
    if (algorithm_.has_default) page_.line("CONSTANT defaultInitValue");
    if (algorithm_.definitions.empty()) {
      declare(0, known_.all.size());
    } else {
      declare(0, globals_);
      page_.end_line();
      page_.line("(* define statement *)");
      page_.put(algorithm_.definitions);
      page_.end_line();
      page_.end_line();
      page_.at(algorithm_.spot);
      declare(globals_, known_.all.size());
    }
    page_.end_line();
    list("vars == << ", known_.all);
    page_.line(" >>");
    page_.end_line();
  }

  void process_set() {
    if (!is_parallel()) return;
    page_.put("ProcSet == ");
    bool is_first = true;
    for (const Process& process : algorithm_.processes) {
      page_.at(process.spot);
      if (!is_first) page_.put(" \\cup ");
      is_first = false;
      page_.put(process.is_one ? "{" : "(");
      page_.put(process.id);
      page_.put(process.is_one ? "}" : ")");
    }
    page_.end_line();
    page_.end_line();
  }

  void write_steps(const FlatRoutine& flat, const Formula& self, bool is_set,
                   const std::string& instead) {
    StepWriter writer(known_, is_parallel() ? self : Formula(), page_);
    for (const Step& step : flat.steps)
      writer.write(step, (omitted_.pc ? instead : step.label) +
                             (is_parallel() && is_set ? "(self)" : ""));
  }

  void routine(const Routine& routine, const Procedure* procedure,
               const Formula& self, bool is_set) {
    const FlatRoutine flat = flatten(algorithm_, routine, procedure, omitted_);
    write_steps(flat, self, is_set, routine.name);
    if (omitted_.pc) return;
    const std::string argument = is_parallel() && is_set ? "(self)" : "";
    page_.at(routine.spot);
    page_.put(routine.name + argument + " == ");
    const std::uint32_t column = page_.column();
    for (const Step& step : flat.steps) {
      if (&step != &flat.steps.front()) {
        if (page_.column() + step.label.size() + 11 > kWidth) {
          page_.end_line();
          page_.indent(column);
        }
        page_.put(" \\/ ");
      }
      page_.put(step.label + argument);
    }
    page_.end_line();
    page_.end_line();
    if (procedure != nullptr && !is_parallel()) next_.push_back(routine.name);
  }

  void main() {
    const FlatRoutine flat =
        flatten(algorithm_, algorithm_.main, nullptr, omitted_);
    write_steps(flat, {}, false, "Next");
    for (const Step& step : flat.steps) next_.push_back(step.label);
  }

  void next() {
    if (omitted_.pc && !is_parallel()) return;
    if (!omits_done_) {
      page_.line(
          "(* Allow infinite stuttering to prevent deadlock on termination. "
          "*)");
      if (is_parallel()) {
        page_.line(
            "Terminating == /\\ \\A self \\in ProcSet: pc[self] = \"Done\"");
        page_.line("               /\\ UNCHANGED vars");
      } else {
        page_.line("Terminating == pc = \"Done\" /\\ UNCHANGED vars");
      }
      page_.end_line();
    }
    std::vector<std::string> called;
    std::vector<std::string> sets;
    if (is_parallel())
      for (const Procedure& procedure : algorithm_.procedures)
        called.push_back(procedure.name + "(self)");
    for (const Process& process : algorithm_.processes)
      if (process.is_one)
        next_.push_back(process.name);
      else
        sets.push_back("(\\E self \\in " + process.id.flat() + ": " +
                       process.name + "(self))");
    if (!called.empty())
      next_.push_back("(\\E self \\in ProcSet: " + joined(called, " \\/ ") +
                      ")");
    next_.insert(next_.end(), sets.begin(), sets.end());
    if (!omits_done_) next_.push_back("Terminating");
    page_.put("Next == ");
    const std::uint32_t column = page_.column() + 2;
    for (const std::string& disjunct : next_) {
      if (&disjunct != &next_.front()) {
        if (page_.column() + disjunct.size() + 4 > kWidth ||
            disjunct.front() == '(') {
          page_.end_line();
          page_.indent(column);
        }
        page_.put(" \\/ ");
      }
      page_.put(disjunct);
    }
    page_.end_line();
    page_.end_line();
  }

  void termination() {
    if (omitted_.pc || omitted_.done) return;
    page_.line(is_parallel()
                   ? "Termination == <>(\\A self \\in ProcSet: pc[self] = "
                     "\"Done\")"
                   : "Termination == <>(pc = \"Done\")");
    page_.end_line();
  }

  const Algorithm& algorithm_;
  Omissions omitted_;
  bool omits_done_;
  Variables known_;
  std::size_t globals_ = 0;        // how many come before `define`
  std::vector<std::string> next_;  // disjuncts
  Page page_;
};

/// An algorithm whose every label and name is settled.
struct Settled {
  Algorithm algorithm;
  Omissions omitted;
  std::vector<std::string> notes;
};

Settled settled(const Source& source, std::size_t begin) {
  Settled result;
  result.algorithm = read_algorithm(source, begin);
  result.algorithm.options = options_of(source);
  expand_macros(result.algorithm);
  add_labels(result.algorithm);
  result.omitted = omissions_of(result.algorithm);
  result.notes = make_names_unique(result.algorithm);
  return result;
}

void collect(const Statements& statements,
             std::vector<std::pair<std::string, Spot>>& into) {
  for (const Statement& statement : statements) {
    if (!statement.label.empty())
      into.emplace_back(statement.label, statement.label_spot);
    for (const Statements& clause : statement.clauses) collect(clause, into);
  }
}

}  // namespace

std::vector<std::pair<std::string, Spot>> labels_of(const Source& source,
                                                    std::size_t begin) {
  const Settled all = settled(source, begin);
  std::vector<std::pair<std::string, Spot>> labels;
  if (all.omitted.pc) return labels;
  for (const Procedure& procedure : all.algorithm.procedures)
    collect(procedure.body, labels);
  for (const Process& process : all.algorithm.processes)
    collect(process.body, labels);
  collect(all.algorithm.main.body, labels);
  return labels;
}

Translation translate(const Source& source, std::size_t begin) {
  const Settled all = settled(source, begin);
  Translation result = Writer(all.algorithm, all.omitted).run(all.notes);
  result.notes = all.notes;
  return result;
}

}  // namespace txscope::tla::pluscal
