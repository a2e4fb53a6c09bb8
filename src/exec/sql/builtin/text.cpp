#include <algorithm>
#include <string>
#include <vector>

#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/hash_text.h"
#include "exec/sql/value/md5.h"
#include "exec/sql/value/text.h"

namespace txscope::sql {
namespace {

Value joined(std::span<const std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return Value::text(all);
}

/// As a value is output in a text: t and f, not true and false.
std::string shown(const Value& value) { return to_string(value); }

/// Which ends of a text.
struct Ends {
  bool left = false;
  bool right = false;
};

Value trim(std::span<const Value> args, Ends ends) {
  const std::string set = args.size() > 1 ? args[1].text() : " ";
  const auto wanted = characters(set);
  auto all = characters(args[0].text());
  const auto is_in = [&wanted](std::string_view c) {
    return std::find(wanted.begin(), wanted.end(), c) != wanted.end();
  };
  std::size_t from = 0;
  std::size_t to = all.size();
  while (ends.left && from < to && is_in(all[from])) ++from;
  while (ends.right && to > from && is_in(all[to - 1])) --to;
  return joined(std::span(all).subspan(from, to - from));
}

/// left() and right(): negative counts leave that many out at the other end.
Value side(std::span<const Value> args, bool is_left) {
  const auto all = characters(args[0].text());
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t n = args[1].integer();
  const std::int64_t count =
      std::clamp<std::int64_t>(n < 0 ? size + n : n, 0, size);
  const auto from = static_cast<std::size_t>(is_left ? 0 : size - count);
  return joined(std::span(all).subspan(from, static_cast<std::size_t>(count)));
}

Value substring(std::span<const Value> args, Halt& halt) {
  const auto all = characters(args[0].text());
  const auto size = static_cast<std::int64_t>(all.size());
  std::int64_t from = args[1].integer();
  std::int64_t to = size + 1;
  if (args.size() > 2) {
    if (args[2].integer() < 0)
      return halt.raise("22011", "negative substring length not allowed");
    to = std::min(to, from + args[2].integer());
  }
  from = std::clamp<std::int64_t>(from, 1, size + 1);
  to = std::clamp(to, from, size + 1);
  return joined(std::span(all).subspan(static_cast<std::size_t>(from - 1),
                                       static_cast<std::size_t>(to - from)));
}

Value position(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return Value::integer(0);
  return Value::integer(static_cast<std::int64_t>(
      length(std::string_view(text).substr(0, at)) + 1));
}

Value replace(std::span<const Value> args, Halt& halt) {
  std::string text = args[0].text();
  const std::string& from = args[1].text();
  const std::string& to = args[2].text();
  if (from.empty()) return args[0];
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos;
       i += to.size()) {
    text.replace(i, from.size(), to);
    if (text.size() > kLongestText)
      return halt.raise_ours("a text of more than 1 MB");
  }
  return Value::text(text);
}

Value pad(std::span<const Value> args, bool is_left, Halt& halt) {
  const std::int64_t size = std::max<std::int64_t>(args[1].integer(), 0);
  if (static_cast<std::size_t>(size) > kLongestText / 4)
    return halt.raise_ours("a text of more than 1 MB");
  const std::string with = args.size() > 2 ? args[2].text() : " ";
  const auto fill = characters(with);
  auto all = characters(args[0].text());
  const auto wanted = static_cast<std::size_t>(size);
  if (all.size() >= wanted || fill.empty())
    return joined(std::span(all).first(std::min(all.size(), wanted)));
  std::vector<std::string_view> padding;
  for (std::size_t i = 0; all.size() + padding.size() < wanted; ++i)
    padding.push_back(fill[i % fill.size()]);
  all.insert(is_left ? all.begin() : all.end(), padding.begin(), padding.end());
  return joined(all);
}

Value init_cap(std::string text) {
  bool is_inside = false;
  for (char& c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = c >= 'a' && c <= 'z';
    if (is_lower && !is_inside) c = static_cast<char>(c - 32);
    if (is_upper && is_inside) c = static_cast<char>(c + 32);
    // Under the C locale bytes beyond ASCII are no letters.
    is_inside = is_upper || is_lower || (c >= '0' && c <= '9');
  }
  return Value::text(text);
}

Value split_part(std::span<const Value> args, Halt& halt) {
  const std::string& text = args[0].text();
  const std::string& by = args[1].text();
  std::int64_t n = args[2].integer();
  if (n == 0) return halt.raise("22023", "field position must not be zero");
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = 0;
       !by.empty() && (at = text.find(by, from)) != std::string::npos;
       from = at + by.size())
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  const auto count = static_cast<std::int64_t>(parts.size());
  if (n < 0) n = count + n + 1;
  if (n < 1 || n > count) return Value::text("");
  return Value::text(parts[static_cast<std::size_t>(n - 1)]);
}

std::string quoted(const std::string& text, char quote) {
  std::string all(1, quote);
  for (const char c : text) {
    if (c == quote) all += quote;
    all += c;
  }
  return all + quote;
}

std::string quote_literal(const std::string& text) {
  if (text.find('\\') == std::string::npos) return quoted(text, '\'');
  std::string all;
  for (const char c : text)
    all += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return " E" + quoted(all, '\'');
}

std::string quote_ident(const std::string& text) {
  const bool is_plain =
      !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
      std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      });
  return is_plain ? text : quoted(text, '"');
}

/// %s, %I, %L and %%; positions and widths are not held.
Value format(std::span<const Value> args, Halt& halt) {
  if (args[0].is_null()) return {};
  const std::string& pattern = args[0].text();
  std::string all;
  std::size_t next = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      all += pattern[i];
      continue;
    }
    if (++i >= pattern.size())
      return halt.raise("22023", "unterminated format() type specifier");
    if (pattern[i] == '%') {
      all += '%';
      continue;
    }
    const char kind = pattern[i];
    if (kind != 's' && kind != 'I' && kind != 'L')
      return halt.raise_ours("this form of format()");
    if (next >= args.size())
      return halt.raise("22023", "too few arguments for format()");
    const Value& value = args[next++];
    if (value.is_null()) {
      if (kind == 'I')
        return halt.raise(
            "22004", "null values cannot be formatted as an SQL identifier");
      if (kind == 'L') all += "NULL";
      continue;
    }
    all += kind == 's'   ? shown(value)
           : kind == 'I' ? quote_ident(shown(value))
                         : quote_literal(shown(value));
  }
  return Value::text(all);
}

Value concat(std::span<const Value> args, const std::string& separator) {
  std::string all;
  bool is_first = true;
  for (const Value& value : args) {
    if (value.is_null()) continue;
    if (!is_first) all += separator;
    is_first = false;
    all += shown(value);
  }
  return Value::text(all);
}

Value repeat(std::span<const Value> args, Halt& halt) {
  const std::string& text = args[0].text();
  const std::int64_t times = std::max<std::int64_t>(args[1].integer(), 0);
  if (!text.empty() &&
      static_cast<std::size_t>(times) > kLongestText / text.size())
    return halt.raise_ours("a text of more than 1 MB");
  std::string all;
  for (std::int64_t i = 0; i < times && !text.empty(); ++i) all += text;
  return Value::text(all);
}

Value translate(std::span<const Value> args) {
  const auto from = characters(args[1].text());
  const auto to = characters(args[2].text());
  std::string all;
  for (const std::string_view c : characters(args[0].text())) {
    const auto found = std::find(from.begin(), from.end(), c) - from.begin();
    const auto i = static_cast<std::size_t>(found);
    if (i == from.size()) all += c;
    if (i < from.size() && i < to.size()) all += to[i];
  }
  return Value::text(all);
}

Value code_of(const std::string& text) {
  if (text.empty()) return Value::integer(0);
  const auto first = characters(text)[0];
  auto code = static_cast<unsigned char>(first[0]);
  if (first.size() == 1) return Value::integer(code);
  std::int64_t all = code & (0x7f >> first.size());
  for (const char c : first.substr(1))
    all = all << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return Value::integer(all);
}

Value to_hex(const Expr& e, const Value& value) {
  auto number = static_cast<std::uint64_t>(value.integer());
  if (e.args[0].type.name != TypeName::BigInt) number &= 0xffffffff;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string all;
  do {
    all.insert(all.begin(), kHex[number & 15]);
    number >>= 4;
  } while (number != 0);
  return Value::text(all);
}

}  // namespace

Value call_text(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::Trim: return trim(args, {.left = true, .right = true});
    case Builtin::TrimLeft: return trim(args, {.left = true});
    case Builtin::TrimRight: return trim(args, {.right = true});
    case Builtin::Left: return side(args, true);
    case Builtin::Right: return side(args, false);
    case Builtin::Substring: return substring(args, halt);
    case Builtin::Position: return position(args[0].text(), args[1].text());
    case Builtin::Replace: return replace(args, halt);
    case Builtin::Concat: return concat(args, "");
    case Builtin::ConcatWs:
      if (args[0].is_null()) return {};
      return concat(args.subspan(1), args[0].text());
    case Builtin::Format: return format(args, halt);
    case Builtin::PadLeft: return pad(args, true, halt);
    case Builtin::PadRight: return pad(args, false, halt);
    case Builtin::Repeat: return repeat(args, halt);
    case Builtin::Reverse: {
      auto all = characters(args[0].text());
      std::reverse(all.begin(), all.end());
      return joined(all);
    }
    case Builtin::InitCap: return init_cap(args[0].text());
    case Builtin::SplitPart: return split_part(args, halt);
    case Builtin::Md5: return Value::text(md5(args[0].text()));
    case Builtin::StartsWith:
      return Value::boolean(args[0].text().starts_with(args[1].text()));
    case Builtin::Ascii: return code_of(args[0].text());
    case Builtin::Chr:
      if (args[0].integer() < 1 || args[0].integer() > 127)
        return halt.raise_ours("chr() of a number outside of ASCII");
      return Value::text(std::string(1, static_cast<char>(args[0].integer())));
    case Builtin::OctetLength:
      return Value::integer(static_cast<std::int64_t>(args[0].text().size()));
    case Builtin::Translate: return translate(args);
    case Builtin::QuoteLiteral:
      return Value::text(quote_literal(args[0].text()));
    case Builtin::QuoteIdent: return Value::text(quote_ident(args[0].text()));
    case Builtin::HashText:
      return Value::integer(
          static_cast<std::int32_t>(hash_of(args[0].text(), 0)));
    case Builtin::HashTextExtended:
      return Value::integer(static_cast<std::int64_t>(hash_of(
          args[0].text(), static_cast<std::uint64_t>(args[1].integer()))));
    case Builtin::QuoteNullable:
      if (args[0].is_null()) return Value::text("NULL");
      return Value::text(quote_literal(args[0].text()));
    case Builtin::Encode:
    case Builtin::Decode:
    case Builtin::Digest:
    case Builtin::Hmac:
    case Builtin::GetByte:
    case Builtin::SetByte:
    case Builtin::ConvertTo:
    case Builtin::ConvertFrom:
    case Builtin::NumberBytes:
    case Builtin::UuidBytes:
    case Builtin::BitsToNumber: return call_bytes(e, args, halt);
    case Builtin::FormatNumber:
      return format_number(args[0], args[1].text(), halt);
    case Builtin::ToHex: return to_hex(e, args[0]);
    default: return {};
  }
}

}  // namespace txscope::sql
