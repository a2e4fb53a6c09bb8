#include "tla/pluscal/init_writer.h"

namespace txscope::tla::pluscal {
namespace {

/// `CHOOSE self \in S : TRUE`: a set of initial values does not depend on which
/// process it is for.
Formula any_of(const Process& process, const Spot& spot) {
  Formula some = formula_of({{"CHOOSE", TokenKind::Keyword}}, spot);
  const auto add = [&](const std::string& text, TokenKind kind) {
    Piece piece = some.pieces.back();
    piece.column += piece.width() + 1;
    piece.text = text;
    piece.kind = kind;
    some.pieces.push_back(std::move(piece));
  };
  add("self", TokenKind::Identifier);
  add("\\in", TokenKind::Symbol);
  add(process.id.flat(), TokenKind::Symbol);
  add(":", TokenKind::Symbol);
  add("TRUE", TokenKind::Keyword);
  return some;
}

}  // namespace

void InitWriter::begin_item(const Spot& spot) {
  page_.indent(8);
  page_.at(spot);
  page_.put("/\\ ");
}

void InitWriter::plain_item(const Declaration& one) {
  begin_item(one.spot);
  page_.put(one.name + (one.is_equal ? " = " : " \\in "));
  const bool is_loose = needs_parentheses(one.value);
  page_.put(is_loose ? "(" : "");
  page_.put(one.value);
  page_.line(is_loose ? ")" : "");
}

void InitWriter::heading(const std::string& text) {
  page_.indent(8);
  page_.line("(* " + text + " *)");
}

void InitWriter::write() {
  page_.at(algorithm_.spot);
  page_.put("Init == ");
  if (!algorithm_.variables.empty()) heading("Global variables");
  for (const Declaration& one : algorithm_.variables) plain_item(one);
  for (const Procedure& procedure : algorithm_.procedures)
    of_procedure(procedure);
  for (const Process& process : algorithm_.processes) of_process(process);
  page_.at(algorithm_.spot);
  if (!algorithm_.procedures.empty()) {
    page_.indent(8);
    page_.line(algorithm_.is_parallel()
                   ? "/\\ stack = [self \\in ProcSet |-> << >>]"
                   : "/\\ stack = << >>");
  }
  if (!omitted_.pc) pc();
  page_.end_line();
}

void InitWriter::of_procedure(const Procedure& procedure) {
  if (procedure.parameters.empty() && procedure.variables.empty()) return;
  heading("Procedure " + procedure.name);
  const StepWriter writer(known_, the_self(procedure.spot), page_);
  for (const auto* declared : {&procedure.parameters, &procedure.variables})
    for (const Declaration& one : *declared) {
      if (!algorithm_.is_parallel()) {
        plain_item(one);
        continue;
      }
      begin_item(one.spot);
      page_.put(one.name + " = [ self \\in ProcSet |-> ");
      page_.put(writer.initially(one.value));
      page_.line("]");
    }
}

void InitWriter::of_process(const Process& process) {
  if (process.variables.empty()) return;
  heading("Process " + process.name);
  for (const Declaration& one : process.variables) {
    if (process.is_one) {
      plain_item(one);
      continue;
    }
    of_each(process, one);
  }
}

void InitWriter::of_each(const Process& process, const Declaration& one) {
  begin_item(one.spot);
  if (one.is_equal) {
    page_.put(one.name + " = [self \\in ");
    page_.put(process.id);
    page_.put(" |-> ");
    page_.put(
        StepWriter(known_, the_self(one.spot), page_).initially(one.value));
  } else {
    page_.put(one.name + " \\in [");
    page_.put(process.id);
    page_.put(" -> ");
    page_.put(StepWriter(known_, any_of(process, one.spot), page_)
                  .initially(one.value));
  }
  page_.line("]");
}

void InitWriter::pc() {
  page_.indent(8);
  page_.put("/\\ pc = ");
  if (!algorithm_.is_parallel())
    return page_.line('"' + algorithm_.main.body.front().label + '"');
  page_.put("[self \\in ProcSet |-> ");
  const auto& all = algorithm_.processes;
  if (all.size() == 1)
    return page_.line('"' + all[0].body.front().label + "\"]");
  page_.put("CASE ");
  const std::uint32_t column = page_.column() - 3;
  for (const Process& process : all) {
    if (&process != &all.front()) {
      page_.indent(column);
      page_.put("[] ");
    }
    page_.put(process.is_one ? "self = " : "self \\in ");
    page_.put(process.id);
    page_.put(" -> \"" + process.body.front().label + '"');
    page_.line(&process == &all.back() ? "]" : "");
  }
}

}  // namespace txscope::tla::pluscal
