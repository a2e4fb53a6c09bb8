#pragma once

#include <memory>

#include "explore/sql/explore_sql.h"
#include "robust/search.h"

namespace txscope::robust {

/// The same question about the sessions of an application, by rows: a row
/// version is what is read and written, an absent row is a version, too.
struct SqlSearchAnswer {
  std::unique_ptr<explore::SqlExploration> exploration;  ///< names and rows
  SearchAnswer answer;
};

/// An Error is the application's: a setup that fails, a transaction with a
/// level of its own.
[[nodiscard]] Result<SqlSearchAnswer> search_sql(
    const sql::Application& application, const SearchQuestion& question,
    const Budget& budget);

}  // namespace txscope::robust
