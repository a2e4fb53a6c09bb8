#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/token_reader.h"

namespace txscope::tla::pluscal {

/// Labels and statements, by recursive descent.
class StatementReader : public TokenReader {
 protected:
  using TokenReader::TokenReader;

  Statements sequence();

  bool is_in_macro_ = false;
  Routine* routine_ = nullptr;  // whose labels and calls are collected
  Algorithm algorithm_;

 private:
  [[nodiscard]] bool at_label() const;
  void label(Statement& statement);
  [[nodiscard]] bool at_sequence_end() const;
  void labelled(Statements& into);
  Statements c_statement();
  Statement statement();
  [[nodiscard]] Statement new_statement(StatementKind kind) const;
  Statement if_statement();
  Statement either();
  Statement while_statement();
  Statement with();
  Statement with_rest(Statement with);
  Statement one_formula(StatementKind kind, const std::string& of);
  Statement call();
  Statement go_to();
  Statement macro_call();
  Statement assignment();
  std::vector<Formula> arguments();
  std::string goto_target();
};

}  // namespace txscope::tla::pluscal
