#pragma once

/// What can real requests do to each other on a real database?  Needs the
/// programs of a PostgreSQL server.
///
///     #include <txscope/race.h>
///     using namespace txscope;
///
///     verb::RaceRequest request;
///     request.db = "postgresql:///shop";
///     request.requests = {"buy: python3 app.py buy 1"};
///     request.times = 2;
///     request.rules = {"not oversold: (SELECT count(*) FROM orders) <= 3"};
///     auto report = verb::race(request, Budget::unlimited());
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// What can real requests do to each other on a real database?
struct RaceRequest {
  std::string input;  ///< a case.json; empty: `db` and `requests` say it
  /// The database: every run begins with a copy of it.  It may come from
  /// TXSCOPE_DB.
  std::string db;
  /// Work on that database itself, and restore its contents.
  bool in_place = false;
  std::vector<std::string> requests;  ///< "name: command", for sh -c
  std::string serve;  ///< starts the application's server, for sh -c
  std::string reset;  ///< restores the initial state of a run, for sh -c
  /// "NAME=VALUE", for all of them; in the value {host}, {port}, {database},
  /// {user} and {url} stand for the address of the database.
  std::vector<std::string> environment;
  std::vector<std::string> rules;    ///< "name: condition in SQL"
  std::vector<std::string> ignored;  ///< "table.column"
  std::vector<std::string> gave_up;  ///< regular expressions
  std::uint64_t times = 1;           ///< how often each request runs
  bool no_reduction = false;
  bool repairs = true;          ///< try possible fixes
  std::uint64_t schedules = 0;  ///< at most; 0: all
  std::uint64_t jobs = 0;       ///< runs at a time; 0: by the processors
  double request_timeout =
      30;  ///< seconds without progress after which it hangs
  Listener listener;
};
[[nodiscard]] Result<Report> race(const RaceRequest& request,
                                  const Budget& budget);

}  // namespace txscope::verb
