#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/algorithm.h"

namespace txscope::tla::pluscal {

/// One action of the translation: what happens from a label to the next one.
/// Statements have no labels, calls, returns and gotos any more: these are
/// assignments to pc and stack.
struct Step {
  std::string label;
  Spot spot;
  Statements statements;
};

/// The steps of a procedure or process.
struct FlatRoutine {
  std::vector<Step> steps;
  std::string first;  ///< label
};

/// Which parts of a translation are left out because nothing needs them.
struct Omissions {
  bool pc = false;    ///< every process is one loop without inner labels
  bool done = false;  ///< some process never ends
};

/// Where something stands in the text of a translation.
struct Mark {
  std::uint32_t line = 0;    ///< counted from 1
  std::uint32_t column = 0;  ///< counted from 1
  Spot spot;                 ///< in the algorithm
};

struct Translation {
  std::string text;
  std::vector<Mark> marks;  ///< by line and column
  std::vector<std::string> notes;
};

/// Reads the algorithm that begins with `--` at byte `begin`.  Throws Fault.
[[nodiscard]] Algorithm read_algorithm(const Source& source, std::size_t begin);

/// Replaces calls of macros by their bodies.  Throws Fault.
void expand_macros(Algorithm& algorithm);

/// Checks the rules of labels, and adds labels where the options, or an
/// algorithm without any, ask for it.  Throws Fault.
void add_labels(Algorithm& algorithm);

/// Which parts can be left out; after add_labels.
[[nodiscard]] Omissions omissions_of(const Algorithm& algorithm);

/// Gives names that occur in several places one meaning each: labels of two
/// processes, local variables of two procedures.  What was renamed is returned
/// as the comments that say so.  Throws Fault.
std::vector<std::string> make_names_unique(Algorithm& algorithm);

/// Cuts a body at its labels.  Throws Fault.
[[nodiscard]] FlatRoutine flatten(const Algorithm& algorithm,
                                  const Routine& routine,
                                  const Procedure* procedure,
                                  const Omissions& omitted);

/// The actions of the translation that are labels, and where those stand.
/// Throws Fault.
[[nodiscard]] std::vector<std::pair<std::string, Spot>> labels_of(
    const Source& source, std::size_t begin);

/// The translation of an algorithm into TLA+: the variables, pc, an action for
/// each label, Init, Next, Spec and Termination, of the same names and with the
/// same steps as those of the standard translator (Lamport, A PlusCal User's
/// Manual; the translator of TLA+ Tools 1.8).  Throws Fault.
[[nodiscard]] Translation translate(const Source& source, std::size_t begin);

}  // namespace txscope::tla::pluscal
