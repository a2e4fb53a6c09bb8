#include "read/sql/text/psql_text.h"
#include "read/sql/text/constant_rows.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "read/input.h"
#include "read/sql/text/migration_text.h"
#include "read/sql/text/psql_command.h"
#include "read/sql/text/source.h"

namespace txscope::sql {
namespace {

constexpr std::size_t kDeepestInclude = 50;
constexpr std::size_t kLargestWhole = std::size_t{1} << 30;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_plain(char c) {
  switch (c) {
    case '\\':
    case '-':
    case '/':
    case '\'':
    case '"':
    case '$':
    case ';':
    case ':': return false;
    default: return true;
  }
}

/// Walks over a script as psql's own lexer does: far enough to know where a
/// statement ends, what is a comment or a quoted text, and what is psql's.
///
/// Every byte of every file becomes one of the whole text, so that places are
/// kept; what a variable stands for is the one thing that is put in.
class Walker {
 public:
  explicit Walker(Mistakes mistakes)
      : goes_on_(mistakes == Mistakes::LeaveOut) {}

  PsqlText run(const std::string& file, std::string text) {
    files_.push_back({file, std::move(text)});
    walk(0);
    if (is_changed_) {
      result_.map = std::make_shared<SourceMap>();
      for (File& each : files_)
        result_.map->files.push_back(
            {std::move(each.name), std::move(each.text)});
      result_.map->pieces = std::move(pieces_);
    }
    return std::move(result_);
  }

 private:
  struct File {
    std::string name;
    std::string text;
  };
  /// One \if that is open.
  struct Branch {
    std::size_t at = 0;
    bool is_outer_active = true;
    bool is_active = true;
    bool was_taken = false;
    bool is_else = false;
  };
  enum class Shown : std::uint8_t { Sql, Blank, Gone };

  void walk(std::uint32_t file) {
    const std::uint32_t outer_file = file_;
    const std::size_t outer_at = at_;
    const std::string_view outer_text = text_;
    const std::size_t outer_branches = branches_.size();
    file_ = file;
    at_ = 0;
    // The table of files grows while this one is read.
    put_extension_schema(files_[file].text);
    if (goes_on_) take_migration(files_[file].text);
    const std::string text = files_[file].text;
    text_ = text;
    open_files_.push_back(file);
    begin_piece();
    if (text_.starts_with("\xef\xbb\xbf")) take(3, Shown::Blank);
    while (at_ < text_.size()) step();
    if (branches_.size() > outer_branches)
      fail(branches_.back().at, 3, "\\if without \\endif");
    open_files_.pop_back();
    file_ = outer_file;
    at_ = outer_at;
    text_ = outer_text;
  }

  void take_migration(std::string& text) const {
    as_migrated(text, [&](std::string_view name) {
      return variables_.contains(name) ||
             text.find("\\set " + std::string(name)) != std::string::npos;
    });
  }

  /// Does a command, or leaves it out if it cannot be done.
  void attempt(std::size_t begin, std::size_t end,
               const std::function<void()>& command) {
    const std::uint32_t file = file_;
    const std::string_view text = text_;
    const std::size_t open = open_files_.size();
    const std::size_t branches = branches_.size();
    try {
      command();
    } catch (Failure& failure) {
      if (!goes_on_) throw;
      result_.mistakes.push_back(std::move(failure.error));
      file_ = file;
      text_ = text;
      open_files_.resize(open);
      branches_.resize(branches);
      at_ = begin;
      is_changed_ = true;
      begin_piece();
      take(end - begin, Shown::Blank);
    }
  }

  [[noreturn]] void fail(std::size_t at, std::size_t length, std::string what,
                         std::string hint = {}) const {
    const Source source(files_[file_].name, files_[file_].text);
    source.fail(source.span(at, length), std::move(what), std::move(hint));
  }

  // The text that is made.
  void begin_piece() {
    pieces_.push_back({static_cast<std::uint32_t>(result_.text.size()), file_,
                       static_cast<std::uint32_t>(at_), 0});
  }
  [[nodiscard]] bool is_active() const {
    return branches_.empty() || branches_.back().is_active;
  }
  void append(std::string_view text, Shown shown) {
    if (result_.text.size() + text.size() > kLargestWhole)
      fail(at_, 0, "the files together are larger than 1 GB");
    if (!is_active() && shown == Shown::Sql) shown = Shown::Blank;
    const auto add = [&](std::string& to, bool is_blank) {
      const std::size_t from = to.size();
      to += text;
      if (!is_blank) return;
      for (std::size_t i = from; i < to.size(); ++i)
        if (to[i] != '\n') to[i] = ' ';
    };
    add(result_.text, shown == Shown::Gone);
    add(result_.sql, shown != Shown::Sql);
  }
  void take(std::size_t length, Shown shown) {
    length = std::min(length, text_.size() - at_);
    append(text_.substr(at_, length), shown);
    at_ += length;
  }
  /// What does not stand in the file but for `length` bytes of it.
  void put(std::string_view value, std::size_t length, Shown shown) {
    is_changed_ = true;
    begin_piece();
    pieces_.back().stands_for =
        static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
    append(value, shown);
  }

  [[nodiscard]] bool starts(std::string_view word) const {
    return text_.substr(at_).starts_with(word);
  }
  [[nodiscard]] std::size_t end_of_line() const {
    return std::min(text_.find('\n', at_), text_.size());
  }
  [[nodiscard]] char before() const { return at_ > 0 ? text_[at_ - 1] : ' '; }

  void step() {
    if (may_insert(at_) && constant_rows()) return;
    std::size_t end = at_;
    while (end < text_.size() && is_plain(text_[end]) &&
           (end == at_ || !may_insert(end)))
      ++end;
    if (end > at_) return take(end - at_, Shown::Sql);
    const char c = text_[at_];
    if (c == '\\') return command();
    if (starts("--")) return take(end_of_line() - at_, Shown::Sql);
    if (starts("/*")) return take(block_comment() - at_, Shown::Sql);
    if (c == '\'') {
      const bool has_escapes = (before() == 'E' || before() == 'e') &&
                               (at_ < 2 || !is_word(text_[at_ - 2]));
      return take(quoted('\'', has_escapes) - at_, Shown::Sql);
    }
    if (c == '"') return take(quoted('"', false) - at_, Shown::Sql);
    if (c == '$' && !is_word(before())) return take(dollar() - at_, Shown::Sql);
    if (c == ';') return end_of_statement();
    if (c == ':') return colon();
    take(1, Shown::Sql);
  }
  [[nodiscard]] std::size_t block_comment() const {
    int depth = 0;
    for (std::size_t at = at_; at < text_.size();) {
      if (text_.substr(at).starts_with("/*")) {
        ++depth;
        at += 2;
      } else if (text_.substr(at).starts_with("*/")) {
        at += 2;
        if (--depth == 0) return at;
      } else {
        ++at;
      }
    }
    return text_.size();
  }
  [[nodiscard]] std::size_t quoted(char quote, bool has_escapes) const {
    for (std::size_t at = at_ + 1; at < text_.size(); ++at) {
      if (has_escapes && text_[at] == '\\')
        ++at;
      else if (text_[at] == quote)
        return at + 1;
    }
    return text_.size();
  }
  [[nodiscard]] std::size_t dollar() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != '$') return at_ + 1;
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const std::size_t close = text_.find(tag, end + 1);
    return close == std::string_view::npos ? text_.size() : close + tag.size();
  }
  void colon() {
    if (starts("::")) return take(2, Shown::Sql);
    const PsqlMention mention = psql_mention(text_, at_, variables_);
    if (mention.length == 0 || !mention.is_set || !is_active())
      return take(1, Shown::Sql);
    put(mention.value, mention.length, Shown::Sql);
    at_ += mention.length;
    begin_piece();
  }

  // psql's own commands.
  void command() {
    const std::size_t begin = at_;
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != '\\' &&
           text_[end] != ' ' && text_[end] != '\t' && text_[end] != '\r')
      ++end;
    const std::string name(text_.substr(begin + 1, end - begin - 1));
    if (name.empty() && end < text_.size() && text_[end] == '\\')
      return take(2, Shown::Blank);  // "\\" ends a command's arguments
    const PsqlDeed deed = psql_deed(name);
    const bool is_whole_line = deed == PsqlDeed::Copy || name == "!" ||
                               name.starts_with('h') || name == "sf" ||
                               name == "sv" || name == "sf+" || name == "sv+";
    PsqlArguments arguments;
    if (is_whole_line)
      arguments.end = end_of_line();
    else
      arguments = psql_arguments(text_, end, variables_);
    if (decide(deed, begin, arguments)) return;
    if (!is_active()) return take(arguments.end - begin, Shown::Blank);
    attempt(begin, arguments.end, [&] {
      if (arguments.runs_shell)
        fail(begin, end - begin, "a command of the shell is not supported",
             "write what it prints");
      run(deed, name, begin, end, arguments);
    });
  }
  /// \if and what belongs to it, which count in branches that are left out,
  /// too.
  bool decide(PsqlDeed deed, std::size_t begin,
              const PsqlArguments& arguments) {
    switch (deed) {
      case PsqlDeed::If:
        branches_.push_back({begin, is_active(), false, false, false});
        branches_.back().is_active =
            branches_.back().is_outer_active && is_true(begin, arguments);
        branches_.back().was_taken = branches_.back().is_active;
        break;
      case PsqlDeed::Elif:
      case PsqlDeed::Else: {
        if (branches_.empty() || branches_.back().is_else)
          fail(begin, 5, "\\else without \\if");
        Branch& branch = branches_.back();
        branch.is_else = deed == PsqlDeed::Else;
        branch.is_active =
            branch.is_outer_active && !branch.was_taken &&
            (deed == PsqlDeed::Else || is_true(begin, arguments));
        branch.was_taken |= branch.is_active;
        break;
      }
      case PsqlDeed::Endif:
        if (branches_.empty()) fail(begin, 6, "\\endif without \\if");
        branches_.pop_back();
        break;
      default: return false;
    }
    take(arguments.end - begin, Shown::Blank);
    return true;
  }
  [[nodiscard]] bool is_true(std::size_t begin,
                             const PsqlArguments& arguments) const {
    const PsqlTruth truth = arguments.list.size() == 1
                                ? psql_truth(arguments.list.front())
                                : PsqlTruth::Neither;
    if (truth == PsqlTruth::Neither)
      fail(begin, 3, "expected true or false after \\if",
           "a variable is set with \\set name value");
    return truth == PsqlTruth::True;
  }
  void run(PsqlDeed deed, const std::string& name, std::size_t begin,
           std::size_t end, const PsqlArguments& arguments) {
    const std::size_t length = arguments.end - begin;
    switch (deed) {
      case PsqlDeed::Include:
      case PsqlDeed::IncludeRelative:
        return include(deed == PsqlDeed::IncludeRelative, begin, arguments);
      case PsqlDeed::Set: return set(begin, arguments);
      case PsqlDeed::Unset:
        if (!arguments.list.empty()) variables_.erase(arguments.list.front());
        return take(length, Shown::Gone);
      case PsqlDeed::Copy: return copy(begin, end, arguments.end);
      case PsqlDeed::Connect:
        if (!arguments.list.empty() && arguments.list.front() != "-")
          result_.connects.push_back(
              {static_cast<std::uint32_t>(result_.text.size()),
               static_cast<std::uint32_t>(length)});
        break;
      case PsqlDeed::Quit: return take(text_.size() - at_, Shown::Blank);
      case PsqlDeed::Go:
        append(";", Shown::Sql);
        result_.text.back() = '\\';
        ++at_;
        statement_ = result_.sql.size();
        return take(length - 1, Shown::Blank);
      case PsqlDeed::Refused:
        if (name == "encoding" && is_utf8(arguments)) break;
        fail(begin, end - begin, "psql's \\" + name + " is not supported",
             "it may change what runs; write the statements themselves");
      case PsqlDeed::Unknown:
        fail(begin, end - begin, "psql has no command \\" + name);
      default: break;
    }
    ++result_.commands;
    take(length, Shown::Blank);
  }
  static bool is_utf8(const PsqlArguments& arguments) {
    if (arguments.list.empty()) return true;
    std::string word;
    for (const char c : arguments.list.front())
      if (is_word(c) && c != '_') word += static_cast<char>(c | ' ');
    return word == "utf8" || word == "unicode" || word == "sqlascii";
  }
  void set(std::size_t begin, const PsqlArguments& arguments) {
    if (!arguments.list.empty()) {
      std::string value;
      for (std::size_t i = 1; i < arguments.list.size(); ++i)
        value += arguments.list[i];
      const std::string& name = arguments.list.front();
      if (name == "AUTOCOMMIT" && psql_truth(value) != PsqlTruth::True)
        fail(begin, arguments.end - begin,
             "\\set AUTOCOMMIT off is not supported", "write BEGIN and COMMIT");
      variables_[name] = value;
    }
    take(arguments.end - begin, Shown::Gone);
    is_changed_ = true;
  }

  [[nodiscard]] std::string text_of(const std::string& path,
                                    std::size_t begin) const {
    auto input = read::Input::open(path);
    std::string text;
    if (input) {
      do {
        text += input->window();
        input->consume(input->window().size());
      } while (text.size() <= kLargestWhole && input->more());
    }
    if (!input || input->error()) {
      const std::string why =
          !input ? input.error().what : input->error()->what;
      fail(begin, end_of_line() - begin, "'" + path + "': " + why,
           "psql takes the name in \\i from the working directory, in \\ir "
           "from the directory of the script");
    }
    return text;
  }
  void include(bool is_relative, std::size_t begin,
               const PsqlArguments& arguments) {
    if (arguments.list.empty())
      fail(begin, 2, "expected a file's name after \\i");
    std::filesystem::path path = arguments.list.front();
    if (is_relative && path.is_relative())
      path = std::filesystem::path(files_[file_].name).parent_path() / path;
    if (!is_relative && goes_on_) path = near_script(path);
    const std::string name = path.string();
    for (const std::uint32_t open : open_files_)
      if (files_[open].name == name)
        fail(begin, arguments.end - begin, "'" + name + "' includes itself");
    if (open_files_.size() >= kDeepestInclude)
      fail(begin, arguments.end - begin,
           "files are included more than 50 deep");
    std::string text = text_of(name, begin);
    check_text(name, text);
    is_changed_ = true;
    take(arguments.end - begin, Shown::Gone);
    files_.push_back({name, std::move(text)});
    walk(static_cast<std::uint32_t>(files_.size() - 1));
    // What the file leaves open does not swallow what follows: psql sends it.
    const bool is_open =
        !is_only_comments(std::string_view(result_.sql).substr(statement_));
    put(is_open ? ";\n" : "\n", 1, Shown::Sql);
    statement_ = result_.sql.size();
    begin_piece();
  }
  /// \i takes the name from where psql was started, which often is the folder
  /// above that of the script.
  [[nodiscard]] std::filesystem::path near_script(
      const std::filesystem::path& path) const {
    std::error_code none;
    if (path.is_absolute() || std::filesystem::exists(path, none)) return path;
    std::filesystem::path folder =
        std::filesystem::absolute(files_[file_].name, none).parent_path();
    for (int up = 0; up < 6 && !folder.empty(); ++up) {
      if (std::filesystem::exists(folder / path, none)) return folder / path;
      folder = folder.parent_path();
    }
    return path;
  }

  /// INSERT at the beginning of a line.
  [[nodiscard]] bool may_insert(std::size_t at) const {
    return (text_[at] | ' ') == 'i' && (at == 0 || text_[at - 1] == '\n');
  }
  bool constant_rows() {
    const std::string_view before =
        std::string_view(result_.sql).substr(statement_);
    if (!is_active() || !is_only_comments(before)) return false;
    const auto found = constant_inserts(text_, at_);
    if (!found) return false;
    take(found->first_row - at_, Shown::Sql);
    InsertedRows rows;
    rows.from = static_cast<std::uint32_t>(result_.text.size());
    rows.head = static_cast<std::uint32_t>(found->head);
    take(found->semicolon - at_, Shown::Blank);
    take(1, Shown::Sql);
    take(found->end - at_, Shown::Blank);
    rows.to = static_cast<std::uint32_t>(result_.text.size());
    statement_ = result_.sql.size();
    result_.inserts.push_back(rows);
    return true;
  }
  // COPY and \copy.
  void copy(std::size_t begin, std::size_t words, std::size_t end) {
    const PsqlCopy parts = psql_copy(text_.substr(words, end - words));
    if (!parts.is_from) {  // it writes a file
      ++result_.commands;
      return take(end - begin, Shown::Blank);
    }
    if (!parts.is_file && parts.source != "stdin")
      fail(begin, end - begin,
           "\\copy from " + parts.source + " is not supported",
           "name a file, or write the rows after \\copy ... from stdin");
    std::string rows;
    if (parts.is_file) rows = text_of(parts.source, begin);
    if (parts.is_file) check_text(parts.source, rows);
    take(end - begin, Shown::Gone);
    at_ = begin;
    put("COPY " + parts.target + "FROM stdin " + parts.options, end - begin,
        Shown::Sql);
    CopyData data;
    data.statement_end = static_cast<std::uint32_t>(result_.text.size());
    append(";", Shown::Sql);
    at_ = end;
    if (!parts.is_file) {
      begin_piece();
      return rows_here(data);
    }
    const std::uint32_t outer = file_;
    files_.push_back({parts.source, rows});
    file_ = static_cast<std::uint32_t>(files_.size() - 1);
    at_ = 0;
    begin_piece();
    data.from = static_cast<std::uint32_t>(result_.text.size());
    append(rows, Shown::Blank);
    data.to = static_cast<std::uint32_t>(result_.text.size());
    file_ = outer;
    at_ = end;
    put("\n", 1, Shown::Sql);
    begin_piece();
    statement_ = result_.sql.size();
    result_.copies.push_back(data);
  }
  /// The rows that stand in the file from the next line on.
  void rows_here(CopyData data) {
    take(end_of_line() + 1 - at_, Shown::Sql);
    data.from = static_cast<std::uint32_t>(result_.text.size());
    while (at_ < text_.size()) {
      const std::size_t line_end = end_of_line();
      std::string_view line = text_.substr(at_, line_end - at_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line == "\\.") break;
      take(line_end + 1 - at_, Shown::Blank);
    }
    data.to = static_cast<std::uint32_t>(result_.text.size());
    take(end_of_line() - at_, Shown::Blank);
    statement_ = result_.sql.size();
    result_.copies.push_back(data);
  }
  /// COPY name [(...)] FROM stdin ...
  [[nodiscard]] bool is_copy() const {
    const std::string_view sql =
        std::string_view(result_.sql).substr(statement_);
    std::size_t from = 0;
    const auto skip = [&] {
      from = std::min(sql.find_first_not_of(" \t\r\n", from), sql.size());
    };
    skip();
    while (sql.substr(from).starts_with("--")) {
      from = std::min(sql.find('\n', from), sql.size());
      skip();
    }
    const auto same = [](char a, char b) { return (a | ' ') == (b | ' '); };
    const auto has = [&](std::string_view text, std::string_view word) {
      return std::search(text.begin(), text.end(), word.begin(), word.end(),
                         same) != text.end();
    };
    return has(sql.substr(from, 5), "copy ") &&
           has(sql.substr(from), "from stdin");
  }
  void end_of_statement() {
    const bool is_data = is_active() && is_copy();
    CopyData copy;
    copy.statement_end = static_cast<std::uint32_t>(result_.text.size());
    take(1, Shown::Sql);
    statement_ = result_.sql.size();
    if (is_data) rows_here(copy);
  }

  std::vector<File> files_;
  std::vector<std::uint32_t> open_files_;
  PsqlVariables variables_;
  std::vector<Branch> branches_;
  // Of the file that is walked over.
  std::uint32_t file_ = 0;
  std::string_view text_;
  std::size_t at_ = 0;
  // Of what is made.
  PsqlText result_;
  std::vector<SourceMap::Piece> pieces_;
  std::size_t statement_ = 0;
  bool is_changed_ = false;
  bool goes_on_ = false;  // behind mistakes
};

}  // namespace

PsqlText read_psql(const std::string& file, std::string text,
                   Mistakes mistakes) {
  return Walker(mistakes).run(file, std::move(text));
}

}  // namespace txscope::sql
