#include "read/logs/statements/log_builder.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "read/logs/statements/comment_tags.h"
#include "read/utf8.h"

namespace txscope::logs {
namespace {

/// A log may have bytes of another encoding; which letters they are does not
/// matter here.
void make_text(std::string& text) {
  std::replace(text.begin(), text.end(), '\0', ' ');
  if (utf8::valid_prefix(text) == text.size()) return;
  for (char& c : text)
    if (static_cast<unsigned char>(c) >= 128) c = '?';
}

std::int64_t days_from_civil(int y, unsigned m, unsigned d) {
  y -= m <= 2 ? 1 : 0;
  const int era = (y >= 0 ? y : y - 399) / 400;
  const auto yoe = static_cast<unsigned>(y - era * 400);
  const unsigned doy = (153 * (m + (m > 2 ? -3U : 9U)) + 2) / 5 + d - 1;
  const unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097LL + static_cast<std::int64_t>(doe);
}

}  // namespace

LogBuilder::LogBuilder(std::string file, std::string format,
                       sql::Dialect dialect) {
  log_.file = std::move(file);
  log_.format = std::move(format);
  log_.dialect = dialect;
}

std::uint32_t LogBuilder::session_of(const std::string& name) {
  const auto [found, is_new] = sessions_.try_emplace(
      name, static_cast<std::uint32_t>(log_.sessions.size()));
  if (is_new) {
    log_.sessions.push_back(name);
    last_.emplace_back();
  }
  return found->second;
}

sql::LoggedStatement& LogBuilder::add(std::uint64_t line,
                                      const std::string& session,
                                      std::string text) {
  sql::LoggedStatement one;
  one.line = line;
  one.session = session_of(session);
  one.request = request_;
  one.route = route_;
  make_text(text);
  const CommentTags tags = take_comment_tags(text);
  if (!tags.request.empty()) one.request = tags.request;
  if (!tags.route.empty()) one.route = tags.route;
  one.text = std::move(text);
  last_[one.session] = log_.statements.size();
  log_.statements.push_back(std::move(one));
  return log_.statements.back();
}

void LogBuilder::end_session(std::uint64_t line, const std::string& session) {
  sql::LoggedStatement one;
  one.line = line;
  one.session = session_of(session);
  one.ends_session = true;
  last_[one.session].reset();
  log_.statements.push_back(std::move(one));
}

sql::LoggedStatement* LogBuilder::last_of(const std::string& session) {
  const auto& last = last_[session_of(session)];
  return last ? &log_.statements[*last] : nullptr;
}

void LogBuilder::mark_failed(const std::string& session) {
  if (sql::LoggedStatement* last = last_of(session)) last->has_failed = true;
}

void LogBuilder::set_request(std::string request, std::string route) {
  request_ = std::move(request);
  route_ = std::move(route);
}

void LogBuilder::skip(std::uint64_t line) {
  if (log_.skipped_lines++ == 0) log_.first_skipped = line;
}

sql::StatementLog LogBuilder::finish(bool by_time) {
  const auto has_time = [](const sql::LoggedStatement& one) {
    return one.time.has_value();
  };
  if (by_time &&
      std::all_of(log_.statements.begin(), log_.statements.end(), has_time))
    std::stable_sort(
        log_.statements.begin(), log_.statements.end(),
        [](const auto& a, const auto& b) { return *a.time < *b.time; });
  return std::move(log_);
}

std::optional<std::int64_t> log_time(std::string_view text) {
  std::array<int, 3> day{};
  std::size_t at = 0;
  const auto number = [&](std::size_t most) -> std::optional<int> {
    std::size_t digits = 0;
    int value = 0;
    while (at < text.size() && digits < most &&
           std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      value = value * 10 + (text[at++] - '0');
      ++digits;
    }
    if (digits == 0) return std::nullopt;
    return value;
  };
  std::size_t digits = 0;
  while (digits < text.size() &&
         std::isdigit(static_cast<unsigned char>(text[digits])) != 0)
    ++digits;
  const bool is_packed = digits == 6 || digits == 8;
  if (!is_packed && digits != 4) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto part = number(i == 0 ? (digits == 6 ? 2 : 4) : 2);
    if (!part) return std::nullopt;
    day[i] = *part;
    if (i < 2 && !is_packed) {
      if (at >= text.size() || (text[at] != '-' && text[at] != '/'))
        return std::nullopt;
      ++at;
    }
  }
  if (digits == 6) day[0] += 2000;
  if (day[1] < 1 || day[1] > 12 || day[2] < 1 || day[2] > 31)
    return std::nullopt;
  while (at < text.size() && (text[at] == ' ' || text[at] == 'T')) ++at;
  std::int64_t micros = 0;
  for (int i = 0; i < 3; ++i) {
    const auto part = number(2);
    if (!part) return std::nullopt;
    micros = micros * 60 + *part;
    if (i < 2) {
      if (at >= text.size() || text[at] != ':') return std::nullopt;
      ++at;
    }
  }
  micros *= 1'000'000;
  if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
    ++at;
    for (std::int64_t unit = 100'000;
         at < text.size() &&
         std::isdigit(static_cast<unsigned char>(text[at])) != 0;
         unit /= 10)
      micros += unit * (text[at++] - '0');
  }
  return days_from_civil(day[0], static_cast<unsigned>(day[1]),
                         static_cast<unsigned>(day[2])) *
             86'400'000'000LL +
         micros;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string sql_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

}  // namespace txscope::logs
