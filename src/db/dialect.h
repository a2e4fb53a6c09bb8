#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/product.h"
#include "model/sql/application.h"

namespace txscope::db {

/// A value as a literal that the product reads back as the same one.
[[nodiscard]] std::string literal(const sql::Value& value, Product product);

/// A name in the product's quotes.
[[nodiscard]] std::string quoted(std::string_view name, Product product);

/// A statement as the product understands it.  What MariaDB and SQLite do not
/// have (UPDATE ... RETURNING, casts with ::) stays as it is, and fails there.
[[nodiscard]] std::string statement_text(const sql::Application& application,
                                         const sql::DbStatement& statement,
                                         std::span<const sql::Value> slots,
                                         std::uint64_t max_rows,
                                         Product product);

/// Statements that make the application's tables on a product and fill them.
[[nodiscard]] std::vector<std::string> load_texts(
    const sql::Application& application, Product product);

/// The kinds of the columns that a statement gives.
[[nodiscard]] std::vector<sql::Kind> result_kinds(
    const sql::DbStatement& statement);

}  // namespace txscope::db
