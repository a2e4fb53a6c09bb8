// What the file cannot do before its sessions come, and what that leaves
// unknown.

#include "read/sql/file/left_out.h"

#include <algorithm>
#include <cctype>
#include <optional>

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

namespace {

/// The words of a text in lower case, names without schema and quotes; `;` and
/// `,` are words.  Comments are none of it.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with("--")) {
      i = std::min(text.find('\n', i), text.size());
      end_word();
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
               static_cast<unsigned char>(c) >= 0x80) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == '.' && !word.empty()) {
      word.clear();  // a schema
    } else if (c != '"') {
      end_word();
      if (c == ';' || c == ',') words.emplace_back(1, c);
    }
  }
  end_word();
  return words;
}

/// The tables that the statements of a text write or define.  None: it makes
/// statements of texts, or drops whatever depends on something.
class WrittenNames {
 public:
  explicit WrittenNames(std::string_view text) : words_(words_of(text)) {}

  std::optional<std::set<std::string>> read() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool is_text =
          is(i, "execute") && !is(i + 1, "function") && !is(i + 1, "procedure");
      if (is_text || is(i, "cascade")) return std::nullopt;
      if (is(i, "insert") || is(i, "merge") || is(i, "delete") ||
          is(i, "update") || is(i, "copy") || is(i, "table") ||
          is(i, "truncate") || is(i, "on"))
        add_from(i + 1, is(i, "truncate"));
    }
    return std::move(names_);
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view word) const {
    return i < words_.size() && words_[i] == word;
  }
  /// The name behind INTO, IF EXISTS and the like; of a list all of it.
  void add_from(std::size_t i, bool is_list) {
    for (; i < words_.size(); ++i) {
      const bool is_filler = is(i, "into") || is(i, "from") || is(i, "only") ||
                             is(i, "table") || is(i, "if") || is(i, "not") ||
                             is(i, "exists") || is(i, ",");
      if (is(i, ";")) return;
      if (is_filler) continue;
      names_.insert(words_[i]);
      if (!is_list) return;
    }
  }

  const std::vector<std::string> words_;
  std::set<std::string> names_;
};

}  // namespace

/// Tables whose rows go or change along with those of others.
void FileReader::add_followers(std::set<TableId>& tables) const {
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::uint32_t t = 0; t < catalog_.schema.tables.size(); ++t)
      for (const ForeignKey& key : catalog_.schema.tables[t].foreign) {
        const bool follows = key.on_delete != OnDelete::NoAction ||
                             key.on_update != OnDelete::NoAction;
        if (follows && tables.contains(key.parent))
          is_new = tables.insert(TableId(t)).second || is_new;
      }
  }
}

/// All tables that a text may write, with those that follow them by foreign
/// keys, and those that the routines that it names may write, are unknown.
void FileReader::break_named_by(std::string_view text, const Error& why,
                                std::set<std::size_t>& seen) {
  auto written = WrittenNames(text).read();
  const auto is_written = [&](const Table& table) {
    const std::string plain = catalog_.relation_names.plain(table.name);
    return written ? written->contains(plain) : has_word(text, plain);
  };
  std::set<TableId> changed;
  for (std::uint32_t t = 0; t < catalog_.schema.tables.size(); ++t)
    if (is_written(catalog_.schema.tables[t])) changed.insert(TableId(t));
  add_followers(changed);
  for (const TableId table : changed)
    catalog_.broken.emplace(catalog_.schema.at(table).name, why);
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const Signature& routine = catalog_.routines[i];
    const std::string plain = catalog_.routine_names.plain(routine.name);
    if (seen.contains(i) || !has_word(text, plain)) continue;
    seen.insert(i);
    break_named_by(source_.text(routine.at), why, seen);
  }
}

}  // namespace txscope::sql
