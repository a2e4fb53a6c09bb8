#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/product/product.h"
#include "model/sql/application.h"

namespace txscope::db {

/// A value as a literal that the product reads back as the same one.
[[nodiscard]] std::string literal(const sql::Value& value, Product product);

/// A name in the product's quotes.
[[nodiscard]] std::string quoted(std::string_view name, Product product);

/// A statement as the product understands it.  What MariaDB and SQLite do not
/// have (UPDATE ... RETURNING, casts with ::) stays as it is, and fails there;
/// schemas before the names of tables go.
[[nodiscard]] std::string statement_text(const sql::Application& application,
                                         const sql::DbStatement& statement,
                                         std::span<const sql::Value> slots,
                                         std::uint64_t max_rows,
                                         Product product);

/// A statement that has its values already, in PostgreSQL's words, in the
/// product's: without schemas before names, locks by their other names.
[[nodiscard]] std::string in_dialect(const sql::Application& application,
                                     std::string text, Product product);

/// Statements that make the application's tables on a product and fill them.
[[nodiscard]] std::vector<std::string> load_texts(
    const sql::Application& application, Product product);

/// Whether the tables can be told apart where there are no schemas.
[[nodiscard]] Result<Done> check_names(const sql::Application& application,
                                       Product product);

/// The kinds of the columns that a statement gives.
[[nodiscard]] std::vector<sql::Kind> result_kinds(
    const sql::DbStatement& statement);

}  // namespace txscope::db
