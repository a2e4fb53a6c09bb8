// Types of columns, parameters and CAST.

#include <array>

#include "model/sql/value/collation.h"
#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

namespace {

struct PlainType {
  std::string_view name;
  std::string_view ours;
  bool is_binary = false;
};
/// Types whose size, if one is given, changes no value that we follow.
constexpr std::array<PlainType, 38> kPlainTypes = {{
    {"tinyint", "int2"},        {"smallint", "int2"},
    {"mediumint", "int4"},      {"int", "int4"},
    {"integer", "int4"},        {"int1", "int2"},
    {"int2", "int2"},           {"int3", "int4"},
    {"int4", "int4"},           {"int8", "int8"},
    {"bigint", "int8"},         {"bool", "int2"},
    {"boolean", "int2"},        {"bit", "int8"},
    {"year", "int2"},           {"real", "float8"},
    {"float", "float8"},        {"float4", "float8"},
    {"float8", "float8"},       {"date", "date"},
    {"datetime", "timestamp"},  {"timestamp", "timestamp"},
    {"time", "time"},           {"tinytext", "text"},
    {"text", "text"},           {"mediumtext", "text"},
    {"longtext", "text"},       {"tinyblob", "text", true},
    {"blob", "text", true},     {"mediumblob", "text", true},
    {"longblob", "text", true}, {"json", "text"},
    {"uuid", "text"},           {"inet4", "text"},
    {"inet6", "text"},          {"geometry", "geometry"},
    {"point", "geometry"},      {"polygon", "geometry"},
}};

}  // namespace

ColumnType Types::column_type() {
  ColumnType made;
  const std::int32_t where = location();
  const Token& token = peek();
  if (token.kind != TokenKind::Word) fail("a type");
  std::string word = token.word;
  ++at_;
  (void)(word == "double" && accept("precision"));
  if ((word == "character" || word == "char" || word == "nchar") &&
      accept("varying"))
    word = "varchar";
  if (word == "national") {
    word = peek().word;
    ++at_;
  }
  if (word == "long") {
    made.is_binary = is("varbinary");
    if (!accept("varbinary")) (void)accept("varchar");
    word = "text";
  }
  made.name = word;
  std::vector<std::int32_t> sizes;
  const bool has_labels = word == "enum" || word == "set";
  if (is("(") && has_labels) {
    ++at_;
    do {
      const std::int32_t label_at = location();
      if (peek().kind != TokenKind::String) fail("a text");
      std::string label;
      while (peek().kind == TokenKind::String) label += tokens_[at_++].word;
      made.labels.push_back(nodes_.text_node(label, label_at));
    } while (accept(","));
    expect(")");
  } else if (accept("(")) {
    do {
      if (peek().kind != TokenKind::Number) fail("a number");
      const std::string& digits = peek().word;
      if (digits.size() > 9) unsupported("a type of this size is");
      sizes.push_back(std::stoi(digits));
      ++at_;
    } while (accept(","));
    expect(")");
  }
  const std::int32_t size = sizes.empty() ? 0 : sizes[0];
  // VARCHAR(10) BINARY is one of letters, VARBINARY is not.
  const bool has_letters =
      word == "char" || word == "varchar" || word == "character" ||
      word == "nchar" || word == "nvarchar" || has_labels || word == "text" ||
      word == "tinytext" || word == "mediumtext" || word == "longtext";
  if (word == "serial") {
    made.type = nodes_.type_named("int8", where);
    made.is_unsigned = made.is_serial = true;
  } else if (word == "decimal" || word == "numeric" || word == "dec" ||
             word == "fixed") {
    made.type = nodes_.type_named(
        "numeric", where,
        {size == 0 ? 10 : size, sizes.size() > 1 ? sizes[1] : 0});
  } else if ((word == "float" || word == "double" || word == "real") &&
             sizes.size() > 1) {
    made.type = nodes_.type_named("numeric", where, {size, sizes[1]});
  } else if (word == "double") {
    made.type = nodes_.type_named("float8", where);
  } else if (word == "varchar" || word == "nvarchar" || word == "varchar2" ||
             word == "varbinary") {
    made.is_binary = word == "varbinary";
    if (size > 10485760) unsupported("a type of this size is");
    made.type = size > 65000 ? nodes_.type_named("text", where)
                             : nodes_.type_named("varchar", where, {size});
  } else if (word == "char" || word == "character" || word == "nchar") {
    made.type = nodes_.type_named("bpchar", where, {size == 0 ? 1 : size});
  } else if (word == "binary") {
    made.is_binary = true;
    made.type = nodes_.type_named("varchar", where, {size == 0 ? 1 : size});
  } else if (has_labels) {
    made.is_set = word == "set";
    made.type = nodes_.type_named("text", where);
  } else {
    for (const PlainType& plain : kPlainTypes) {
      if (plain.name != word) continue;
      made.is_binary = plain.is_binary;
      made.type = nodes_.type_named(plain.ours, where);
    }
    if (made.type == nullptr) {
      --at_;
      source_.fail(source_.span(static_cast<std::size_t>(where), word.size()),
                   "unknown type '" + word + "'");
    }
  }
  for (;;) {
    if (accept("unsigned") || accept("zerofill")) {
      made.is_unsigned = true;
    } else if (accept("signed") || accept("ascii") || accept("unicode")) {
    } else if (accept("binary")) {
      made.is_binary = true;
    } else if (is("charset") || (is("character") && is("set", 1)) ||
               (is("char") && is("set", 1))) {
      at_ += is("charset") ? 1 : 2;
      (void)accept("=");
      if (is("binary")) made.is_binary = true;
      skip_charset();
    } else if (accept("collate")) {
      (void)accept("=");
      made.collation = peek().word;
      ++at_;
    } else {
      break;
    }
  }
  if (made.is_binary && made.collation.empty())
    made.collation = has_letters ? "utf8mb4_bin" : "binary";
  collate(*made.type, made.collation);
  // Values that only the wider type has.
  if (made.is_unsigned) {
    const std::string_view name = made.type->names[0]->string->sval;
    if (name == "int2") made.type = nodes_.type_named("int4", where);
    if (name == "int4") made.type = nodes_.type_named("int8", where);
  }
  return made;
}

/// PostgreSQL's trees have no place for it but the number of a type, which
/// MySQL's trees do not need.  Nothing: that of the table, or utf8mb4's.
void Types::collate(PgQuery__TypeName& type, std::string_view collation) {
  if (collation.empty()) return;
  std::string name(collation);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  // One that tells more letters apart is nearest to their bytes.
  type.type_oid = find_collation(name).value_or(kPaddedBytes);
}

/// Of CAST: SIGNED, UNSIGNED, CHAR, ...
PgQuery__TypeName* Types::cast_type() {
  const std::int32_t where = location();
  const bool is_unsigned = is("unsigned");
  if (is_unsigned || is("signed")) {
    ++at_;
    if (!accept("integer")) (void)accept("int");
    return nodes_.type_named(is_unsigned ? "unsigned" : "signed", where);
  }
  const ColumnType type = column_type();
  if (type.name == "char" || type.name == "character" || type.name == "nchar" ||
      type.name == "binary") {
    const PgQuery__TypeName& given = *type.type;
    const std::int32_t size =
        given.n_typmods == 0 ? 0 : given.typmods[0]->a_const->ival->ival;
    // Without a size it is as long as the value.
    const bool has_size = tokens_[at_ - 1].is(")") || size > 1;
    auto* made = has_size ? nodes_.type_named("varchar", where, {size})
                          : nodes_.type_named("text", where);
    made->type_oid = given.type_oid;
    return made;
  }
  return type.type;
}

}  // namespace txscope::sql::syntax
