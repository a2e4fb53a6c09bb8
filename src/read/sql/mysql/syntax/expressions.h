#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// Expressions, by MySQL's precedence.
class Expressions : public Room {
 public:
  using Room::Room;

  Node* expr();
  List expr_list();
  Node* bit_expr(int least = 0);
  Node* unary();
  Node* primary();
  Node* literal();
  Node* column_ref();

 private:
  Node* or_expr();
  Node* xor_expr();
  Node* and_expr();
  Node* not_expr();
  Node* boolean_primary();
  Node* predicate();
  Node* escaped(Node* pattern, std::int32_t where);
  Node* interval_sum(Node* left, bool is_minus, std::int32_t where);
  Node* postfix(Node* value);
  Node* next_value(std::int32_t where);
  Node* case_expr();
  Node* parenthesized();
};

}  // namespace txscope::sql::syntax
