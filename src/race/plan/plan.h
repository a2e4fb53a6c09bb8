#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/product/product.h"
#include "race/wire/flight.h"

namespace txscope::race {

/// What one user of the application does: a command line.
struct Request {
  std::string name;
  std::vector<std::string> command;
};

/// "table.column"
using ColumnName = std::string;

/// What shall be raced.
struct Plan {
  Product product = Product::PostgreSql;
  std::vector<Request> requests;
  std::string directory;  ///< where the commands run; empty: here
  std::vector<std::pair<std::string, std::string>> environment;
  std::string password;  ///< where no copy but the database itself is used
  /// Name and SQL condition, asked when all requests have ended.
  std::vector<std::pair<std::string, std::string>> rules;
  /// Columns that do not count when states are compared.
  std::vector<ColumnName> ignored;
  /// A reference to a generated id, and what it refers to.
  std::map<ColumnName, ColumnName> followed;
  /// Regular expressions for the beginning of a printed line: the request says
  /// that it did nothing and may be tried again.
  std::vector<std::string> gave_up;
  /// A server of the application, started once, which keeps its connections
  /// open between runs; empty: each request has its own.
  std::vector<std::string> serve;
  /// Makes the beginning again, by a command; empty: we do.
  std::vector<std::string> reset;
  /// Ids that the database generates, and what differs when the same order
  /// runs twice, are found and left out by themselves.
  bool recognises = false;
  /// What is tried instead of what the requests send: statements, and the
  /// level of transactions that ask for none.
  Rewrites rewrites;
  std::string isolation;
};

}  // namespace txscope::race
