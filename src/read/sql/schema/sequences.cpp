// Sequences, and the defaults that take numbers from them.

#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {
namespace {

std::string last_name(std::size_t n, Node** names) {
  return n == 0 ? std::string() : std::string(string_of(names[n - 1]));
}

const Node& without_casts(const Node& node) {
  const Node* at = &node;
  while (at->node_case == PG_QUERY__NODE__NODE_TYPE_CAST) {
    at = at->type_cast->arg;
  }
  return *at;
}

std::string_view text_of(const Node& node) {
  const Node& at = without_casts(node);
  const bool is_text = at.node_case == PG_QUERY__NODE__NODE_A_CONST &&
                       at.a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  return is_text ? view(at.a_const->sval->sval) : std::string_view();
}

}  // namespace

std::optional<QualifiedName> sequence_named(const Node& value) {
  const Node& node = without_casts(value);
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return std::nullopt;
  return sequence_argument(*node.func_call);
}

std::optional<QualifiedName> sequence_argument(const PgQuery__FuncCall& call) {
  if (call.n_args == 0) return std::nullopt;
  const std::string_view text = text_of(*call.args[0]);
  if (text.empty()) return std::nullopt;
  return qualified(text);
}

/// nextval('sequence') and gen_random_uuid() as a default: a sequence of the
/// column.
bool SchemaReader::add_generator(const Node& value, std::uint32_t column) {
  const Node& node = without_casts(value);
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return false;
  const PgQuery__FuncCall& call = *node.func_call;
  const std::string name = last_name(call.n_funcname, call.funcname);
  if (catalog_.routine(name) != nullptr) return false;
  Column& into = table_.columns[column];
  if (name == "nextval") {
    const auto wanted = sequence_named(node);
    if (!wanted) return false;
    const auto found = catalog_.sequence_ids.find(catalog_.relation(*wanted));
    if (found == catalog_.sequence_ids.end()) {
      source_.fail(tree_.at(call.location),
                   "unknown sequence '" + wanted->name + "'");
    }
    into.sequence = found->second;
    return true;
  }
  const bool is_plain = node.node_case == value.node_case;
  if (!makes_uuid(name) || !is_plain || !catalog_.fresh ||
      into.type.name != TypeName::Uuid) {
    return false;
  }
  into.sequence = catalog_.fresh;
  return true;
}

void SchemaReader::create_sequence(const PgQuery__CreateSeqStmt& node) {
  Sequence sequence;
  sequence.name = catalog_.new_relation(view(node.sequence->schemaname),
                                        view(node.sequence->relname));
  if (catalog_.sequence_ids.contains(sequence.name)) {
    if (node.if_not_exists) return;
    source_.there_already(tree_.whole(),
                          "sequence '" + sequence.name + "' is created twice");
  }
  bool is_odd = false;
  for (const Node* item : list(node.n_options, node.options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name = view(option.defname);
    if (option.arg == nullptr ||
        option.arg->node_case != PG_QUERY__NODE__NODE_INTEGER) {
      continue;
    }
    if (name == "start") sequence.start = option.arg->integer->ival;
    if (name == "increment") sequence.increment = option.arg->integer->ival;
    is_odd |= name == "maxvalue" && option.arg->integer->ival < kFewNumbers;
  }
  if (sequence.start < 1 || sequence.increment < 1 || is_odd) {
    source_.unsupported(tree_.whole(),
                        "a sequence that starts below 1, descends or has few "
                        "numbers is");
  }
  catalog_.sequence_ids[sequence.name] =
      static_cast<std::uint32_t>(catalog_.schema.sequences.size());
  catalog_.schema.sequences.push_back(std::move(sequence));
}

}  // namespace txscope::sql
