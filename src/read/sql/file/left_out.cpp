// What the file cannot do before its sessions come, and what that leaves
// unknown.

#include "read/sql/file/left_out.h"

#include <algorithm>

#include "base/ascii.h"
#include "read/sql/file/reader.h"

namespace txscope::sql {

bool has_word(std::string_view text, std::string_view word) {
  const auto lower = [](char c) { return ascii::lower(c); };
  const auto is_part = [&](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           c == '_';
  };
  const auto is_same = [&](char a, char b) { return lower(a) == lower(b); };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), word.begin(), word.end(), is_same);
    if (at == text.end()) return false;
    const auto end = at + static_cast<std::ptrdiff_t>(word.size());
    if ((at == text.begin() || !is_part(at[-1])) &&
        (end == text.end() || !is_part(*end))) {
      return true;
    }
  }
}

/// Whether an earlier reading found that this cannot be run.
bool FileReader::is_left_out(const Tree& tree) {
  const auto found = known_left_out_.calls.find(tree.whole().offset);
  if (found == known_left_out_.calls.end()) return false;
  std::set<std::size_t> seen;
  break_named_by(source_.text(tree.whole()), found->second, seen);
  notes_.push_back("left out (line " + std::to_string(tree.whole().line) +
                   "): " + found->second.what);
  return true;
}

/// All tables that a text names which may write, and those that the routines
/// that it names do, may have changed.
void FileReader::break_named_by(std::string_view text, const Error& why,
                                std::set<std::size_t>& seen) {
  constexpr std::string_view kWriting[] = {
      "insert", "update", "delete", "merge", "truncate",
      "copy",   "create", "alter",  "drop",  "execute"};
  const bool may_write =
      std::any_of(std::begin(kWriting), std::end(kWriting),
                  [&](std::string_view word) { return has_word(text, word); });
  for (const Table& table : catalog_.schema.tables)
    if (may_write && has_word(text, catalog_.relation_names.plain(table.name)))
      catalog_.broken.emplace(table.name, why);
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const Signature& routine = catalog_.routines[i];
    const std::string plain = catalog_.routine_names.plain(routine.name);
    if (seen.contains(i) || !has_word(text, plain)) continue;
    seen.insert(i);
    break_named_by(source_.text(routine.at), why, seen);
  }
}

}  // namespace txscope::sql
