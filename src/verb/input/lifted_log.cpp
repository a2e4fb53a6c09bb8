#include "verb/input/lifted_log.h"

#include <array>

#include "base/file.h"
#include "exec/sql/memory/database.h"
#include "model/product/profile.h"
#include "read/logs/statements/statement_log.h"
#include "read/sql/text/dialect.h"
#include "verb/input/joined_sql.h"

namespace txscope::verb {
namespace {

std::string_view product_of(sql::Dialect dialect) {
  switch (dialect) {
    case sql::Dialect::Postgresql: return name(Product::PostgreSql);
    case sql::Dialect::Mariadb: return name(Product::MariaDb);
    case sql::Dialect::Sqlite: return name(Product::Sqlite);
  }
  return name(Product::PostgreSql);
}

/// The level that the log's own transactions ask for, else the product's own.
std::string level_of_log(const sql::StatementLog& log,
                         const std::string& asked) {
  const std::string product(product_of(log.dialect));
  for (const std::string& wish : {product + ":" + asked, log.level})
    if (parse_profile(wish)) return wish;
  for (const Profile& profile : profiles())
    if (profile.is_default && profile.name.starts_with(product))
      return std::string(profile.name);
  return product;
}

/// Whether the rows that were made up can be inserted.
bool has_sound_setup(const sql::Application& application,
                     const Budget& budget) {
  const sql::Routines routines(application);
  const auto started = sql::MemoryDatabase::after_setup(routines, budget);
  return std::holds_alternative<sql::MemoryDatabase>(started);
}

}  // namespace

Result<LiftedLog> lifted_log(const LogRequest& request,
                             const std::vector<std::string>& schema,
                             const Budget& budget) {
  auto input = read::Input::open(request.file);
  if (!input) return input.error();
  input->set_budget(&budget);
  auto log = logs::read_statement_log(std::move(*input), request.format);
  if (!log) return log.error();
  lift::LiftOptions options;
  options.name =
      request.emit.empty() ? request.file + " (lifted)" : request.emit;
  options.runs.gap = static_cast<std::int64_t>(request.gap_seconds * 1e6);
  options.runs.one_user = request.one_user;
  options.ignored.insert(request.without.begin(), request.without.end());
  options.whole_requests = request.whole_requests;
  if (!schema.empty()) {
    auto script = joined_sql(schema);
    if (!script) return script.error();
    options.schema_text = std::move(script->text);
  } else {
    for (const std::string& text : log->setup)
      options.schema_text += sql::in_our_dialect(text, log->dialect) + ";\n";
  }
  auto lifted = lift::lift(*log, options, budget);
  if (!lifted) return lifted.error();
  if (!has_sound_setup(lifted->application, budget)) {
    options.with_rows = false;
    lifted = lift::lift(*log, options, budget);
    if (!lifted) return lifted.error();
  }
  if (!request.emit.empty()) {
    const auto written = write_file_atomically(request.emit, lifted->text);
    if (!written) return written.error();
  }
  LiftedLog out;
  out.level = level_of_log(*log, lifted->level);
  out.lifted = std::move(*lifted);
  return out;
}

}  // namespace txscope::verb
