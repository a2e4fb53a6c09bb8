#pragma once

#include <string>

#include "tla/pluscal/page.h"
#include "tla/pluscal/step_writer.h"

namespace txscope::tla::pluscal {

/// Writes the initial predicate: what the declarations of an algorithm say of
/// its variables, in the order in which it has them.
class InitWriter {
 public:
  InitWriter(const Algorithm& algorithm, const Variables& known,
             const Omissions& omitted, Page& page)
      : algorithm_(algorithm), known_(known), omitted_(omitted), page_(page) {}

  void write();

 private:
  void begin_item(const Spot& spot);
  void plain_item(const Declaration& one);
  void heading(const std::string& text);
  void of_procedure(const Procedure& procedure);
  void of_process(const Process& process);
  /// `[self \in S |-> e]`, or `\in [S -> e]` of one that has a set of values.
  void of_each(const Process& process, const Declaration& one);
  void pc();

  const Algorithm& algorithm_;
  const Variables& known_;
  const Omissions& omitted_;
  Page& page_;
};

}  // namespace txscope::tla::pluscal
