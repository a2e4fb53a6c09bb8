#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::sql {

/// Makes nodes of the tree that PostgreSQL's parser would make, so that one
/// Analyzer reads both.  They live as long as this does.  All fields of a new
/// one are zero: no list, no name, false.
class Nodes {
 public:
  using Node = PgQuery__Node;
  using List = std::vector<Node*>;

  template <class T>
  [[nodiscard]] T* make() {
    return static_cast<T*>(take(sizeof(T)));
  }
  [[nodiscard]] PgQuery__SelectStmt* select() {
    auto* made = make<PgQuery__SelectStmt>();
    made->op = PG_QUERY__SET_OPERATION__SETOP_NONE;
    return made;
  }
  [[nodiscard]] char* text(std::string_view from) {
    char* made = static_cast<char*>(take(from.size() + 1));
    std::memcpy(made, from.data(), from.size());
    return made;
  }
  /// Sets a list of a node: its length and its items.
  void set(std::size_t& count, Node**& items, const List& from) {
    count = from.size();
    if (from.empty()) return;
    items = static_cast<Node**>(take(from.size() * sizeof(Node*)));
    std::memcpy(items, from.data(), from.size() * sizeof(Node*));
  }

  [[nodiscard]] Node* string(std::string_view from) {
    auto* value = make<PgQuery__String>();
    value->sval = text(from);
    Node* made = make<Node>();
    made->node_case = PG_QUERY__NODE__NODE_STRING;
    made->string = value;
    return made;
  }
  [[nodiscard]] Node* list(const List& items) {
    auto* value = make<PgQuery__List>();
    set(value->n_items, value->items, items);
    Node* made = make<Node>();
    made->node_case = PG_QUERY__NODE__NODE_LIST;
    made->list = value;
    return made;
  }

#define TXSCOPE_NODE(Type, field, kind)              \
  [[nodiscard]] Node* wrap(PgQuery__##Type* value) { \
    Node* made = make<Node>();                       \
    made->node_case = PG_QUERY__NODE__NODE_##kind;   \
    made->field = value;                             \
    return made;                                     \
  }
  TXSCOPE_NODE(AConst, a_const, A_CONST)
  TXSCOPE_NODE(ColumnRef, column_ref, COLUMN_REF)
  TXSCOPE_NODE(ParamRef, param_ref, PARAM_REF)
  TXSCOPE_NODE(AStar, a_star, A_STAR)
  TXSCOPE_NODE(AExpr, a_expr, A_EXPR)
  TXSCOPE_NODE(BoolExpr, bool_expr, BOOL_EXPR)
  TXSCOPE_NODE(NullTest, null_test, NULL_TEST)
  TXSCOPE_NODE(BooleanTest, boolean_test, BOOLEAN_TEST)
  TXSCOPE_NODE(CaseExpr, case_expr, CASE_EXPR)
  TXSCOPE_NODE(CaseWhen, case_when, CASE_WHEN)
  TXSCOPE_NODE(CoalesceExpr, coalesce_expr, COALESCE_EXPR)
  TXSCOPE_NODE(SubLink, sub_link, SUB_LINK)
  TXSCOPE_NODE(TypeCast, type_cast, TYPE_CAST)
  TXSCOPE_NODE(FuncCall, func_call, FUNC_CALL)
  TXSCOPE_NODE(SQLValueFunction, sqlvalue_function, SQLVALUE_FUNCTION)
  TXSCOPE_NODE(RowExpr, row_expr, ROW_EXPR)
  TXSCOPE_NODE(WindowDef, window_def, WINDOW_DEF)
  TXSCOPE_NODE(SortBy, sort_by, SORT_BY)
  TXSCOPE_NODE(RangeVar, range_var, RANGE_VAR)
  TXSCOPE_NODE(JoinExpr, join_expr, JOIN_EXPR)
  TXSCOPE_NODE(RangeSubselect, range_subselect, RANGE_SUBSELECT)
  TXSCOPE_NODE(ResTarget, res_target, RES_TARGET)
  TXSCOPE_NODE(SelectStmt, select_stmt, SELECT_STMT)
  TXSCOPE_NODE(InsertStmt, insert_stmt, INSERT_STMT)
  TXSCOPE_NODE(UpdateStmt, update_stmt, UPDATE_STMT)
  TXSCOPE_NODE(DeleteStmt, delete_stmt, DELETE_STMT)
  TXSCOPE_NODE(CommonTableExpr, common_table_expr, COMMON_TABLE_EXPR)
  TXSCOPE_NODE(LockingClause, locking_clause, LOCKING_CLAUSE)
  TXSCOPE_NODE(CreateStmt, create_stmt, CREATE_STMT)
  TXSCOPE_NODE(CreateTableAsStmt, create_table_as_stmt, CREATE_TABLE_AS_STMT)
  TXSCOPE_NODE(TableLikeClause, table_like_clause, TABLE_LIKE_CLAUSE)
  TXSCOPE_NODE(ColumnDef, column_def, COLUMN_DEF)
  TXSCOPE_NODE(Constraint, constraint, CONSTRAINT)
  TXSCOPE_NODE(TypeName, type_name, TYPE_NAME)
  TXSCOPE_NODE(AlterTableStmt, alter_table_stmt, ALTER_TABLE_STMT)
  TXSCOPE_NODE(AlterTableCmd, alter_table_cmd, ALTER_TABLE_CMD)
  TXSCOPE_NODE(IndexStmt, index_stmt, INDEX_STMT)
  TXSCOPE_NODE(IndexElem, index_elem, INDEX_ELEM)
  TXSCOPE_NODE(ViewStmt, view_stmt, VIEW_STMT)
  TXSCOPE_NODE(DropStmt, drop_stmt, DROP_STMT)
  TXSCOPE_NODE(ObjectWithArgs, object_with_args, OBJECT_WITH_ARGS)
  TXSCOPE_NODE(TruncateStmt, truncate_stmt, TRUNCATE_STMT)
  TXSCOPE_NODE(CallStmt, call_stmt, CALL_STMT)
  TXSCOPE_NODE(TransactionStmt, transaction_stmt, TRANSACTION_STMT)
  TXSCOPE_NODE(CreateFunctionStmt, create_function_stmt, CREATE_FUNCTION_STMT)
  TXSCOPE_NODE(FunctionParameter, function_parameter, FUNCTION_PARAMETER)
  TXSCOPE_NODE(CreateTrigStmt, create_trig_stmt, CREATE_TRIG_STMT)
  TXSCOPE_NODE(VariableSetStmt, variable_set_stmt, VARIABLE_SET_STMT)
  TXSCOPE_NODE(VariableShowStmt, variable_show_stmt, VARIABLE_SHOW_STMT)
  TXSCOPE_NODE(RenameStmt, rename_stmt, RENAME_STMT)
  TXSCOPE_NODE(CreatedbStmt, createdb_stmt, CREATEDB_STMT)
  TXSCOPE_NODE(DropdbStmt, dropdb_stmt, DROPDB_STMT)
  TXSCOPE_NODE(GrantStmt, grant_stmt, GRANT_STMT)
  TXSCOPE_NODE(CreateRoleStmt, create_role_stmt, CREATE_ROLE_STMT)
  TXSCOPE_NODE(LockStmt, lock_stmt, LOCK_STMT)
  TXSCOPE_NODE(VacuumStmt, vacuum_stmt, VACUUM_STMT)
  TXSCOPE_NODE(ExplainStmt, explain_stmt, EXPLAIN_STMT)
  TXSCOPE_NODE(PrepareStmt, prepare_stmt, PREPARE_STMT)
  TXSCOPE_NODE(ExecuteStmt, execute_stmt, EXECUTE_STMT)
  TXSCOPE_NODE(SetToDefault, set_to_default, SET_TO_DEFAULT)
  TXSCOPE_NODE(DefElem, def_elem, DEF_ELEM)
  TXSCOPE_NODE(Integer, integer, INTEGER)
  TXSCOPE_NODE(CreateSeqStmt, create_seq_stmt, CREATE_SEQ_STMT)
#undef TXSCOPE_NODE

  // Of expressions, with their places.
  [[nodiscard]] Node* bool_node(PgQuery__BoolExprType kind, const List& args,
                                std::int32_t where);
  [[nodiscard]] Node* op(std::string_view name, Node* a, Node* b,
                         std::int32_t where);
  [[nodiscard]] Node* a_expr(PgQuery__AExprKind kind, std::string_view name,
                             Node* a, Node* b, std::int32_t where);
  [[nodiscard]] Node* negated(Node* value, std::int32_t where);
  [[nodiscard]] Node* text_node(std::string_view value, std::int32_t where);
  [[nodiscard]] Node* number_node(std::string_view digits, std::int32_t where);
  [[nodiscard]] Node* integer_node(std::int32_t value, std::int32_t where);
  [[nodiscard]] Node* null_node(std::int32_t where);
  [[nodiscard]] Node* sub_link(PgQuery__SubLinkType kind, Node* test,
                               Node* query, std::int32_t where);
  [[nodiscard]] Node* call(std::string_view name, const List& args,
                           std::int32_t where);
  [[nodiscard]] Node* cast(Node* value, PgQuery__TypeName* type,
                           std::int32_t where);
  [[nodiscard]] PgQuery__TypeName* type_named(
      std::string_view name, std::int32_t where,
      std::initializer_list<std::int32_t> sizes = {});

 private:
  /// Zeroed.
  [[nodiscard]] void* take(std::size_t size) {
    constexpr std::size_t kBlock = 4096;
    size = (size + 15) / 16 * 16;
    if (size > left_) {
      left_ = std::max(size, kBlock);
      blocks_.push_back(std::make_unique<std::byte[]>(left_));
      next_ = blocks_.back().get();
    }
    void* made = next_;
    next_ += size;
    left_ -= size;
    return made;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace txscope::sql
