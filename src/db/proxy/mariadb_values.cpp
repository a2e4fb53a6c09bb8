#include "db/proxy/mariadb_values.h"

#include <fmt/format.h>
#include <bit>

namespace txscope::db {
namespace {

std::string date_text(PacketReader reader) {
  const std::uint64_t year = reader.number(2);
  const std::uint64_t month = reader.number(1);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", year, month, reader.number(1));
  if (reader.is_empty()) return text;
  const std::uint64_t hour = reader.number(1);
  const std::uint64_t minute = reader.number(1);
  text += fmt::format(" {:02}:{:02}:{:02}", hour, minute, reader.number(1));
  if (!reader.is_empty()) text += fmt::format(".{:06}", reader.number(4));
  return text;
}

std::string signed_text(std::uint64_t value, std::size_t size,
                        bool is_unsigned) {
  if (is_unsigned) return std::to_string(value);
  const std::size_t shift = 64 - 8 * size;
  return std::to_string(static_cast<std::int64_t>(value << shift) >>
                        static_cast<std::int64_t>(shift));
}

std::string time_text(PacketReader reader) {
  const bool is_negative = reader.number(1) == 1;
  const std::uint64_t hours = reader.number(4) * 24 + reader.number(1);
  const std::uint64_t minute = reader.number(1);
  std::string text = fmt::format("{}{:02}:{:02}:{:02}", is_negative ? "-" : "",
                                 hours, minute, reader.number(1));
  if (!reader.is_empty()) text += fmt::format(".{:06}", reader.number(4));
  return text;
}

/// The binary form leaves out what is 0; the text does not.
void fill_up(std::string& text, const ColumnDefinition& column) {
  const bool is_moment = column.type == 0x07 || column.type == 0x0C;
  if (is_moment && text.size() == 10) text += " 00:00:00";
  if ((!is_moment && column.type != 0x0B) || column.decimals > 6) return;
  const std::size_t point = text.find('.');
  if (point != std::string::npos) text.resize(point + 1 + 6, '0');
  if (point == std::string::npos && column.decimals > 0) text += ".000000";
  const std::size_t at = text.find('.');
  if (at != std::string::npos)
    text.resize(column.decimals == 0 ? at : at + 1 + column.decimals);
}

}  // namespace

std::string value_text(PacketReader& reader, std::uint16_t type) {
  const bool is_unsigned = (type & 0x8000) != 0;
  switch (type & 0xFF) {
    case 0x01: return signed_text(reader.number(1), 1, is_unsigned);
    case 0x02:
    case 0x0D: return signed_text(reader.number(2), 2, is_unsigned);
    case 0x03:
    case 0x09: return signed_text(reader.number(4), 4, is_unsigned);
    case 0x08: return signed_text(reader.number(8), 8, is_unsigned);
    case 0x04:
      return fmt::format(
          "{}",
          std::bit_cast<float>(static_cast<std::uint32_t>(reader.number(4))));
    case 0x05:
      return fmt::format("{}", std::bit_cast<double>(reader.number(8)));
    case 0x07:
    case 0x0A:
    case 0x0C: return date_text(PacketReader(reader.counted()));
    case 0x0B: return time_text(PacketReader(reader.counted()));
    default: return std::string(reader.counted());
  }
}

ColumnDefinition column_definition(std::string_view payload) {
  PacketReader reader(payload);
  ColumnDefinition result;
  for (int i = 0; i < 4; ++i) (void)reader.counted();  // where it comes from
  result.name = reader.counted();
  (void)reader.counted();  // its name in the table
  (void)reader.length();
  result.charset = static_cast<unsigned>(reader.number(2));
  (void)reader.number(4);  // width
  result.type = static_cast<std::uint8_t>(reader.number(1));
  result.flags = static_cast<std::uint16_t>(reader.number(2));
  result.decimals = static_cast<std::uint8_t>(reader.number(1));
  return result;
}

std::optional<std::vector<std::optional<std::string>>> row_values(
    std::string_view payload, const std::vector<ColumnDefinition>& columns,
    bool is_binary) {
  std::vector<std::optional<std::string>> result;
  PacketReader reader(payload);
  if (!is_binary) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (reader.takes_null())
        result.emplace_back();
      else
        result.emplace_back(reader.counted());
      if (!reader.is_good()) return std::nullopt;
    }
    return result;
  }
  (void)reader.number(1);
  const std::string_view nulls = reader.bytes((columns.size() + 7 + 2) / 8);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if ((byte_at(nulls, (i + 2) / 8) >> ((i + 2) % 8) & 1) != 0) {
      result.emplace_back();
      continue;
    }
    const auto type = static_cast<std::uint16_t>(
        columns[i].type | (columns[i].is_unsigned() ? 0x8000 : 0));
    result.emplace_back(value_text(reader, type));
    if (!reader.is_good()) return std::nullopt;
    fill_up(*result.back(), columns[i]);
  }
  return result;
}

}  // namespace txscope::db
