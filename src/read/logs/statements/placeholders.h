#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::logs {

/// Values that a statement was sent with, as SQL literals; an empty text is a
/// value that the log does not tell.
struct SentValues {
  std::vector<std::string> by_place;
  std::map<std::string, std::string> by_name;
};

/// The statement with its values in place of $1, ?, %s, %(name)s and :name.
/// Where the value is not known $n stays, with a number of its own.  Quoted
/// texts are left alone, `??`, `?|` and `::` as well.
[[nodiscard]] std::string filled(std::string_view text,
                                 const SentValues& values);

/// Of what Python shows: (1, 'it', None, Decimal('2.5')) or {'id_1': 1}; of a
/// list of such the first.
[[nodiscard]] SentValues python_values(std::string_view text);
/// Of what Rails shows: [["id", 1], ["name", "x"]].
[[nodiscard]] SentValues ruby_binds(std::string_view text);
/// Of what PostgreSQL shows: $1 = '6', $2 = NULL.
[[nodiscard]] SentValues postgres_parameters(std::string_view text);

}  // namespace txscope::logs
