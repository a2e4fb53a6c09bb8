#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "db/database.h"
#include "db/own_schema.h"
#include "db/record/recorder.h"
#include "exec/sql/process.h"

namespace txscope::cli {

/// Everything a recording needs, from a call's options: the database, our
/// schema in it with its first rows, who does what.  Members go in the opposite
/// order: the schema while its connection lives, the server last.
struct RecordSetup {
  std::unique_ptr<db::Database> database;
  std::unique_ptr<db::Session> control;
  std::optional<db::OwnSchema> schema;
  std::unique_ptr<sql::Application> application;  ///< of SQL workloads
  std::optional<sql::Routines> routines;
  db::RecordPlan plan;
  db::LogHeader header;
  std::function<std::unique_ptr<db::Actor>(std::uint64_t)> make_actor;

  /// A session in our schema, ready to begin transactions.
  [[nodiscard]] Result<std::unique_ptr<db::Session>> connect() const;
  /// Makes the server end one of these sessions, whatever it waits for.
  void end(const db::Session& session) const;
};

[[nodiscard]] Result<std::unique_ptr<RecordSetup>> make_setup(
    const Options& options);

/// The database that --db names, or a private one.
[[nodiscard]] Result<std::unique_ptr<db::Database>> open_database(
    const Options& options);

}  // namespace txscope::cli
