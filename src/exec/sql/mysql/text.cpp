#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "exec/sql/mysql/call.h"
#include "exec/sql/mysql/convert.h"
#include "exec/sql/mysql/encode.h"
#include "exec/sql/value/md5.h"
#include "exec/sql/value/regex.h"
#include "exec/sql/value/sha256.h"
#include "exec/sql/value/text.h"

namespace txscope::sql::mysql {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20;

std::string joined(std::span<const std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

std::string slice(std::string_view text, std::int64_t from,
                  std::int64_t count) {
  const auto all = characters(text);
  const auto size = static_cast<std::int64_t>(all.size());
  if (from < 0 || from >= size || count <= 0) return {};
  const std::int64_t most = std::min(count, size - from);
  return joined(std::span(all).subspan(static_cast<std::size_t>(from),
                                       static_cast<std::size_t>(most)));
}

/// SUBSTRING: positions count from 1, negative ones from the end.
std::string substring(std::span<const Value> args) {
  const std::string& text = args[0].text();
  const auto size = static_cast<std::int64_t>(length(text));
  std::int64_t from = args[1].integer();
  from = from > 0 ? from - 1 : from < 0 ? size + from : -1;
  return slice(text, from, args.size() > 2 ? args[2].integer() : size);
}

std::string substring_index(const std::string& text, const std::string& mark,
                            std::int64_t count) {
  if (mark.empty() || count == 0) return {};
  std::vector<std::size_t> found;
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + mark.size()))
    found.push_back(at);
  const auto all = static_cast<std::int64_t>(found.size());
  if (count > 0) {
    return count > all
               ? text
               : text.substr(0, found[static_cast<std::size_t>(count - 1)]);
  }
  if (-count > all) return text;
  return text.substr(found[static_cast<std::size_t>(all + count)] +
                     mark.size());
}

/// The position of a part, by the collation; 0: it is not there.
std::int64_t locate(std::string_view part, std::string_view text,
                    std::int64_t from, std::uint16_t collation) {
  const auto all = characters(text);
  const auto size = static_cast<std::int64_t>(all.size());
  if (from < 1 || (from > size && !(part.empty() && from == 1))) return 0;
  if (part.empty()) return from;
  const std::string wanted = weights(part, collation);
  std::string rest;
  std::vector<std::size_t> starts;
  for (const std::string_view letter :
       std::span(all).subspan(static_cast<std::size_t>(from - 1))) {
    starts.push_back(rest.size());
    rest += weights(letter, collation);
  }
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (rest.compare(starts[i], wanted.size(), wanted) == 0)
      return from + static_cast<std::int64_t>(i);
  return 0;
}

std::string replaced(const std::string& text, const std::string& what,
                     const std::string& with) {
  if (what.empty()) return text;
  std::string all;
  std::size_t at = 0;
  for (std::size_t found = text.find(what); found != std::string::npos;
       found = text.find(what, at)) {
    all += text.substr(at, found - at) + with;
    at = found + what.size();
  }
  return all + text.substr(at);
}

Value padded(std::span<const Value> args, bool is_left, Halt& halt) {
  const std::int64_t wanted = args[1].integer();
  const std::string fill = args.size() > 2 ? args[2].text() : " ";
  const auto size = static_cast<std::int64_t>(length(args[0].text()));
  if (wanted < 0) return {};
  if (wanted <= size) return Value::text(slice(args[0].text(), 0, wanted));
  if (fill.empty()) return {};
  if (wanted > static_cast<std::int64_t>(kLongest))
    return halt.raise_ours("a text of more than 1 MB");
  const auto parts = characters(fill);
  std::string more;
  for (std::int64_t i = 0; i < wanted - size; ++i)
    more += parts[static_cast<std::size_t>(i) % parts.size()];
  return Value::text(is_left ? more + args[0].text() : args[0].text() + more);
}

std::string trimmed(std::string text, const std::string& what, bool from_left,
                    bool from_right) {
  if (what.empty()) return text;
  while (from_left && text.starts_with(what)) text.erase(0, what.size());
  while (from_right && text.ends_with(what))
    text.resize(text.size() - what.size());
  return text;
}

/// INSERT(): some characters make room for others.
std::string inserted(std::span<const Value> args) {
  const std::string& text = args[0].text();
  const auto size = static_cast<std::int64_t>(length(text));
  const std::int64_t from = args[1].integer();
  std::int64_t count = args[2].integer();
  if (from < 1 || from > size) return text;
  if (count < 0 || count > size - from + 1) count = size - from + 1;
  return slice(text, 0, from - 1) + args[3].text() +
         slice(text, from - 1 + count, size);
}

std::string quoted(std::string_view text) {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\0') {
      all += "\\0";
    } else if (c == '\x1a') {
      all += "\\Z";
    } else {
      if (c == '\'' || c == '\\') all += '\\';
      all += c;
    }
  }
  return all + "'";
}

/// FORMAT(): commas between thousands.
std::string grouped(const Value& number, std::int64_t decimals, Halt& halt) {
  const auto scale =
      static_cast<unsigned>(std::clamp<std::int64_t>(decimals, 0, 30));
  const Value exact =
      convert(number, decimal_type(0, scale), Conversion::Cast, halt);
  if (halt.is_set()) return {};
  std::string text = to_string(exact);
  const std::size_t sign = text[0] == '-' ? 1 : 0;
  std::size_t point = std::min(text.find('.'), text.size());
  while (point > sign + 3) {
    point -= 3;
    text.insert(point, ",");
  }
  return text;
}

std::int64_t in_set(const std::string& wanted, const std::string& set,
                    std::uint16_t collation) {
  if (set.empty() || wanted.find(',') != std::string::npos) return 0;
  std::int64_t position = 1;
  for (std::size_t from = 0;; ++position) {
    const std::size_t to = std::min(set.find(',', from), set.size());
    if (compare_texts(set.substr(from, to - from), wanted, collation) == 0)
      return position;
    if (to == set.size()) return 0;
    from = to + 1;
  }
}

bool is_like(const Expr& e, std::span<const Value> args, Halt& halt) {
  const std::uint16_t collation =
      joint_collation(e.args[0].type.of, e.args[1].type.of);
  const std::string escape = args.size() > 2 ? args[2].text() : "\\";
  std::string pattern = weights(args[1].text(), collation);
  // An escape at the end stands for itself.
  std::size_t count = 0;
  while (!escape.empty() && pattern.size() > count &&
         pattern[pattern.size() - 1 - count] == escape[0])
    ++count;
  if (count % 2 == 1) pattern += escape;
  return like(weights(args[0].text(), collation), pattern,
              weights(escape, collation), halt)
      .is_true();
}

/// Functions that look at NULLs themselves.
std::optional<Value> with_nulls(const Expr& e, std::span<const Value> args) {
  switch (static_cast<Function>(e.index)) {
    case Function::ConcatWs: {
      if (args[0].is_null()) return Value();
      std::string all;
      bool is_first = true;
      for (const Value& v : args.subspan(1)) {
        if (v.is_null()) continue;
        if (!is_first) all += args[0].text();
        is_first = false;
        all += v.text();
      }
      return Value::text(all);
    }
    case Function::Quote:
      return Value::text(args[0].is_null() ? "NULL" : quoted(args[0].text()));
    case Function::Char: {
      std::string all;
      for (const Value& v : args) {
        if (v.is_null()) continue;
        auto bits = static_cast<std::uint32_t>(v.integer());
        std::string bytes;
        do {
          bytes.insert(bytes.begin(), static_cast<char>(bits & 0xff));
          bits >>= 8;
        } while (bits != 0);
        all += bytes;
      }
      return Value::text(all);
    }
    case Function::Field: {
      if (args[0].is_null()) return Value::integer(0);
      for (std::size_t i = 1; i < args.size(); ++i) {
        if (args[i].is_null()) continue;
        const bool is_it =
            args[0].kind() == Kind::Text
                ? compare_texts(args[0].text(), args[i].text(),
                                joint_collation(e.args[0].type.of,
                                                e.args[i].type.of)) == 0
                : real_of(args[0]) == real_of(args[i]);
        if (is_it) return Value::integer(static_cast<std::int64_t>(i));
      }
      return Value::integer(0);
    }
    case Function::Elt: {
      if (args[0].is_null()) return Value();
      const std::int64_t n = args[0].integer();
      if (n < 1 || n >= static_cast<std::int64_t>(args.size())) return Value();
      const Value& found = args[static_cast<std::size_t>(n)];
      return found.is_null() ? found : Value::text(found.text());
    }
    default: return std::nullopt;
  }
}

}  // namespace

Value text_call(const Expr& e, std::span<const Value> args, Halt& halt) {
  if (auto value = with_nulls(e, args)) return *value;
  if (std::any_of(args.begin(), args.end(),
                  [](const Value& v) { return v.is_null(); })) {
    return {};
  }
  const auto text = [&](std::string_view of) {
    if (of.size() > kLongest)
      return halt.raise_ours("a text of more than 1 MB");
    return Value::text(of);
  };
  const auto number = [](auto of) {
    return Value::integer(static_cast<std::int64_t>(of));
  };
  const std::uint16_t collation =
      e.args.size() > 1 ? joint_collation(e.args[0].type.of, e.args[1].type.of)
                        : kGeneralCi;
  switch (static_cast<Function>(e.index)) {
    case Function::Like: return Value::boolean(is_like(e, args, halt));
    case Function::Regexp: {
      std::string problem;
      const Regex& regex =
          regex_of(args[1].text(), collation == kGeneralCi, problem);
      if (!problem.empty())
        return halt.raise_ours("a regular expression with " + problem);
      return Value::boolean(regex.finds(args[0].text()));
    }
    case Function::Concat: {
      std::string all;
      for (const Value& v : args) all += v.text();
      return text(all);
    }
    case Function::SortKey:
      return text(sort_key(args[0].text(), e.args[0].type.of));
    case Function::Length: return number(args[0].text().size());
    case Function::CharLength:
      return number(e.args[0].type.of == kBinary ? args[0].text().size()
                                                 : length(args[0].text()));
    case Function::Lower: return text(in_case(args[0].text(), false));
    case Function::Upper: return text(in_case(args[0].text(), true));
    case Function::Left:
      return text(slice(args[0].text(), 0, args[1].integer()));
    case Function::Right: {
      const auto size = static_cast<std::int64_t>(length(args[0].text()));
      const std::int64_t count =
          std::clamp<std::int64_t>(args[1].integer(), 0, size);
      return text(slice(args[0].text(), size - count, count));
    }
    case Function::Substring: return text(substring(args));
    case Function::SubstringIndex:
      return text(
          substring_index(args[0].text(), args[1].text(), args[2].integer()));
    case Function::Locate:
      return number(locate(args[0].text(), args[1].text(),
                           args.size() > 2 ? args[2].integer() : 1, collation));
    case Function::Instr:
      return number(locate(args[1].text(), args[0].text(), 1, collation));
    case Function::Replace:
      return text(replaced(args[0].text(), args[1].text(), args[2].text()));
    case Function::PadLeft: return padded(args, true, halt);
    case Function::PadRight: return padded(args, false, halt);
    case Function::Trim:
      return text(trimmed(args[0].text(),
                          args.size() > 1 ? args[1].text() : " ", true, true));
    case Function::TrimLeft:
      return text(trimmed(args[0].text(),
                          args.size() > 1 ? args[1].text() : " ", true, false));
    case Function::TrimRight:
      return text(trimmed(args[0].text(),
                          args.size() > 1 ? args[1].text() : " ", false, true));
    case Function::Repeat:
    case Function::Space: {
      const bool is_space = args.size() == 1;
      const std::string unit = is_space ? " " : args[0].text();
      const std::int64_t count =
          std::max<std::int64_t>(args[is_space ? 0 : 1].integer(), 0);
      if (!unit.empty() &&
          count > static_cast<std::int64_t>(kLongest / unit.size()))
        return halt.raise_ours("a text of more than 1 MB");
      std::string all;
      for (std::int64_t i = 0; i < count && !unit.empty(); ++i) all += unit;
      return text(all);
    }
    case Function::Reverse: {
      auto all = characters(args[0].text());
      std::reverse(all.begin(), all.end());
      return text(joined(all));
    }
    case Function::Ascii:
      return number(args[0].text().empty()
                        ? 0
                        : static_cast<unsigned char>(args[0].text()[0]));
    case Function::Strcmp: {
      const int order =
          compare_texts(args[0].text(), args[1].text(), collation);
      return number(order < 0 ? -1 : order > 0 ? 1 : 0);
    }
    case Function::FindInSet:
      return number(in_set(args[0].text(), args[1].text(), collation));
    case Function::Insert: return text(inserted(args));
    case Function::Hex:
      return text(args[0].kind() == Kind::Text || args[0].kind() == Kind::Enum
                      ? hex(args[0].text())
                  : args[0].kind() >= Kind::Date && args[0].kind() <= Kind::Time
                      ? hex(text_of(args[0], e.args[0].type))
                      : in_base(bits_of(args[0], halt), 16));
    case Function::Unhex: {
      const auto bytes = unhex(args[0].text());
      return bytes ? text(*bytes) : Value();
    }
    case Function::Md5: return text(md5(args[0].text()));
    case Function::Sha2: {
      const std::int64_t bits = args[1].integer();
      if (bits == 0 || bits == 256) return text(sha256(args[0].text()));
      if (bits == 224) return text(sha224(args[0].text()));
      if (bits == 384 || bits == 512)
        return halt.raise_ours("SHA2 of this length");
      return {};
    }
    case Function::Sha1: return text(sha1(args[0].text()));
    case Function::Crc32: return number(crc32(args[0].text()));
    case Function::Format:
      return text(grouped(args[0], args[1].integer(), halt));
    // Of the integer that its text begins with.
    case Function::Bin:
      if (args[0].text().empty()) return {};
      return text(in_base(
          bits_of(
              Value::text(
                  leading(args[0].text(), false)
                      .digits.substr(
                          0, leading(args[0].text(), false).digits.find('.'))),
              halt),
          2));
    case Function::ToBase64: return text(base64(args[0].text()));
    case Function::InetAton: {
      std::int64_t all = 0;
      int parts = 0;
      std::string_view rest = args[0].text();
      while (!rest.empty() && parts < 4) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const Leading part = leading(rest.substr(0, dot), false);
        if (part.digits.size() != dot || part.number > 255) return {};
        all = all * 256 + static_cast<std::int64_t>(part.number);
        ++parts;
        rest.remove_prefix(std::min(dot + 1, rest.size()));
      }
      return parts == 4 ? number(all) : Value();
    }
    default: return halt.raise_ours("this function");
  }
}

}  // namespace txscope::sql::mysql
