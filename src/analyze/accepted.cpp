#include "analyze/accepted.h"

#include <algorithm>
#include <optional>

namespace txscope::analyze {
namespace {

constexpr std::string_view kMark = "txscope: ignore";

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) {
    return c == ' ' || c == '\t' || c == '\r';
  };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// A text line by line, with the number of each.
template <class On>
void for_each_line(std::string_view text, const On& on) {
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    on(++number, text.substr(at, end - at));
    at = end + 1;
  }
}

Error problem(const std::string& file, std::uint64_t line,
              std::string_view text, std::string what, std::string hint) {
  Error error;
  error.where = Place{file, line, 0, {}};
  error.what = std::move(what);
  error.hint = std::move(hint);
  error.source_line = std::string(text);
  return error;
}

/// All of one file.
std::optional<Error> read_comments(const std::string& file,
                                   std::string_view text,
                                   std::vector<Accepted>& all) {
  std::optional<Error> error;
  for_each_line(text, [&](std::uint64_t number, std::string_view line) {
    std::string_view rest = trim(line);
    if (error || rest.substr(0, 2) != "--") return;
    rest = trim(rest.substr(2));
    if (rest.substr(0, kMark.size()) != kMark) return;
    rest = trim(rest.substr(kMark.size()));
    const std::size_t end = std::min(rest.find_first_of(": \t"), rest.size());
    Accepted one;
    one.id = rest.substr(0, end);
    rest = trim(rest.substr(end));
    if (!rest.empty() && rest.front() == ':') rest = trim(rest.substr(1));
    one.reason = rest;
    one.where = Place{file, number, 0, {}};
    if (one.id.empty() || one.reason.empty())
      error = problem(
          file, number, line,
          one.id.empty()
              ? "it is not said which finding is to be ignored"
              : "there is no reason why " + one.id + " is to be ignored",
          "as in '-- txscope: ignore lost-update-48203117: one "
          "clerk works here'");
    else
      all.push_back(std::move(one));
  });
  return error;
}

}  // namespace

Result<std::vector<Accepted>> accepted_in(const sql::Application& application) {
  std::vector<Accepted> all;
  if (application.origin == nullptr) {
    if (auto error = read_comments(application.file, application.source, all))
      return *error;
    return all;
  }
  for (const SourceMap::File& file : application.origin->files)
    if (auto error = read_comments(file.name, file.text, all)) return *error;
  return all;
}

static std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

bool begins_with_id(std::string_view text) {
  const std::string_view id = first_word(text);
  return id.find('-') != std::string_view::npos &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return c == '-' || c == '_' || (c >= '0' && c <= '9') ||
                  (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

Result<std::vector<Accepted>> read_baseline(const std::string& file,
                                            std::string_view text) {
  std::vector<Accepted> all;
  std::optional<Error> error;
  for_each_line(text, [&](std::uint64_t number, std::string_view line) {
    const std::string_view rest = trim(line);
    if (error || rest.empty() || rest.front() == '#') return;
    if (!begins_with_id(rest)) {
      error = problem(file, number, line, "this is no name of a finding",
                      "a baseline is written by 'txscope analyze .. "
                      "--write-baseline FILE'");
      return;
    }
    all.push_back({std::string(first_word(rest)), "it is in the baseline",
                   Place{file, number, 0, {}}, true});
  });
  if (error) return *error;
  return all;
}

std::string write_baseline(const Analysis& found) {
  std::string text =
      "# Findings that are known: txscope analyze --baseline FILE fails on "
      "others only.\n";
  for (const RaceFinding& finding : found.findings)
    text += finding.id + "  " + finding.sentence + "\n";
  return text;
}

void accept(Analysis& found, const std::vector<Accepted>& accepted) {
  for (const Accepted& one : accepted) {
    bool is_there = false;
    for (RaceFinding& finding : found.findings) {
      if (finding.id != one.id) continue;
      is_there = true;
      // A reason says more than a list.
      if (finding.accepted.empty() || !one.is_baseline)
        finding.accepted = one.reason;
    }
    if (!is_there)
      found.notes.push_back(one.id + " is not found any more: take it out of " +
                            (one.is_baseline ? "the baseline" : "the comment") +
                            " (" + to_string(one.where) + ")");
  }
}

}  // namespace txscope::analyze
