#include "read/sql/shape/tree_shape.h"

#include <algorithm>
#include <optional>
#include <set>

#include "read/sql/shape/tree_walk.h"

namespace txscope::sql {
namespace shape_walk {
namespace {

using Kind = StatementShape::Kind;
using Role = LiteralSlot::Role;

/// What the literals of a part of the tree meet.
struct Meets {
  Role role = Role::Other;
  NamedColumn column;
  std::uint32_t row = 0;
};

template <class Message>
const Message* as(const ProtobufCMessage& message,
                  const ProtobufCMessageDescriptor& type) {
  return message.descriptor == &type
             ? reinterpret_cast<const Message*>(&message)
             : nullptr;
}

bool is_comparison(std::string_view op) {
  return op == "=" || op == "<>" || op == "<" || op == ">" || op == "<=" ||
         op == ">=";
}

class Walk {
 public:
  Walk(const Tree& tree, StatementShape& shape) : tree_(tree), shape_(shape) {}

  std::vector<Cut> run() {
    const Node& node = tree_.statement();
    collect_names(node.base);
    collect(node.base);
    switch (node.node_case) {
      case PG_QUERY__NODE__NODE_SELECT_STMT: select(*node.select_stmt); break;
      case PG_QUERY__NODE__NODE_INSERT_STMT: insert(*node.insert_stmt); break;
      case PG_QUERY__NODE__NODE_UPDATE_STMT: update(*node.update_stmt); break;
      case PG_QUERY__NODE__NODE_DELETE_STMT: remove(*node.delete_stmt); break;
      case PG_QUERY__NODE__NODE_CREATE_STMT:
        shape_.kind = Kind::CreateTable;
        break;
      case PG_QUERY__NODE__NODE_CALL_STMT: shape_.kind = Kind::Calls; break;
      default:
        shape_.kind = Kind::Unreadable;
        shape_.problem = "a statement of this kind is not followed";
        return {};
    }
    std::stable_sort(
        shape_.slots.begin(), shape_.slots.end(),
        [](const auto& a, const auto& b) { return a.offset < b.offset; });
    mark_plain();
    return std::move(cuts_);
  }

 private:
  /// Names that WITH gives: they are no tables.
  void collect_names(const ProtobufCMessage& message) {
    if (const auto* with = as<PgQuery__CommonTableExpr>(
            message, pg_query__common_table_expr__descriptor))
      local_.insert(std::string(view(with->ctename)));
    for_each_inside(message, [&](const auto& inner) { collect_names(inner); });
  }

  /// Tables first: columns are named by them.
  void collect(const ProtobufCMessage& message) {
    if (message.descriptor == &pg_query__sub_link__descriptor ||
        message.descriptor == &pg_query__with_clause__descriptor ||
        message.descriptor == &pg_query__range_subselect__descriptor)
      has_inner_ = true;
    if (const auto* call =
            as<PgQuery__FuncCall>(message, pg_query__func_call__descriptor)) {
      const std::string_view name =
          string_of(call->funcname[call->n_funcname - 1]);
      shape_.has_aggregate = shape_.has_aggregate || call->agg_star ||
                             name == "count" || name == "sum" ||
                             name == "max" || name == "min" || name == "avg";
      has_call_ = true;
    }
    if (const auto* any =
            as<PgQuery__BoolExpr>(message, pg_query__bool_expr__descriptor))
      has_or_ = has_or_ || any->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
    for_each_inside(message, [&](const auto& inner) { collect(inner); });
    if (const auto* table =
            as<PgQuery__RangeVar>(message, pg_query__range_var__descriptor))
      add_table(*table);
  }

  void add_table(const PgQuery__RangeVar& node) {
    TableUse use;
    use.name = view(node.relname);
    if (local_.count(use.name) != 0) return;
    const std::string_view schema = view(node.schemaname);
    if (schema == "information_schema" || schema == "pg_catalog" ||
        use.name.starts_with("pg_"))
      is_catalog_ = true;
    use.alias = node.alias != nullptr ? std::string(view(node.alias->aliasname))
                                      : use.name;
    shape_.tables.push_back(std::move(use));
  }

  void mark_written(const PgQuery__RangeVar* relation) {
    if (relation == nullptr) return;
    for (TableUse& use : shape_.tables)
      if (use.name == view(relation->relname)) {
        use.is_written = true;
        target_ = use.name;
        return;
      }
  }

  void mark_plain() {
    shape_.is_plain =
        shape_.tables.size() == 1 && !has_inner_ && !has_or_ && !has_set_;
    int depth = 0;
    const auto note = [&](std::uint32_t& into, const Token& token) {
      if (into == 0 && depth == 0) into = token.offset;
    };
    for (const Token& token : tree_.tokens()) {
      if (token.is("(")) ++depth;
      if (token.is(")")) --depth;
      if (token.is("from")) note(shape_.from, token);
      if (token.is("conflict")) note(shape_.on_conflict, token);
      if (token.is("returning")) note(shape_.returning, token);
    }
    if (is_catalog_) shape_.kind = Kind::Nothing;
  }

  void select(const PgQuery__SelectStmt& node) {
    shape_.kind = Kind::Selects;
    shape_.returns = true;
    has_set_ = node.op != PG_QUERY__SET_OPERATION__SETOP_NONE ||
               node.n_values_lists > 0;
    if (node.n_locking_clause > 0)
      for (TableUse& use : shape_.tables) use.is_locked = true;
    if (shape_.tables.empty())
      shape_.kind = has_call_ ? Kind::Calls : Kind::Nothing;
    for (const Node* target : list(node.n_target_list, node.target_list)) {
      const auto column = column_of(target->res_target->val);
      if (!column) {
        shape_.targets.clear();
        break;
      }
      shape_.targets.push_back(*column);
    }
    inside(node.base, {});
  }

  void insert(const PgQuery__InsertStmt& node) {
    shape_.kind = Kind::Inserts;
    mark_written(node.relation);
    shape_.returns = node.n_returning_list > 0;
    for (const Node* column : list(node.n_cols, node.cols))
      shape_.writes.push_back(
          {target_, std::string(view(column->res_target->name))});
    const PgQuery__SelectStmt* from =
        node.select_stmt != nullptr ? node.select_stmt->select_stmt : nullptr;
    if (from != nullptr && from->n_values_lists > 0)
      values(*from);
    else if (from != nullptr)
      inside(from->base, {});
    if (node.on_conflict_clause != nullptr)
      assignments(list(node.on_conflict_clause->n_target_list,
                       node.on_conflict_clause->target_list),
                  false);
    has_set_ = has_set_ || node.on_conflict_clause != nullptr;
  }

  void values(const PgQuery__SelectStmt& node) {
    std::uint32_t row = 0;
    std::uint32_t end_of_first = 0;
    for (const Node* one : list(node.n_values_lists, node.values_lists)) {
      const auto items = list(one->list->n_items, one->list->items);
      for (std::size_t i = 0; i < items.size(); ++i) {
        Meets meets{Role::Inserted, {target_, {}}, row};
        if (i < shape_.writes.size()) meets.column = shape_.writes[i];
        const bool is_plain_item = is_literal(*items[i]);
        if (!is_plain_item) meets.role = Role::Computed;
        walk(items[i]->base, meets);
      }
      if (row == 0) end_of_first = last_slot_end();
      ++row;
    }
    if (row > 1) cut_list(end_of_first);
  }

  /// All rows behind the first: from its closing parenthesis to the last one.
  void cut_list(std::uint32_t from) {
    const auto& tokens = tree_.tokens();
    const std::uint32_t last = last_slot_end();
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    for (const Token& token : tokens) {
      if (!token.is(")")) continue;
      if (begin == 0 && token.offset >= from) begin = token.end();
      if (token.offset >= last) {
        end = token.end();
        break;
      }
    }
    if (begin != 0 && end > begin) cuts_.push_back({begin, end});
  }

  [[nodiscard]] std::uint32_t last_slot_end() const {
    std::uint32_t last = 0;
    for (const LiteralSlot& slot : shape_.slots)
      last = std::max(last, slot.offset + slot.length);
    return last;
  }

  void update(const PgQuery__UpdateStmt& node) {
    shape_.kind = Kind::Updates;
    mark_written(node.relation);
    shape_.returns = node.n_returning_list > 0;
    assignments(list(node.n_target_list, node.target_list), true);
    if (node.where_clause != nullptr) walk(node.where_clause->base, {});
    for (const Node* from : list(node.n_from_clause, node.from_clause))
      walk(from->base, {});
  }

  void assignments(NodeList targets, bool counts) {
    for (const Node* target : targets) {
      const PgQuery__ResTarget& set = *target->res_target;
      const NamedColumn column{target_, std::string(view(set.name))};
      if (counts) shape_.writes.push_back(column);
      if (set.val == nullptr) continue;
      walk(set.val->base,
           {is_literal(*set.val) ? Role::Assigned : Role::Computed, column, 0});
    }
  }

  void remove(const PgQuery__DeleteStmt& node) {
    shape_.kind = Kind::Deletes;
    mark_written(node.relation);
    shape_.returns = node.n_returning_list > 0;
    if (node.where_clause != nullptr) walk(node.where_clause->base, {});
    for (const Node* from : list(node.n_using_clause, node.using_clause))
      walk(from->base, {});
  }

  static bool is_literal(const Node& node) {
    if (node.node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
      return is_literal(*node.type_cast->arg);
    return node.node_case == PG_QUERY__NODE__NODE_A_CONST ||
           node.node_case == PG_QUERY__NODE__NODE_PARAM_REF;
  }

  [[nodiscard]] std::optional<NamedColumn> column_of(const Node* node) const {
    if (node == nullptr) return std::nullopt;
    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
      return column_of(node->type_cast->arg);
    if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return std::nullopt;
    return column_of(*node->column_ref);
  }
  [[nodiscard]] NamedColumn column_of(const PgQuery__ColumnRef& ref) const {
    const auto fields = list(ref.n_fields, ref.fields);
    NamedColumn column;
    const Node* last = fields.back();
    column.column = last->node_case == PG_QUERY__NODE__NODE_A_STAR
                        ? "*"
                        : std::string(string_of(last));
    if (fields.size() > 1) {
      const std::string_view alias = string_of(fields[fields.size() - 2]);
      for (const TableUse& use : shape_.tables)
        if (use.alias == alias || use.name == alias) column.table = use.name;
    } else if (shape_.tables.size() == 1) {
      column.table = shape_.tables[0].name;
    }
    return column;
  }

  void inside(const ProtobufCMessage& message, const Meets& meets) {
    for_each_inside(message, [&](const auto& inner) { walk(inner, meets); });
  }

  void walk(const ProtobufCMessage& message, const Meets& meets) {
    if (const auto* one =
            as<PgQuery__AConst>(message, pg_query__a__const__descriptor)) {
      literal(*one, meets);
    } else if (const auto* parameter = as<PgQuery__ParamRef>(
                   message, pg_query__param_ref__descriptor)) {
      unknown(*parameter, meets);
    } else if (const auto* ref = as<PgQuery__ColumnRef>(
                   message, pg_query__column_ref__descriptor)) {
      shape_.reads.push_back(column_of(*ref));
    } else if (const auto* expression =
                   as<PgQuery__AExpr>(message, pg_query__a__expr__descriptor)) {
      comparison(*expression, meets);
    } else if (const auto* choice = as<PgQuery__CaseExpr>(
                   message, pg_query__case_expr__descriptor)) {
      cases(*choice, meets);
    } else if (message.descriptor == &pg_query__type_name__descriptor) {
      return;  // varchar(20) has literals, too
    } else if (const auto* sub = as<PgQuery__SelectStmt>(
                   message, pg_query__select_stmt__descriptor)) {
      if (sub->n_locking_clause > 0)
        for (TableUse& use : shape_.tables) use.is_locked = true;
      inside(message, {});
    } else {
      inside(message, meets);
    }
  }

  /// CASE id WHEN 5 THEN ..: the literal meets the column, but asks nothing of
  /// the row.
  void cases(const PgQuery__CaseExpr& node, const Meets& around) {
    const auto column = column_of(node.arg);
    if (!column) {
      inside(node.base, around);
      return;
    }
    shape_.reads.push_back(*column);
    for (const Node* one : list(node.n_args, node.args)) {
      walk(one->case_when->expr->base, {Role::Other, *column, 0});
      walk(one->case_when->result->base, around);
    }
    if (node.defresult != nullptr) walk(node.defresult->base, around);
  }

  void comparison(const PgQuery__AExpr& node, const Meets& around) {
    const std::string_view op =
        node.n_name > 0 ? string_of(node.name[node.n_name - 1]) : "";
    const bool is_in = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_IN;
    const auto left = column_of(node.lexpr);
    const auto right = column_of(node.rexpr);
    Meets meets = around;
    if (left && right && op == "=") shape_.joins.emplace_back(*left, *right);
    const bool compares =
        is_in || is_comparison(op) ||
        node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN ||
        node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT;
    if (compares && left.has_value() != right.has_value()) {
      meets.role = op == "=" ? Role::Equals : Role::Compared;
      meets.column = left ? *left : *right;
    }
    const std::size_t before = shape_.slots.size();
    for (const Node* side : {node.lexpr, node.rexpr})
      if (side != nullptr) walk(side->base, meets);
    if (is_in && node.rexpr->node_case == PG_QUERY__NODE__NODE_LIST &&
        shape_.slots.size() > before + 1)
      cuts_.push_back({slot_end(before), last_slot_end()});
  }
  [[nodiscard]] std::uint32_t slot_end(std::size_t i) const {
    return shape_.slots[i].offset + shape_.slots[i].length;
  }

  LiteralSlot* slot_at(std::int32_t location, const Meets& meets) {
    const Token* token = tree_.token(location);
    if (token == nullptr) return nullptr;
    LiteralSlot slot;
    slot.offset = token->offset;
    slot.length = token->length;
    if (token->is("-") || token->is("+")) {  // of a number
      const std::size_t next = token_at(tree_.tokens(), token->end());
      if (next < tree_.tokens().size())
        slot.length = tree_.tokens()[next].end() - slot.offset;
    }
    slot.role = meets.role;
    slot.column = meets.column;
    slot.row = meets.row;
    shape_.slots.push_back(std::move(slot));
    return &shape_.slots.back();
  }

  void literal(const PgQuery__AConst& node, const Meets& meets) {
    LiteralSlot* slot = slot_at(node.location, meets);
    if (slot == nullptr) return;
    slot->is_null = node.isnull;
    if (node.isnull) return;
    switch (node.val_case) {
      case PG_QUERY__A__CONST__VAL_SVAL:
        slot->value = view(node.sval->sval);
        slot->is_text = true;
        break;
      case PG_QUERY__A__CONST__VAL_IVAL:
        slot->value = std::to_string(node.ival->ival);
        break;
      case PG_QUERY__A__CONST__VAL_FVAL:
        slot->value = view(node.fval->fval);
        break;
      case PG_QUERY__A__CONST__VAL_BOOLVAL:
        slot->value = node.boolval->boolval ? "true" : "false";
        break;
      default: shape_.slots.pop_back(); break;
    }
  }

  void unknown(const PgQuery__ParamRef& node, const Meets& meets) {
    if (LiteralSlot* slot = slot_at(node.location, meets))
      slot->is_unknown = true;
  }

  const Tree& tree_;
  StatementShape& shape_;
  std::set<std::string> local_;  ///< names of WITH
  std::string target_;
  std::vector<Cut> cuts_;
  bool has_inner_ = false;
  bool has_or_ = false;
  bool has_set_ = false;  ///< UNION, VALUES, ON CONFLICT
  bool has_call_ = false;
  bool is_catalog_ = false;
};

}  // namespace
}  // namespace shape_walk

std::vector<Cut> read_tree(const Tree& tree, StatementShape& shape) {
  return shape_walk::Walk(tree, shape).run();
}

}  // namespace txscope::sql
