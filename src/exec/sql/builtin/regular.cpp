// Functions with regular expressions.

#include <optional>
#include <vector>

#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/regex.h"

namespace txscope::sql {
namespace {

/// Behind a match of nothing the search goes on one character later.
std::size_t next_start(std::string_view text, std::size_t begin,
                       std::size_t end) {
  if (begin != end) return end;
  std::size_t at = end + 1;
  while (at < text.size() &&
         (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
    ++at;
  return at;
}

/// A regular expression with its flags, of which g is the function's.
struct Wanted {
  const Regex* regex = nullptr;
  bool is_global = false;
};

std::optional<Wanted> wanted(const Value& pattern, const Value* flags,
                             Halt& halt) {
  Wanted result;
  bool is_any_case = false;
  for (const char flag : flags == nullptr ? std::string() : flags->text()) {
    if (flag == 'g') {
      result.is_global = true;
    } else if (flag == 'i' || flag == 'c') {
      is_any_case = flag == 'i';
    } else {
      halt.raise_ours("a regular expression with the flag " +
                      std::string(1, flag));
      return std::nullopt;
    }
  }
  std::string problem;
  result.regex = &regex_of(pattern.text(), is_any_case, problem);
  if (problem.empty() && result.regex->has_lazy_counts())
    problem = "counts that take as few as they can";
  if (problem.empty()) return result;
  halt.raise_ours("a regular expression with " + problem);
  return std::nullopt;
}

/// \\& is what was found, \\1 a group of it, \\\\ a backslash.
std::optional<std::string> replacement(std::string_view shape,
                                       std::string_view found, bool has_groups,
                                       Halt& halt) {
  std::string all;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != '\\' || i + 1 == shape.size()) {
      all += shape[i];
      continue;
    }
    const char c = shape[++i];
    if (c == '&') {
      all += found;
    } else if (c >= '1' && c <= '9') {
      if (has_groups) {
        halt.raise_ours("a group of a regular expression in a replacement");
        return std::nullopt;
      }
    } else {
      all += '\\';
      if (c != '\\') all += c;
    }
  }
  return all;
}

Value replace_matches(std::span<const Value> args, Halt& halt) {
  const auto how = wanted(args[1], args.size() > 3 ? &args[3] : nullptr, halt);
  if (!how) return {};
  const std::string& text = args[0].text();
  std::string all;
  std::size_t done = 0;
  for (std::size_t from = 0; from <= text.size();) {
    const auto found = how->regex->find(text, from);
    if (!found) break;
    const auto [begin, end] = *found;
    const auto put = replacement(
        args[2].text(), std::string_view(text).substr(begin, end - begin),
        how->regex->has_groups(), halt);
    if (!put) return {};
    all += text.substr(done, begin - done) + *put;
    done = end;
    if (!how->is_global) break;
    from = next_start(text, begin, end);
  }
  return Value::text(all + text.substr(done));
}

Value first_match(std::span<const Value> args, Halt& halt) {
  const auto how = wanted(args[1], args.size() > 2 ? &args[2] : nullptr, halt);
  if (!how) return {};
  if (how->is_global)
    return halt.raise("22023",
                      "regexp_match() does not support the \"global\" option");
  if (how->regex->has_groups())
    return halt.raise_ours("regexp_match() with groups");
  const std::string& text = args[0].text();
  const auto found = how->regex->find(text, 0);
  if (!found) return {};
  const std::vector<Value> items = {
      Value::text(text.substr(found->first, found->second - found->first))};
  return Value::array(items);
}

/// Matches of nothing at the ends, or behind another match, part nothing.
Value split_at_matches(std::span<const Value> args, Halt& halt) {
  const auto how = wanted(args[1], args.size() > 2 ? &args[2] : nullptr, halt);
  if (!how) return {};
  if (how->is_global)
    return halt.raise(
        "22023",
        "regexp_split_to_array() does not support the \"global\" option");
  const std::string& text = args[0].text();
  std::vector<Value> items;
  std::size_t part = 0;  // where it begins
  std::size_t last = 0;  // where the last match ended
  for (std::size_t from = 0; from <= text.size();) {
    const auto found = how->regex->find(text, from);
    if (!found) break;
    const auto [begin, end] = *found;
    if (begin < text.size() && end > last) {
      items.push_back(Value::text(text.substr(part, begin - part)));
      part = end;
    }
    last = end;
    from = next_start(text, begin, end);
  }
  items.push_back(Value::text(text.substr(part)));
  return Value::array(items);
}

}  // namespace

Value call_regular(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::RegexReplace: return replace_matches(args, halt);
    case Builtin::RegexMatch: return first_match(args, halt);
    default: return split_at_matches(args, halt);
  }
}

}  // namespace txscope::sql
