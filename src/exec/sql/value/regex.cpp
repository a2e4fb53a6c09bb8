#include "exec/sql/value/regex.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace txscope::sql {
namespace {

constexpr std::uint32_t kLastCharacter = 0x10ffff;
/// PostgreSQL's DUPMAX.
constexpr std::uint32_t kMostTimes = 255;
constexpr std::size_t kMostSteps = 50'000;
constexpr unsigned kDeepestGroup = 100;

using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct NamedSet {
  std::string_view name;
  Ranges ranges;
};

const std::vector<NamedSet>& named_sets() {
  static const std::vector<NamedSet> kSets = {
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"digit", {{'0', '9'}}},
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"upper", {{'A', 'Z'}}},
      {"lower", {{'a', 'z'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
      {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
  };
  return kSets;
}

const Ranges* named(std::string_view name) {
  for (const NamedSet& set : named_sets())
    if (set.name == name) return &set.ranges;
  return nullptr;
}

/// The character at `at`, which is moved behind it.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0xc0) return first;
  std::uint32_t character = first & (first < 0xe0   ? 0x1f
                                     : first < 0xf0 ? 0x0f
                                                    : 0x07);
  while (at < text.size() &&
         (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) {
    character =
        character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3f);
  }
  return character;
}

std::uint32_t other_case(std::uint32_t c) {
  if (c >= 'a' && c <= 'z') return c - 'a' + 'A';
  if (c >= 'A' && c <= 'Z') return c - 'A' + 'a';
  return c;
}

}  // namespace

/// Recursive descent over the pattern, writing steps.
class RegexCompiler {
 public:
  RegexCompiler(std::string_view pattern, Regex& out, std::string& problem)
      : pattern_(pattern), out_(out), problem_(problem) {}

  void run() {
    if (pattern_.starts_with("***")) return fail("its director ***");
    alternatives(0);
    if (problem_.empty() && at_ < pattern_.size()) fail("a ) too many");
    add(Regex::Instruction::Kind::Found);
  }

 private:
  using Kind = Regex::Instruction::Kind;

  void fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }
  [[nodiscard]] bool goes_on() {
    if (out_.steps_.size() > kMostSteps) fail("its size");
    return problem_.empty() && at_ < pattern_.size();
  }
  [[nodiscard]] std::uint32_t here() const {
    return static_cast<std::uint32_t>(out_.steps_.size());
  }
  std::uint32_t add(Kind kind, std::uint32_t to = 0) {
    out_.steps_.push_back({kind, 0, to});
    return here() - 1;
  }
  void insert(std::uint32_t before, Kind kind, std::uint32_t to) {
    // What stands before it may lead to it, and nowhere behind it yet.
    for (std::size_t i = before; i < out_.steps_.size(); ++i)
      if (out_.steps_[i].to >= before) ++out_.steps_[i].to;
    out_.steps_.insert(out_.steps_.begin() + before, {kind, 0, to});
  }

  void alternatives(unsigned depth) {
    if (depth > kDeepestGroup) return fail("its nesting");
    const std::uint32_t start = here();
    std::vector<std::uint32_t> ends;
    branch(depth);
    while (goes_on() && pattern_[at_] == '|') {
      ++at_;
      ends.push_back(add(Kind::Jump));
      // The branches so far, or what follows.
      insert(start, Kind::Split, here() + 1);
      for (std::uint32_t& end : ends) ++end;
      branch(depth);
    }
    for (const std::uint32_t end : ends) out_.steps_[end].to = here();
  }

  void branch(unsigned depth) {
    while (goes_on() && pattern_[at_] != '|' && pattern_[at_] != ')') {
      const std::uint32_t start = here();
      const bool can_repeat = atom(depth);
      if (goes_on()) counts(start, can_repeat);
    }
  }

  /// False: an end of the text, which cannot be repeated.
  bool atom(unsigned depth) {
    const char c = pattern_[at_];
    if (c == '^' || c == '$') {
      ++at_;
      add(c == '^' ? Kind::Begin : Kind::End);
      return false;
    }
    if (c == '(') {
      ++at_;
      out_.has_groups_ |= !pattern_.substr(at_).starts_with("?:");
      if (pattern_.substr(at_).starts_with("?:"))
        at_ += 2;
      else if (pattern_.substr(at_).starts_with("?"))
        fail("a constraint or an option (?...)");
      alternatives(depth + 1);
      if (!goes_on() || pattern_[at_] != ')')
        fail("a ( without )");
      else
        ++at_;
      return true;
    }
    if (c == '*' || c == '+' || c == '?') {
      fail("a count of nothing");
      return true;
    }
    if (c == '\\') return escape();
    if (c == '[') {
      bracket();
      return true;
    }
    if (c == '.') {
      ++at_;
      take({{{1, kLastCharacter}}, false});
      return true;
    }
    const std::uint32_t character = next_character(pattern_, at_);
    take({{{character, character}}, false});
    return true;
  }

  void take(Regex::Set set) {
    const std::uint32_t step = add(Kind::Take);
    out_.steps_[step].set = static_cast<std::uint32_t>(out_.sets_.size());
    out_.sets_.push_back(std::move(set));
  }

  /// The set behind \d and the like; none: another character.
  std::optional<Regex::Set> shorthand(char c) const {
    const std::string_view name = c == 'd' || c == 'D'   ? "digit"
                                  : c == 'w' || c == 'W' ? "word"
                                  : c == 's' || c == 'S' ? "space"
                                                         : "";
    if (name.empty()) return std::nullopt;
    return Regex::Set{*named(name), c >= 'A' && c <= 'Z'};
  }
  /// The character behind a backslash.
  std::optional<std::uint32_t> escaped(char c) const {
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'r') return '\r';
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                         (c >= 'A' && c <= 'Z') ||
                         (static_cast<unsigned char>(c) & 0x80) != 0;
    if (is_word) return std::nullopt;
    return static_cast<unsigned char>(c);
  }
  bool escape() {
    if (++at_ >= pattern_.size()) {
      fail("a \\ at its end");
      return true;
    }
    const char c = pattern_[at_++];
    if (c == 'A' || c == 'Z') {
      add(c == 'A' ? Kind::Begin : Kind::End);
      return false;
    }
    if (auto set = shorthand(c))
      take(std::move(*set));
    else if (const auto character = escaped(c))
      take({{{*character, *character}}, false});
    else
      fail("\\" + std::string(1, c));
    return true;
  }

  void bracket() {
    ++at_;
    Regex::Set set;
    if (goes_on() && pattern_[at_] == '^') {
      set.is_negated = true;
      ++at_;
    }
    for (bool is_first = true; goes_on(); is_first = false) {
      if (pattern_[at_] == ']' && !is_first) {
        ++at_;
        take(std::move(set));
        return;
      }
      if (pattern_.substr(at_).starts_with("[:")) {
        const std::size_t end = pattern_.find(":]", at_);
        const auto name = end == std::string_view::npos
                              ? std::string_view()
                              : pattern_.substr(at_ + 2, end - at_ - 2);
        const Ranges* ranges = named(name);
        if (ranges == nullptr || name == "word")
          return fail("the set [:" + std::string(name) + ":]");
        set.ranges.insert(set.ranges.end(), ranges->begin(), ranges->end());
        at_ = end + 2;
        continue;
      }
      if (pattern_.substr(at_).starts_with("[.") ||
          pattern_.substr(at_).starts_with("[=")) {
        return fail("a collating element");
      }
      member(set);
    }
    fail("a [ without ]");
  }
  void member(Regex::Set& set) {
    if (pattern_[at_] == '\\' && at_ + 1 < pattern_.size()) {
      if (auto inside = shorthand(pattern_[at_ + 1])) {
        if (inside->is_negated) return fail("\\D, \\W or \\S inside [...]");
        set.ranges.insert(set.ranges.end(), inside->ranges.begin(),
                          inside->ranges.end());
        at_ += 2;
        return;
      }
    }
    const std::uint32_t first = one_of_set();
    std::uint32_t last = first;
    const bool is_range = at_ + 1 < pattern_.size() && pattern_[at_] == '-' &&
                          pattern_[at_ + 1] != ']';
    if (is_range) {
      ++at_;
      last = one_of_set();
      if (last < first) return fail("a range in the wrong order");
    }
    set.ranges.emplace_back(first, last);
  }
  std::uint32_t one_of_set() {
    if (pattern_[at_] == '\\' && at_ + 1 < pattern_.size()) {
      const char c = pattern_[at_ + 1];
      at_ += 2;
      if (const auto character = escaped(c)) return *character;
      fail("\\" + std::string(1, c));
      return 0;
    }
    return next_character(pattern_, at_);
  }

  /// *, +, ?, {m}, {m,}, {m,n} behind what starts at `start`.
  void counts(std::uint32_t start, bool can_repeat) {
    std::uint32_t least = 0;
    std::optional<std::uint32_t> most;
    const char c = pattern_[at_];
    if (c == '*' || c == '+' || c == '?') {
      ++at_;
      least = c == '+' ? 1 : 0;
      if (c == '?') most = 1;
    } else if (c == '{' && at_ + 1 < pattern_.size() &&
               pattern_[at_ + 1] >= '0' && pattern_[at_ + 1] <= '9') {
      ++at_;
      least = number();
      most = least;
      if (goes_on() && pattern_[at_] == ',') {
        ++at_;
        most.reset();
        if (goes_on() && pattern_[at_] != '}') most = number();
      }
      if (!goes_on() || pattern_[at_++] != '}') return fail("a { without }");
    } else {
      return;
    }
    if (!can_repeat) return fail("a count of ^ or $");
    if (least > kMostTimes || (most && (*most > kMostTimes || *most < least)))
      return fail("a count beyond 255, or backwards");
    // Whether as few or as many: what is found is the same, but where it ends.
    if (goes_on() && pattern_[at_] == '?') {
      out_.has_lazy_counts_ = true;
      ++at_;
    }
    if (goes_on() && (pattern_[at_] == '*' || pattern_[at_] == '+' ||
                      pattern_[at_] == '?')) {
      return fail("a count of a count");
    }
    repeat(start, least, most);
  }
  std::uint32_t number() {
    std::uint32_t n = 0;
    while (goes_on() && pattern_[at_] >= '0' && pattern_[at_] <= '9') {
      n = std::min(n * 10 + static_cast<std::uint32_t>(pattern_[at_] - '0'),
                   kMostTimes + 1);
      ++at_;
    }
    return n;
  }
  void repeat(std::uint32_t start, std::uint32_t least,
              std::optional<std::uint32_t> most) {
    const std::vector<Regex::Instruction> once(out_.steps_.begin() + start,
                                               out_.steps_.end());
    out_.steps_.resize(start);
    for (std::uint32_t i = 0; i < least && problem_.empty(); ++i)
      copy_behind(once, start);
    if (!most) {
      const std::uint32_t loop = add(Kind::Split);
      copy_behind(once, start);
      add(Kind::Jump, loop);
      out_.steps_[loop].to = here();
      return;
    }
    std::vector<std::uint32_t> exits;
    for (std::uint32_t i = least; i < *most && problem_.empty(); ++i) {
      exits.push_back(add(Kind::Split));
      copy_behind(once, start);
    }
    for (const std::uint32_t exit : exits) out_.steps_[exit].to = here();
  }
  void copy_behind(const std::vector<Regex::Instruction>& once,
                   std::uint32_t start) {
    const std::uint32_t shift = here() - start;
    for (Regex::Instruction step : once) {
      step.to += shift;
      out_.steps_.push_back(step);
    }
    if (out_.steps_.size() > kMostSteps) fail("its size");
  }

  std::string_view pattern_;
  Regex& out_;
  std::string& problem_;
  std::size_t at_ = 0;
};

Regex Regex::compile(std::string_view pattern, bool is_any_case,
                     std::string& problem) {
  Regex regex;
  regex.is_any_case_ = is_any_case;
  problem.clear();
  RegexCompiler(pattern, regex, problem).run();
  return regex;
}

bool Regex::has(const Set& set, std::uint32_t character) const {
  const auto is_in = [&](std::uint32_t c) {
    return std::any_of(set.ranges.begin(), set.ranges.end(),
                       [&](const auto& range) {
                         return c >= range.first && c <= range.second;
                       });
  };
  const bool is_inside =
      is_in(character) || (is_any_case_ && is_in(other_case(character)));
  return is_inside != set.is_negated;
}

void Regex::follow(std::uint32_t first, bool is_begin, bool is_end,
                   std::vector<std::uint32_t>& states,
                   std::vector<bool>& is_in) const {
  std::vector<std::uint32_t> work = {first};
  while (!work.empty()) {
    const std::uint32_t s = work.back();
    work.pop_back();
    if (is_in[s]) continue;
    is_in[s] = true;
    const Instruction& step = steps_[s];
    switch (step.kind) {
      case Instruction::Kind::Take:
      case Instruction::Kind::Found: states.push_back(s); break;
      case Instruction::Kind::Jump: work.push_back(step.to); break;
      case Instruction::Kind::Split:
        work.push_back(s + 1);
        work.push_back(step.to);
        break;
      case Instruction::Kind::Begin:
        if (is_begin) work.push_back(s + 1);
        break;
      case Instruction::Kind::End:
        if (is_end) work.push_back(s + 1);
        break;
    }
  }
}

bool Regex::finds(std::string_view text) const {
  std::vector<std::uint32_t> states;
  std::vector<std::uint32_t> next;
  std::vector<bool> is_in(steps_.size());
  for (std::size_t at = 0;;) {
    // A match may begin anywhere.
    follow(0, at == 0, at == text.size(), states, is_in);
    const bool is_found =
        std::any_of(states.begin(), states.end(), [&](std::uint32_t s) {
          return steps_[s].kind == Instruction::Kind::Found;
        });
    if (is_found) return true;
    if (at == text.size()) return false;
    const std::uint32_t character = next_character(text, at);
    std::fill(is_in.begin(), is_in.end(), false);
    next.clear();
    for (const std::uint32_t s : states)
      if (has(sets_[steps_[s].set], character))
        follow(s + 1, false, at == text.size(), next, is_in);
    std::swap(states, next);
  }
}

std::optional<std::size_t> Regex::match_at(std::string_view text,
                                           std::size_t from) const {
  std::vector<std::uint32_t> states;
  std::vector<std::uint32_t> next;
  std::vector<bool> is_in(steps_.size());
  std::optional<std::size_t> end;
  follow(0, from == 0, from == text.size(), states, is_in);
  for (std::size_t at = from;;) {
    const bool is_found =
        std::any_of(states.begin(), states.end(), [&](std::uint32_t s) {
          return steps_[s].kind == Instruction::Kind::Found;
        });
    if (is_found) end = at;
    if (at == text.size() || states.empty()) return end;
    const std::uint32_t character = next_character(text, at);
    std::fill(is_in.begin(), is_in.end(), false);
    next.clear();
    for (const std::uint32_t s : states)
      if (steps_[s].kind == Instruction::Kind::Take &&
          has(sets_[steps_[s].set], character))
        follow(s + 1, false, at == text.size(), next, is_in);
    std::swap(states, next);
  }
}

std::optional<std::pair<std::size_t, std::size_t>> Regex::find(
    std::string_view text, std::size_t from) const {
  for (std::size_t at = from; at <= text.size();) {
    if (const auto end = match_at(text, at)) return std::pair(at, *end);
    if (at == text.size()) break;
    (void)next_character(text, at);
  }
  return std::nullopt;
}

const Regex& regex_of(std::string_view pattern, bool is_any_case,
                      std::string& problem) {
  struct Known {
    Regex regex;
    std::string problem;
  };
  static std::mutex mutex;
  static std::map<std::pair<std::string, bool>, Known> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] =
      known.try_emplace({std::string(pattern), is_any_case});
  if (is_new) {
    found->second.regex =
        Regex::compile(pattern, is_any_case, found->second.problem);
  }
  problem = found->second.problem;
  return found->second.regex;
}

}  // namespace txscope::sql
