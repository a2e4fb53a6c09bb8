#include "db/proxy/mariadb_prepared.h"

#include "db/proxy/mariadb_packet.h"
#include "db/proxy/mariadb_values.h"

namespace txscope::db {

void PreparedStatements::add(std::uint32_t number, std::string sql,
                             std::size_t parameters) {
  statements_[number] = {std::move(sql), parameters, {}, {}};
  last_ = number;
}

const std::string* PreparedStatements::text_of(std::uint32_t number) const {
  const auto found = statements_.find(meant(number));
  return found == statements_.end() ? nullptr : &found->second.sql;
}

void PreparedStatements::add_long_data(std::string_view payload) {
  PacketReader reader(payload.substr(1));
  const auto found =
      statements_.find(meant(static_cast<std::uint32_t>(reader.number(4))));
  const std::size_t parameter = reader.number(2);
  if (found != statements_.end())
    found->second.apart[parameter] += reader.rest();
}

std::optional<PreparedStatements::Run> PreparedStatements::run(
    std::string_view payload) {
  PacketReader reader(payload.substr(1));
  const auto found =
      statements_.find(meant(static_cast<std::uint32_t>(reader.number(4))));
  if (found == statements_.end()) return std::nullopt;
  Statement& statement = found->second;
  Run result{statement.sql, {}, {}};
  if (statement.parameters == 0) return result;
  (void)reader.bytes(1 + 4);  // flags, and how often
  const std::string_view nulls = reader.bytes((statement.parameters + 7) / 8);
  if (reader.number(1) == 1) {
    statement.types.clear();
    for (std::size_t i = 0; i < statement.parameters; ++i)
      statement.types.push_back(static_cast<std::uint16_t>(reader.number(2)));
  }
  for (std::size_t i = 0; i < statement.parameters; ++i) {
    const bool is_null = (byte_at(nulls, i / 8) >> (i % 8) & 1) != 0;
    const auto apart = statement.apart.find(i);
    if (apart != statement.apart.end())
      result.params.emplace_back(apart->second);
    else if (is_null || !reader.is_good() || i >= statement.types.size())
      result.params.emplace_back();
    else
      result.params.emplace_back(value_text(reader, statement.types[i]));
  }
  statement.apart.clear();
  result.types = statement.types;
  return result;
}

}  // namespace txscope::db
