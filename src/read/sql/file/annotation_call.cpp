// A transaction of a session that is one call: its constants and its `?`.

#include <algorithm>

#include "base/suggest.h"
#include "read/sql/file/annotations.h"
#include "read/sql/plpgsql/routine_reader.h"

namespace txscope::sql {
namespace {

/// The value of an expression of constants, as far as calls need it.
std::optional<Value> fold(const Expr& e) {
  if (e.op == Op::Constant) return e.value;
  if (e.op == Op::Negate) {
    const auto value = fold(e.args[0]);
    if (!value) return std::nullopt;
    if (value->is_null()) return value;
    if (value->kind() == Kind::Numeric) {
      return Value::numeric(-value->digits(), value->scale());
    }
    std::int64_t negated = 0;
    if (value->kind() != Kind::Integer ||
        __builtin_sub_overflow(std::int64_t{0}, value->integer(), &negated)) {
      return std::nullopt;
    }
    return Value::integer(negated);
  }
  if (e.op != Op::Cast) return std::nullopt;
  const auto value = fold(e.args[0]);
  if (!value || value->is_null()) return value;
  const Kind to = kind_of(e.type.name);
  if (to == Kind::Numeric && e.type.size == 0) {
    if (value->kind() == Kind::Numeric) return value;
    if (value->kind() == Kind::Integer) {
      return Value::numeric(value->integer(), 0);
    }
  }
  return value->kind() == to && e.type.size == 0 && to != Kind::Integer
             ? value
             : std::nullopt;
}

/// Of CALL p(...) and SELECT f(...); none: it is another statement.
const PgQuery__FuncCall* called(const Tree& tree) {
  const Node& node = tree.statement();
  if (node.node_case == PG_QUERY__NODE__NODE_CALL_STMT)
    return node.call_stmt->funccall;
  if (node.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return nullptr;
  const PgQuery__SelectStmt& select = *node.select_stmt;
  if (select.n_target_list != 1 || select.n_from_clause != 0 ||
      select.where_clause != nullptr) {
    return nullptr;
  }
  const Node* value = select.target_list[0]->res_target->val;
  return value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL ? value->func_call
                                                            : nullptr;
}

/// Where the constant stands that a converted argument was made of.
std::size_t offset_of(const Expr& e) {
  const Expr* leaf = &e;
  while (leaf->args.size() == 1) leaf = &leaf->args[0];
  return leaf->at.offset;
}

}  // namespace

/// SELECT f(?, 2): a transaction that is nothing but a call.
bool AnnotationReader::is_open_function(const Tree& tree) const {
  const Span whole = tree.whole();
  const auto first = questions_.lower_bound(whole.offset);
  if (first == questions_.end() || *first >= whole.offset + whole.length)
    return false;
  const PgQuery__FuncCall* call = called(tree);
  return call != nullptr &&
         Analyzer(tree, catalog_, nullptr).meant(*call) != nullptr;
}

/// A `?` that stands for an argument.
bool AnnotationReader::take_question(const Expr& e, Call& call) {
  if (questions_.erase(offset_of(e)) == 0) return false;
  call.open.resize(call.arguments.size());
  call.open.push_back(true);
  call.arguments.emplace_back();
  return true;
}

std::optional<Value> AnnotationReader::constant_value(const Expr& e) {
  const bool is_sized = e.op == Op::Cast && e.type.name == TypeName::Numeric &&
                        e.type.size > 0 && e.args.size() == 1;
  if (!is_sized) return fold(e);
  // 80 as decimal(10,2): no digit is lost.
  const auto value = fold(e.args[0]);
  if (!value || value->is_null()) return value;
  const bool is_integer = value->kind() == Kind::Integer;
  if (!is_integer && value->kind() != Kind::Numeric) return std::nullopt;
  const unsigned scale = is_integer ? 0 : value->scale();
  Int128 digits = is_integer ? Int128{value->integer()} : value->digits();
  if (scale > e.type.scale || e.type.size > 30) return std::nullopt;
  for (unsigned i = scale; i < e.type.scale; ++i) digits *= 10;
  return Value::numeric(digits, e.type.scale);
}

/// Whether a call can be written down as values; `?` are some.
bool AnnotationReader::has_constants(const Tree& tree,
                                     const Signature& routine) const {
  if (!questions_.empty()) return true;
  Analyzer analyzer(tree, catalog_, nullptr);
  const auto arguments = analyzer.arguments(*called(tree), routine);
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Expr& e) { return fold(e).has_value(); });
}

std::vector<Value> AnnotationReader::constants(const Tree& tree,
                                               const Signature& routine,
                                               std::vector<bool>& open) {
  Analyzer analyzer(tree, catalog_, nullptr);
  std::vector<Value> values;
  for (const Expr& e : analyzer.arguments(*called(tree), routine, questions_)) {
    if (questions_.erase(offset_of(e)) != 0) {
      open.resize(values.size());
      open.push_back(true);
      values.emplace_back();
      continue;
    }
    const auto value = fold(e);
    if (!value) {
      source_.fail(e.at, "an argument of a session's call must be a constant",
                   "write the value itself");
    }
    values.push_back(*value);
  }
  if (!open.empty()) open.resize(values.size());
  return values;
}

/// CALL of a session, as a transaction: its arguments are constants, or it is
/// one of plain statements.
void AnnotationReader::call(const Tree& tree) {
  const PgQuery__FuncCall& node = *called(tree);
  const std::string name(string_of(node.funcname[node.n_funcname - 1]));
  const Span at = tree.at(node.location);
  const Signature* routine = Analyzer(tree, catalog_, nullptr).meant(node);
  if (routine == nullptr) {
    std::vector<std::string> names;
    for (const Signature& other : catalog_.routines) {
      names.push_back(other.name);
    }
    source_.fail(at, "unknown procedure '" + name + "'",
                 suggestion(name, names));
  }
  const bool is_select =
      tree.statement().node_case == PG_QUERY__NODE__NODE_SELECT_STMT;
  if (routine->is_function && !is_select) {
    source_.fail(at, "'" + name + "' is a function",
                 "call it as SELECT " + name + "(...);");
  }
  if (!has_constants(tree, *routine)) {
    begin_script(tree.whole());
    script_->call(tree, script_->routine.body);
    end_script(tree.whole());
    return;
  }
  Call call;
  call.label = label(name);
  call.routine = routine->id;
  call.arguments = constants(tree, *routine, call.open);
  call.at = tree.whole();
  session_.calls.push_back(std::move(call));
}

}  // namespace txscope::sql
