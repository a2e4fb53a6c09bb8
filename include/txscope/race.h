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
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/race.h"  // IWYU pragma: export
