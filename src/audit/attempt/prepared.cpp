#include "audit/attempt/prepared.h"

#include <algorithm>
#include <utility>

#include "analysis/footprint.h"
#include "audit/attempt/ties.h"
#include "base/ascii.h"
#include "exec/sql/query/facts.h"
#include "model/sql/parts.h"
#include "model/sql/walk.h"

namespace txscope::audit {
namespace {

sql::DbStatement& statement_of(sql::Routine& routine) {
  return std::get<sql::PlExecute>(routine.body.front().what).statement;
}

std::shared_ptr<const sql::Query> with_keys(const sql::Query& query) {
  auto full = std::make_shared<sql::Query>(query);
  full->limit.reset();
  full->offset.reset();
  for (const sql::SortKey& key : query.order_by)
    full->targets.push_back({"", key.expr});
  return full;
}

/// Of a SELECT, the routine that runs it in full.
std::optional<sql::Routine> in_full(const sql::Routine& routine) {
  sql::Routine other = routine;
  sql::DbStatement& statement = statement_of(other);
  const auto* select = std::get_if<sql::Select>(&statement.what);
  if (select == nullptr) return std::nullopt;
  statement.what = sql::Select(with_keys(**select));
  return other;
}

bool has_query(const std::optional<sql::Expr>& e) {
  return e && sql::facts_of(*e).has_query;
}

bool asks_tables(const sql::Application& application,
                 const sql::DbStatement& statement) {
  const auto print = analysis::footprint_of(application, statement);
  const auto any = [](const std::vector<bool>& flags) {
    return std::find(flags.begin(), flags.end(), true) != flags.end();
  };
  return any(print.reads) || any(print.writes) || any(print.draws) ||
         print.remembers;
}

bool names_one_table(const sql::Select& select) {
  const sql::Query& q = *select;
  const auto is_plain = [](const sql::Target& target) {
    return !sql::facts_of(target.expr).has_query;
  };
  return q.relations.size() == 1 && q.relations[0].query == nullptr &&
         !has_query(q.where) && !has_query(q.having) &&
         std::all_of(q.targets.begin(), q.targets.end(), is_plain) &&
         std::all_of(q.windows.begin(), q.windows.end(),
                     [](const auto& call) {
                       bool is_plain_call = true;
                       for_each_part(call, [&](const sql::Expr& e) {
                         is_plain_call &= !sql::facts_of(e).has_query;
                       });
                       return is_plain_call;
                     }) &&
         std::all_of(q.aggregates.begin(), q.aggregates.end(),
                     [](const auto& a) { return !has_query(a.argument); });
}
bool names_one_table(const sql::Insert& insert) {
  return insert.source == nullptr &&
         std::all_of(insert.rows.begin(), insert.rows.end(),
                     [](const auto& row) {
                       return std::none_of(row.begin(), row.end(), has_query);
                     });
}
bool names_one_table(const sql::Update& update) {
  return !has_query(update.where) &&
         std::none_of(update.set.begin(), update.set.end(),
                      [](const auto& set) { return has_query(set.value); });
}
bool names_one_table(const sql::Delete& remove) {
  return !has_query(remove.where);
}

bool names_one_table(const sql::Merge&) { return false; }

bool names_one_table(const sql::DbStatement& statement) {
  return std::visit([](const auto& what) { return names_one_table(what); },
                    statement.what);
}
/// Each statement of each routine.
bool name_one_table(const sql::Application& application) {
  bool all = true;
  for (const sql::Routine& routine : application.routines)
    sql::for_each_statement(routine.body, [&](const sql::DbStatement& s) {
      all &= names_one_table(s);
    });
  return all;
}

bool is_truncate(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  return begin != std::string::npos &&
         ascii::is_same(std::string_view(text).substr(begin, 8), "truncate");
}

/// Whether there is a reason, which is noted.
bool refuses(Prepared& prepared, const std::string& why) {
  if (why.empty()) return false;
  prepared.kind = sql::ReadStatement::Kind::Unsupported;
  prepared.error.what = why + " is not supported";
  prepared.error.hint = "add the primary key to ORDER BY";
  return true;
}

std::shared_ptr<Prepared> prepare(sql::ReadStatement read) {
  auto prepared = std::make_shared<Prepared>();
  prepared->kind = read.kind;
  prepared->is_timed = read.is_timed;
  prepared->hides_answer = read.hides_answer;
  prepared->name = std::move(read.name);
  prepared->error = std::move(read.error);
  if (!prepared->is_sql()) return prepared;
  prepared->application =
      std::make_unique<sql::Application>(std::move(read.application));
  sql::Application& application = *prepared->application;
  prepared->parameters = application.routines.front().parameters;
  sql::DbStatement& statement = statement_of(application.routines.front());
  if (refuses(*prepared, depends_on_ties(application.schema, statement)))
    return prepared;
  // As a statement of its own it gets a plan, too.
  if (auto full = in_full(application.routines.front())) {
    prepared->columns = std::get<sql::Select>(statement.what)->targets.size();
    application.routines.push_back(std::move(*full));
    prepared->full = &statement_of(application.routines.back());
  }
  prepared->statement = &statement_of(application.routines.front());
  prepared->scans_once = names_one_table(*prepared->statement);
  prepared->writes = !prepared->is_select();
  if (prepared->is_select() && !prepared->scans_once)
    prepared->asks_tables = asks_tables(application, *prepared->statement);
  sql::number_parts(application);
  prepared->routines = std::make_shared<const sql::Routines>(application);
  return prepared;
}

}  // namespace

namespace {

/// A statement that fires triggers, beside the routines that these are, or one
/// of several parts.
std::shared_ptr<Prepared> with_triggers(sql::ReadStatement read) {
  auto prepared = std::make_shared<Prepared>();
  prepared->kind = read.kind;
  prepared->is_timed = read.is_timed;
  prepared->hides_answer = read.hides_answer;
  sql::Routine& routine = read.application.routines.front();
  prepared->parameters = routine.parameters;
  auto all = std::make_unique<sql::Application>(*read.program);
  for (const sql::Routine& any : all->routines)
    for_each_statement(any.body, [&](const sql::DbStatement& statement) {
      (void)refuses(*prepared, depends_on_ties(all->schema, statement));
    });
  if (refuses(*prepared, depends_on_ties(all->schema, statement_of(routine))))
    return prepared;
  auto full = in_full(routine);
  all->routines.push_back(std::move(routine));
  const std::size_t number = all->routines.size() - 1;
  if (full) all->routines.push_back(std::move(*full));
  sql::number_parts(*all);
  prepared->scans_once = name_one_table(*all);
  prepared->writes = true;
  prepared->statement = &statement_of(all->routines[number]);
  if (full) {
    prepared->full = &statement_of(all->routines.back());
    prepared->columns =
        std::get<sql::Select>(prepared->statement->what)->targets.size();
  }
  prepared->routines = std::make_shared<const sql::Routines>(*all);
  prepared->application = std::move(all);
  return prepared;
}

}  // namespace

std::shared_ptr<Prepared> PreparedStatements::call(sql::ReadStatement read) {
  if (!read.application.routines.empty()) return with_triggers(std::move(read));
  if (program_ != read.program) {
    program_ = read.program;
    routines_ = std::make_shared<const sql::Routines>(*program_);
  }
  auto prepared = std::make_shared<Prepared>();
  prepared->kind = read.kind;
  prepared->is_timed = read.is_timed;
  prepared->hides_answer = read.hides_answer;
  prepared->application =
      std::make_unique<sql::Application>(std::move(read.application));
  prepared->routines = routines_;
  prepared->scans_once = name_one_table(*program_);
  const auto print = analysis::footprint_of(*program_, read.routine);
  prepared->writes = std::find(print.writes.begin(), print.writes.end(),
                               true) != print.writes.end();
  prepared->routine = read.routine;
  prepared->arguments = std::move(read.arguments);
  prepared->columns = 1;
  for_each_statement(
      program_->at(read.routine).body, [&](const sql::DbStatement& statement) {
        (void)refuses(*prepared, depends_on_ties(program_->schema, statement));
      });
  return prepared;
}

PreparedPtr PreparedStatements::at(const std::string& sql) {
  const auto found = known_.find(sql);
  if (found != known_.end()) return found->second;
  if (known_.size() >= most_) {
    std::erase_if(known_,
                  [](const auto& one) { return one.second.use_count() == 1; });
    most_ = std::max(kFewest, 2 * known_.size());
  }
  sql::ReadStatement read = read_(sql);
  auto made = read.kind == sql::ReadStatement::Kind::Call
                  ? call(std::move(read))
                  : prepare(std::move(read));
  made->is_truncate = made->runs() && is_truncate(sql);
  if (dialect_ == sql::Dialect::Mariadb && made->statement != nullptr)
    if (const auto* insert = std::get_if<sql::Insert>(&made->statement->what))
      made->is_mysql = insert->on_conflict.has_value();
  return known_.emplace(sql, std::move(made)).first->second;
}

}  // namespace txscope::audit
