#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace txscope::sql {

/// What a migration tool makes of a file before a database sees it, as long as
/// the text was: the part that takes a version back (`-- +goose Down` and its
/// like) is blank, and where it would fill in a name of its settings
/// (`${name}`, `{{ name }}`, `:NAME`) a name stands.  `is_set`: variables that
/// psql knows, which it fills in itself.
void as_migrated(std::string& text,
                 const std::function<bool(std::string_view)>& is_set);

}  // namespace txscope::sql
