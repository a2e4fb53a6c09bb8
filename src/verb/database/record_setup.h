#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "db/database.h"
#include "db/own_database.h"
#include "db/record/recorder.h"
#include "exec/sql/routine/process.h"
#include "txscope/record.h"

namespace txscope::verb {

/// Everything a recording needs, from a call's options: the server, a database
/// of our own on it with its first rows, who does what.  Members go in the
/// opposite order: the database when nobody is in it, the server last.
struct RecordSetup {
  std::unique_ptr<db::Database> database;
  std::optional<db::OwnDatabase> own;
  std::unique_ptr<db::Session> control;           ///< in `own`
  std::unique_ptr<sql::Application> application;  ///< of SQL workloads
  std::optional<sql::Routines> routines;
  db::RecordPlan plan;
  db::LogHeader header;
  std::function<std::unique_ptr<db::Actor>(std::uint64_t)> make_actor;

  /// A session in our database, ready to begin transactions.
  [[nodiscard]] Result<std::unique_ptr<db::Session>> connect() const;
  /// Makes the server end one of these sessions, whatever it waits for.
  void end(const db::Session& session) const;
};

[[nodiscard]] Result<std::unique_ptr<RecordSetup>> make_setup(
    const RecordRequest& request);

/// The log's first line.
[[nodiscard]] Result<Done> write_header(db::LogHeader header,
                                        const db::Redactor* redactor,
                                        db::LineFile& file);

/// What a recording means that ended with a summary or an error; one in which
/// nothing committed is one of nothing.
[[nodiscard]] Result<Report> report_of(const Result<std::string>& summary,
                                       std::uint64_t committed,
                                       const db::LineFile& file);

/// The database that --db names, or a private one.
[[nodiscard]] Result<std::unique_ptr<db::Database>> open_database(
    const RecordRequest& request);

}  // namespace txscope::verb
