#include "db/record/redact.h"

#include <vector>

#include "base/random.h"
#include "db/lexeme.h"

namespace txscope::db {
namespace {

constexpr char kLetters[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::uint64_t kLetterCount = 62;
constexpr std::uint64_t kMaxGap = 14;  // 256 gaps of at most 15 fit in 62 * 62

/// Two letters per byte.  Which ones a byte becomes depends on the bytes before
/// it and grows with the byte: so equal texts stay equal, and the order of two
/// texts is decided where they first differ, as before.
std::string ordered_token(std::string_view text, std::uint64_t key) {
  std::string token;
  std::uint64_t state = scramble(key);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint64_t place = 0;
    Random gaps(state);
    for (unsigned i = 0; i <= byte; ++i) place += 1 + gaps.below(kMaxGap);
    token += kLetters[place / kLetterCount];
    token += kLetters[place % kLetterCount];
    state = scramble(state * 0x100000001b3ull + byte + 1);
  }
  return token;
}

/// Keeps nothing but equality; hexadecimal digits.
std::string hash_token(std::string_view text, std::uint64_t key) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::uint64_t a = scramble(key);
  std::uint64_t b = scramble(~key);
  for (const char c : text) {
    a = scramble(a + static_cast<unsigned char>(c) + 1);
    b = scramble(b ^ a);
  }
  std::string token;
  for (int i = 0; i < 16; ++i) token += kDigits[(a >> (4 * i)) & 15];
  for (int i = 0; i < 16; ++i) token += kDigits[(b >> (4 * i)) & 15];
  return token;
}

/// A number, date or time, which SQL computes with: stays.
bool is_computed_with(std::string_view text) {
  return text.find_first_not_of("0123456789-+:. TZ") == std::string_view::npos;
}

}  // namespace

Cell Redactor::token(const Cell& cell, ColumnType type) const {
  if (!cell) return cell;
  switch (type) {
    case ColumnType::Boolean:
    case ColumnType::Integer:
    case ColumnType::Double:
    case ColumnType::Decimal:
    case ColumnType::Date:
    case ColumnType::Time:
    case ColumnType::Timestamp:
    case ColumnType::TimestampTz: return cell;
    case ColumnType::Text:
    case ColumnType::Unknown:
      return is_computed_with(*cell) ? cell : Cell(ordered_token(*cell, key_));
    case ColumnType::Uuid: {
      std::string hash = hash_token(*cell, key_);
      for (const std::size_t at : {8u, 13u, 18u, 23u}) hash.insert(at, 1, '-');
      return hash;
    }
    case ColumnType::Json: return "\"" + hash_token(*cell, key_) + "\"";
    case ColumnType::Bytes:
    case ColumnType::Other: break;
  }
  return hash_token(*cell, key_);
}

std::string Redactor::without_literals(const std::string& sql) const {
  return without_literals(sql, code_in(lexemes(sql)));
}

/// Comments go; what stands in dollar quotes is a literal like any other, but
/// for the body of a routine, which stays code.
std::string Redactor::without_literals(const std::string& sql,
                                       CodeIn code) const {
  std::string result;
  bool is_behind_as = false;
  for (const Lexeme& one : lexemes(sql)) {
    const bool is_body =
        one.kind == Lexeme::Kind::Dollar &&
        (code == CodeIn::Block || (code == CodeIn::Definition && is_behind_as));
    if (one.kind == Lexeme::Kind::Comment) {
      result += ' ';
    } else if (is_body) {
      const std::string tag(one.text.substr(0, one.text.find('$', 1) + 1));
      result += tag + without_literals(one.content(), CodeIn::None) + tag;
    } else if (one.is_literal()) {
      result += '\'';
      result += token(one.content(), ColumnType::Text).value_or("");
      result += '\'';
    } else {
      result += one.text;
    }
    if (!one.is_blank()) is_behind_as = one.is("AS");
  }
  return result;
}

void Redactor::redact(LoggedStatement& statement) const {
  statement.sql = without_literals(statement.sql);
  for (LoggedValue& value : statement.params)
    value.value = token(value.value, value.type);
  Answer& answer = statement.answer;
  if (!answer.is_ok()) answer.message = "redacted";
  for (auto& row : answer.rows)
    for (std::size_t c = 0; c < row.size() && c < answer.columns.size(); ++c)
      row[c] = token(row[c], answer.columns[c].type);
}

void Redactor::redact(LoggedTransaction& transaction) const {
  if (transaction.error) transaction.error->message = "redacted";
  for (LoggedStatement& statement : transaction.statements) redact(statement);
}

void Redactor::redact(LogHeader& header) const {
  for (std::string& sql : header.setup) sql = without_literals(sql);
  for (std::string& sql : header.schema) sql = without_literals(sql);
  for (LogHeader::Table& table : header.initial)
    for (auto& row : table.rows)
      for (std::size_t c = 0; c < row.size() && c < table.columns.size(); ++c)
        row[c] = token(row[c], table.columns[c].type);
  header.settings.emplace_back("redacted", "text");
}

}  // namespace txscope::db
