#include <algorithm>

#include "base/suggest.h"
#include "model/sql/value/composite.h"
#include "model/sql/walk.h"
#include "read/sql/analyze/analyzer.h"
#include "read/sql/file/left_out.h"
#include "read/sql/file/reader.h"
#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {
namespace {

/// The table that a statement is about.
const PgQuery__RangeVar* table_of(const Node& node) {
  const PgQuery__RangeVar* range = nullptr;
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      range = node.create_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
      range = node.alter_table_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      range = node.index_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_INSERT_STMT:
      range = node.insert_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
      range = node.update_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_DELETE_STMT:
      range = node.delete_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_COPY_STMT:
      range = node.copy_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_RULE_STMT:
      range = node.rule_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_RENAME_STMT:
      range = node.rename_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_VIEW_STMT: range = node.view_stmt->view; break;
    case PG_QUERY__NODE__NODE_MERGE_STMT:
      range = node.merge_stmt->relation;
      break;
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
      range = node.create_table_as_stmt->into->rel;
      break;
    default: break;
  }
  return range;
}

/// Calls `on(RoutineId)` for every call in a query or expression.
template <class On>
void for_each_callee(const Expr& e, const On& on);
template <class On>
void for_each_callee(const Query& q, const On& on) {
  for_each_part(
      q, [&](const Expr& e) { for_each_callee(e, on); },
      [&](const Query& inside) { for_each_callee(inside, on); });
}
template <class On>
void for_each_callee(const Expr& e, const On& on) {
  if (e.op == Op::Function) on(RoutineId(e.index));
  for_each_part(
      e, [&](const Expr& arg) { for_each_callee(arg, on); },
      [&](const Query& q) { for_each_callee(q, on); });
}
/// And in a block.
template <class On>
void for_each_callee(const PlBlock& block, const On& on) {
  const auto in_expr = [&](const Expr& e) { for_each_callee(e, on); };
  for_each_pl(block, [&](const PlStatement& s) {
    if (const auto* call = std::get_if<PlCall>(&s.what)) on(call->routine);
    for_each_part(
        s, in_expr,
        [&](const DbStatement& statement) {
          for_each_part(statement, in_expr,
                        [&](const Query& q) { for_each_callee(q, on); });
        },
        [](const PlBlock&) {});
  });
}

}  // namespace

/// Keeps what cannot be read with the reason.  False: it could mean anything.
bool FileReader::leave_out(const Tree& tree, const Error& why) {
  const Node& node = tree.statement();
  if (const PgQuery__RangeVar* named = table_of(node)) {
    const bool is_new =
        node.node_case == PG_QUERY__NODE__NODE_CREATE_STMT ||
        node.node_case == PG_QUERY__NODE__NODE_VIEW_STMT ||
        node.node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT;
    const std::string table =
        is_new ? catalog_.new_relation(view(named->schemaname),
                                       view(named->relname))
               : catalog_.relation(qualified(*named));
    if (catalog_.broken.emplace(table, why).second) {
      notes_.push_back("'" + table + "' cannot be used: " + why.what +
                       " (line " + std::to_string(why.where.line) + ")");
    }
    if (node.node_case == PG_QUERY__NODE__NODE_CREATE_STMT) {
      guard_parents(tree);
      break_parents(*node.create_stmt, why);
    }
    return true;
  }
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT: {
      const PgQuery__CreateFunctionStmt& create = *node.create_function_stmt;
      add_broken_routine(qualified(list(create.n_funcname, create.funcname)),
                         !create.is_procedure, tree.whole(), why);
      return true;
    }
    case PG_QUERY__NODE__NODE_DO_STMT:
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_CALL_STMT:
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT: {
      std::set<std::size_t> seen;
      break_named_by(source_.text(tree.whole()), why, seen);
      notes_.push_back("left out (line " + std::to_string(tree.whole().line) +
                       "): " + why.what);
      return true;
    }
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT:
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT:
    case PG_QUERY__NODE__NODE_CREATE_RANGE_STMT:
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT:
    case PG_QUERY__NODE__NODE_RENAME_STMT:
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT:
    case PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT:
    case PG_QUERY__NODE__NODE_ALTER_TYPE_STMT:
      notes_.push_back("left out (line " + std::to_string(tree.whole().line) +
                       "): " + why.what);
      return true;
    default: return false;
  }
}

/// A routine of which nothing but its name can be read.
void FileReader::add_broken_routine(const QualifiedName& name, bool is_function,
                                    Span at, const Error& why) {
  Signature signature;
  signature.name = catalog_.new_routine(name.schema, name.name);
  signature.is_function = is_function;
  signature.at = at;
  signature.problem = std::make_shared<const Error>(why);
  if (catalog_.routine(signature.name) != nullptr) {
    // Another of the same name: none of them can be called.
    const RoutineId other = catalog_.routine(signature.name)->id;
    catalog_.routines[other.index].problem = signature.problem;
    return;
  }
  signature.id = RoutineId(texts_.size());
  catalog_.add_routine(signature);
  texts_.emplace_back();
  texts_.back().signature = std::move(signature);
}

/// INHERITS, PARTITION OF: the rows of a child are rows of its parents.
void FileReader::break_parents(const PgQuery__CreateStmt& node,
                               const Error& why) {
  if (node.partbound != nullptr) return;
  for (const Node* item : list(node.n_inh_relations, node.inh_relations)) {
    const std::string parent = catalog_.relation(qualified(*item->range_var));
    if (!catalog_.broken.emplace(parent, why).second) continue;
    notes_.push_back("'" + parent + "' cannot be used: it has a child, and " +
                     why.what + " (line " + std::to_string(why.where.line) +
                     ")");
  }
}

/// Whether rows of the table may come from the file.
SchemaReader::Uses FileReader::uses_in_setup(const PgQuery__RangeVar& table) {
  SchemaReader::Uses uses;
  uses.is_used = !application_.steps.empty();
  bool has_others = uses.is_used;
  const auto id = catalog_.table(catalog_.relation(qualified(table)));
  for (DbStatement& statement : application_.setup) {
    if (!has_word(source_.text(statement.at), view(table.relname))) continue;
    uses.is_used = true;
    auto* insert = std::get_if<Insert>(&statement.what);
    const bool is_plain = insert != nullptr && id &&
                          insert->target.table == *id && !insert->source &&
                          !insert->on_conflict && statement.parts.empty() &&
                          statement.returning.empty();
    has_others |= !is_plain;
    if (is_plain) uses.rows.push_back(insert);
  }
  if (has_others) uses.rows.clear();
  return uses;
}

/// A table that cannot be used may refer to those that its statement names:
/// rows there cannot go away unseen.
void FileReader::guard_parents(const Tree& tree) {
  const std::string_view text = source_.text(tree.whole());
  for (std::uint32_t t = 0; t < catalog_.schema.tables.size(); ++t) {
    const std::string& name = catalog_.schema.tables[t].name;
    if (!has_word(text, catalog_.relation_names.plain(name))) continue;
    Obstacle child;
    child.what = "the child '" +
                 std::string(view(table_of(tree.statement())->relname)) +
                 "', which cannot be used,";
    child.at = tree.whole();
    child.on_insert = false;
    for (const UniqueKey& key : catalog_.schema.tables[t].unique) {
      child.columns.insert(child.columns.end(), key.columns.begin(),
                           key.columns.end());
    }
    catalog_.obstacles[t].push_back(std::move(child));
  }
}

void FileReader::add_view(const std::shared_ptr<const Tree>& tree,
                          const PgQuery__ViewStmt& node) {
  View result;
  result.tree = tree;
  for (const Node* item : list(node.n_aliases, node.aliases)) {
    result.columns.emplace_back(string_of(item));
  }
  result.path = catalog_.path;
  const std::string key = catalog_.new_relation(view(node.view->schemaname),
                                                view(node.view->relname));
  add_row_type(key, result);
  catalog_.views[key] = std::move(result);
}

/// The rows of a view have a type of its name, as those of a table have.
void FileReader::add_row_type(const std::string& key, const View& made) {
  catalog_.types.erase(key);
  try {
    TypeAlias alias;
    alias.fields = Analyzer(*made.tree, catalog_, nullptr).columns_of(made);
    Composite row;
    row.name = key;
    row.fields = alias.fields;
    alias.type = composite_type(std::move(row));
    catalog_.types[key] = std::move(alias);
  } catch (const Failure&) {
    // Whoever names the view is told why it cannot be used.
  }
}

/// One routine per trigger, after all others; one that cannot be read stands
/// in the way of writes to its table.
std::vector<Routine> FileReader::read_triggers() {
  std::vector<Routine> made;
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    made.clear();
    for (std::size_t i = 0; i < catalog_.triggers.size(); ++i) {
      const TriggerText text = catalog_.triggers[i];
      try {
        if (!text.generated.empty()) {
          made.push_back(read_generated(source_, catalog_, text));
          continue;
        }
        const Signature* function = catalog_.routine(text.function);
        if (function == nullptr && is_function_elsewhere(text.function)) {
          catalog_.assumed.insert(
              "triggers of the function " + text.function +
              "(), which this file does not create, are left out");
          catalog_.triggers.erase(catalog_.triggers.begin() +
                                  static_cast<std::ptrdiff_t>(i));
          is_settled = false;
          break;
        }
        if (function == nullptr || !function->is_trigger) {
          source_.unsupported(text.trigger.at,
                              "the trigger function '" + text.function +
                                  "', which this file does not create, is");
        }
        const RoutineText& body = texts_[function->id.index];
        catalog_.path = body.path.value_or(session_path_);
        made.push_back(read_trigger(source_, catalog_, body, text));
        std::set<std::size_t> seen;
        check_callees(made.back().body, seen);
      } catch (Failure& failure) {
        notes_.push_back("cannot run: the trigger " + text.trigger.name + ": " +
                         failure.error.what + " (line " +
                         std::to_string(failure.error.where.line) + ")");
        // Nobody can write to a table that was left out already.
        if (fires_in_setup(text) && !known_left_out_.tables.contains(
                                        catalog_.schema.at(text.table).name)) {
          errors_.push_back(failure.error);
          ++leaving_;
          to_leave_out_.tables.emplace(catalog_.schema.at(text.table).name,
                                       failure.error);
        }
        catalog_.obstacles[text.table.index].push_back(
            obstacle_of(text.trigger, failure.error.what));
        catalog_.triggers.erase(catalog_.triggers.begin() +
                                static_cast<std::ptrdiff_t>(i));
        is_settled = false;
        break;
      }
    }
  }
  return made;
}

/// Created nowhere in the file, and no other has a name that is near.
bool FileReader::is_function_elsewhere(const std::string& name) const {
  std::vector<std::string> known;
  for (const Signature& routine : catalog_.routines)
    known.push_back(routine.name);
  return nearest(name, known).empty();
}

/// Whether rows of the file set it off.
bool FileReader::fires_in_setup(const TriggerText& text) const {
  const auto writes_table = [&](const DbStatement& statement) {
    return std::visit(
        [&](const auto& what) {
          if constexpr (requires { what.target; })
            return what.target.table == text.table;
          else
            return false;
        },
        statement.what);
  };
  const auto& setup = application_.setup;
  const std::size_t since = std::min(text.trigger.since_setup, setup.size());
  return std::any_of(setup.begin() + static_cast<std::ptrdiff_t>(since),
                     setup.end(), writes_table) ||
         std::any_of(application_.steps.begin(), application_.steps.end(),
                     [&](const SetupStep& step) {
                       return step.call && step.before >= since;
                     });
}

void FileReader::check_callees(const PlBlock& block,
                               std::set<std::size_t>& seen) {
  for_each_callee(block, [&](RoutineId callee) {
    const Signature& signature = catalog_.routines[callee.index];
    if (signature.problem != nullptr) throw Failure{*signature.problem, true};
    if (!seen.insert(callee.index).second) return;
    // Bodies are read later; this one is needed now.
    const Routine routine = body_of(callee.index);
    check_callees(routine.body, seen);
  });
}

void FileReader::add_triggers(std::vector<Routine> made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    TriggerText& text = catalog_.triggers[i];
    text.trigger.routine =
        static_cast<std::uint32_t>(application_.routines.size());
    application_.routines.push_back(std::move(made[i]));
    auto& triggers = catalog_.schema.tables[text.table.index].triggers;
    triggers.push_back(text.trigger);
    if (source_.mysql() != nullptr) continue;  // as they were created
    std::sort(
        triggers.begin(), triggers.end(),
        [](const Trigger& a, const Trigger& b) { return a.name < b.name; });
  }
}

void FileReader::read_bodies() {
  // Tables may have got more columns since.
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    settle_row(catalog_, catalog_.routines[i]);
    settle_row(catalog_, texts_[i].signature);
  }
  std::vector<Routine> triggers = read_triggers();
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    Routine routine;
    if (catalog_.routines[i].is_trigger) {
      try {
        source_.fail(catalog_.routines[i].at,
                     "'" + catalog_.routines[i].name +
                         "' is a trigger's function and cannot be called");
      } catch (Failure& failure) {
        catalog_.routines[i].problem =
            std::make_shared<const Error>(std::move(failure.error));
      }
      routine.is_function = true;
      routine.is_block = true;  // no transaction of its own
      routine.name = catalog_.routines[i].name;
      routine.at = catalog_.routines[i].at;
      routine.variables.emplace_back();
    } else if (catalog_.routines[i].problem == nullptr) {
      try {
        routine = body_of(i);
      } catch (Failure& failure) {
        catalog_.routines[i].problem =
            std::make_shared<const Error>(std::move(failure.error));
        routine = Routine();
      }
    }
    if (catalog_.routines[i].problem != nullptr) {
      routine.name = catalog_.routines[i].name;
      routine.at = catalog_.routines[i].at;
      routine.variables.emplace_back();
    }
    application_.routines.push_back(std::move(routine));
  }
  spread_problems();
  for (std::size_t i = 0; i < application_.routines.size(); ++i)
    application_.routines[i].problem = catalog_.routines[i].problem;
  for (const auto& [step, block] : block_steps_) {
    application_.steps[step].call->routine =
        RoutineId(application_.routines.size() + block);
  }
  for (Routine& block : blocks_) {
    try {
      std::set<std::size_t> seen;
      check_callees(block.body, seen);
    } catch (Failure& failure) {
      to_leave_out_.calls.emplace(block.at.offset, failure.error);
      ++leaving_;
      errors_.push_back(std::move(failure.error));
    }
    application_.routines.push_back(std::move(block));
  }
  add_triggers(std::move(triggers));
  for (const SetupStep& step : application_.steps) {
    if (!step.call || step.call->routine.index >= catalog_.routines.size()) {
      continue;
    }
    const Signature& routine = catalog_.routines[step.call->routine.index];
    if (routine.problem == nullptr) continue;
    to_leave_out_.calls.emplace(step.call->at.offset, *routine.problem);
    ++leaving_;
    errors_.push_back(*routine.problem);
  }
}

/// Who calls what cannot run cannot run.
void FileReader::spread_problems() {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      Signature& mine = catalog_.routines[i];
      if (mine.problem != nullptr) continue;
      for_each_callee(application_.routines[i].body, [&](RoutineId callee) {
        const auto& problem = catalog_.routines[callee.index].problem;
        if (problem == nullptr || mine.problem != nullptr) return;
        mine.problem = problem;
        has_changed = true;
      });
    }
  }
}

void FileReader::write_notes() {
  std::vector<std::string>& notes = application_.notes;
  if (psql_.commands > 0) {
    left_out_["psql's own commands"] += static_cast<int>(psql_.commands);
  }
  int count = 0;
  std::string kinds;
  for (const auto& [name, n] : left_out_) {
    count += n;
    kinds += (kinds.empty() ? "" : ", ") + name + " " + std::to_string(n);
  }
  if (count > 0) {
    notes.push_back(
        std::to_string(count) +
        (count == 1 ? " statement that changes" : " statements that change") +
        " no answer left out: " + kinds);
  }
  if (left_out_.contains("CREATE POLICY")) {
    notes.emplace_back("row-level security is not applied");
  }
  for (const std::string& table : catalog_.outside) {
    notes.push_back("foreign keys to " + table +
                    ", which this file does not create, are left out");
  }
  notes.insert(notes.end(), catalog_.assumed.begin(), catalog_.assumed.end());
  notes.insert(notes.end(), notes_.begin(), notes_.end());
  std::size_t running = 0;
  std::size_t all = 0;
  for (const Signature& routine : catalog_.routines) {
    if (routine.is_dropped) continue;
    ++all;
    if (routine.problem == nullptr || routine.is_trigger) ++running;
  }
  if (running == all) return;
  notes.push_back(std::to_string(running) + " of " + std::to_string(all) +
                  " routines can run");
  for (const Signature& routine : catalog_.routines) {
    if (routine.problem == nullptr || routine.is_trigger || routine.is_dropped)
      continue;
    notes.push_back("cannot run: " + routine.name + ": " +
                    routine.problem->what + " (line " +
                    std::to_string(routine.problem->where.line) + ")");
  }
}

}  // namespace txscope::sql
