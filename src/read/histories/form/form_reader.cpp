#include "read/histories/form/form_reader.h"

#include <algorithm>
#include <cstring>

#include "read/histories/form/form_characters.h"
#include "read/input.h"
#include "read/scan.h"

namespace txscope::read {
namespace {

std::string_view noun(FormKind kind) { return with_article(kind).substr(2); }

FormKind kind_of(char bracket) {
  switch (bracket) {
    case '{': return FormKind::Map;
    case '[': return FormKind::Vector;
    default: return FormKind::List;
  }
}

char closing(FormKind kind) {
  if (kind == FormKind::Vector) return ']';
  return kind == FormKind::List ? ')' : '}';
}

}  // namespace

std::string_view with_article(FormKind kind) {
  switch (kind) {
    case FormKind::Nil: return "nil";
    case FormKind::Bool: return "a boolean";
    case FormKind::Integer: return "an integer";
    case FormKind::Number: return "a number that is not a 64-bit integer";
    case FormKind::String: return "a string";
    case FormKind::Character: return "a character";
    case FormKind::Keyword: return "a keyword";
    case FormKind::Symbol: return "a symbol";
    case FormKind::Map: return "a map";
    case FormKind::Vector: return "a vector";
    case FormKind::List: return "a list";
    case FormKind::Set: return "a set";
  }
  return "";
}

FormReader::FormReader(Input& input, Notation notation)
    : input_(&input), notation_(notation) {}

Result<bool> FormReader::next_element() {
  if (error_) return *error_;
  if (input_->line() == 0) input_->line_begins(0);
  for (;;) {
    skip_blank();
    forget_text();
    if (at_end()) return end_of_elements();
    const char c = text_[pos_];
    if (outer_ == 0 && !has_element_ &&
        (c == '[' || (c == '(' && !is_json()))) {
      outer_ = closing(kind_of(c));
      outer_line_ = input_->line();
      has_tag_ = false;
      ++pos_;
      continue;
    }
    if (is_outer_closed_) {
      fail(pos_, "text after the end of the history",
           "a file holds one vector of events, or events one after the other");
      return *error_;
    }
    if (c == outer_) {
      if (has_tag_) return end_of_elements();
      is_outer_closed_ = true;
      ++pos_;
      continue;
    }
    if (is_json() && outer_ != 0 && has_element_) {
      if (!pass_comma()) return *error_;
      forget_text();
    }
    if (c == '#' && !is_json() && skip_tag()) continue;
    form_line_ = input_->line();
    switch (parse()) {
      case Parsed::Value:
        has_element_ = true;
        has_tag_ = false;
        return true;
      case Parsed::Nothing: continue;
      case Parsed::Failed: return *error_;
    }
  }
}

// Tags around the elements and around all of them count for nothing.
bool FormReader::skip_tag() {
  ++pos_;
  const bool is_tag = !at_end() && !is_delimiter(text_[pos_]) &&
                      text_[pos_] != '_' && text_[pos_] != '#';
  if (!is_tag) {
    --pos_;
    return false;
  }
  scan_token();
  has_tag_ = true;
  return true;
}

Result<bool> FormReader::end_of_elements() {
  if (input_->error()) {
    error_ = input_->error();
  } else if (has_tag_) {
    fail(pos_, "a tag without a value", "");
  } else if (outer_ != 0 && !is_outer_closed_) {
    fail(
        pos_,
        std::string("the file ends before the '") + outer_ + "' that closes it",
        "it was opened in line " + std::to_string(outer_line_) +
            "; the file may be cut off");
  }
  if (error_) return *error_;
  return false;
}

Result<bool> FormReader::next_in(std::string_view text, std::size_t& at) {
  is_line_ = true;
  error_.reset();
  text_ = text.data();
  size_ = text.size();
  pos_ = at;
  form_line_ = input_->line();
  for (;;) {
    skip_blank();
    if (at_end()) return false;
    const Parsed step = parse();
    at = pos_;
    if (step == Parsed::Failed) return *error_;
    if (step == Parsed::Value) return true;
  }
}

Error FormReader::error_at(const FormNode& node, std::string what,
                           std::string hint) {
  return error_at(node.at, std::move(what), std::move(hint));
}

Error FormReader::error_at(std::size_t at, std::string what, std::string hint) {
  if (!is_line_) note_lines(at);
  return input_->error_at(text_ + at, std::move(what), std::move(hint));
}

bool FormReader::fail(std::size_t at, std::string what, std::string hint) {
  if (error_) return false;
  if (input_->error())
    error_ = input_->error();
  else
    error_ = error_at(at, std::move(what), std::move(hint));
  return false;
}

// What is missing at the end of the text is missing after its last character,
// not in the empty line behind it.
bool FormReader::fail_at_end(const std::string& how) {
  std::size_t at = size_;
  while (at > 0 && is_form_blank(text_[at - 1]) && text_[at - 1] != ',') --at;
  if (is_line_) return fail(at, "the line " + how);
  std::string hint = "the file may be cut off";
  if (!open_.empty()) {
    const auto newlines = static_cast<std::uint64_t>(
        std::count(text_, text_ + open_.back().at, '\n'));
    hint = "it began in line " + std::to_string(form_line_ + newlines) +
           "; the file may be cut off";
  }
  return fail(at, "the file " + how, std::move(hint));
}

bool FormReader::refill() {
  if (is_line_) return false;
  if (size_ > kMaxSize)
    return fail(0, "the event is longer than 268,435,456 bytes");
  // At first the window holds what told the format.
  const bool has_more = input_->window().size() > size_ || input_->more();
  text_ = input_->window().data();
  size_ = input_->window().size();
  return has_more;
}

void FormReader::note_lines(std::size_t to) {
  while (noted_ < to) {
    const void* found = std::memchr(text_ + noted_, '\n', to - noted_);
    if (found == nullptr) break;
    noted_ =
        static_cast<std::size_t>(static_cast<const char*>(found) - text_) + 1;
    input_->line_begins(noted_);
  }
}

void FormReader::forget_text() {
  if (pos_ == 0) return;
  note_lines(pos_);
  input_->consume(pos_);
  text_ += pos_;
  size_ -= pos_;
  pos_ = 0;
  noted_ = 0;
}

void FormReader::skip_blank() {
  const bool is_edn = !is_json();
  while (!at_end()) {
    const char* p = text_ + pos_;
    const char* const end = text_ + size_;
    while (p != end && is_form_blank(*p) && (is_edn || *p != ',')) ++p;
    pos_ = static_cast<std::size_t>(p - text_);
    if (pos_ == size_) continue;
    if (text_[pos_] != ';' || is_json()) return;
    while (!at_end()) {
      const void* found = std::memchr(text_ + pos_, '\n', size_ - pos_);
      if (found == nullptr) {
        pos_ = size_;
        continue;
      }
      pos_ = static_cast<std::size_t>(static_cast<const char*>(found) - text_);
      break;
    }
  }
}

FormReader::Parsed FormReader::parse() {
  form_.nodes.clear();
  form_.unescaped.clear();
  open_.clear();
  do {
    skip_blank();
    if (at_end()) {
      fail_at_end("ends inside " + open_description());
      return Parsed::Failed;
    }
    if (is_json() && !pass_separator()) return Parsed::Failed;
    if (!parse_token()) return Parsed::Failed;
  } while (!open_.empty());
  form_.source = std::string_view(text_, size_);
  return form_.nodes.empty() ? Parsed::Nothing : Parsed::Value;
}

std::string FormReader::open_description() const {
  const Open& top = open_.back();
  if (top.frame == Frame::Discard) return "a '#_'";
  if (top.frame == Frame::Tag) return "a tagged value";
  return std::string(with_article(form_.nodes[top.node].kind));
}

// JSON says what stands between values: a colon after the name of a member, a
// comma after any other value unless it is the last.
bool FormReader::pass_separator() {
  if (open_.empty()) return true;
  const Open& top = open_.back();
  const bool is_map = form_.nodes[top.node].kind == FormKind::Map;
  if (is_map && top.count % 2 != 0) {
    if (text_[pos_] != ':')
      return fail(pos_, "expected ':' after the name of a member");
    ++pos_;
    skip_blank();
    return at_end() ? fail_at_end("ends inside a map") : true;
  }
  if (text_[pos_] == '}' || text_[pos_] == ']') return true;
  if (top.count > 0 && !pass_comma()) return false;
  if (is_map && text_[pos_] != '"')
    return fail(pos_, "expected the name of a member, in double quotes");
  return true;
}

bool FormReader::pass_comma() {
  if (text_[pos_] != ',') return fail(pos_, "expected ','");
  ++pos_;
  skip_blank();
  if (at_end()) return fail_at_end("ends after a ','");
  if (text_[pos_] == '}' || text_[pos_] == ']')
    return fail(pos_, "a value is missing after the ','");
  return true;
}

bool FormReader::parse_token() {
  const char c = text_[pos_];
  if (is_json() &&
      std::string_view("()#\\,;").find(c) != std::string_view::npos)
    return fail(pos_, std::string("unexpected '") + c + "'");
  switch (c) {
    case '[':
      if (parse_plain_step()) return true;
      [[fallthrough]];
    case '{':
    case '(': return open(kind_of(c), 1);
    case '}':
    case ']':
    case ')': return close(c);
    case '#': return parse_hash();
    case '"': return parse_string();
    case '\\': return parse_character();
    default: return parse_word();
  }
}

bool FormReader::push(Frame frame, std::size_t at) {
  if (open_.size() >= kMaxDepth)
    return fail(at, "values are nested more than " + std::to_string(kMaxDepth) +
                        " deep");
  open_.push_back({frame, static_cast<std::uint32_t>(form_.nodes.size()),
                   static_cast<std::uint32_t>(at), 0});
  return true;
}

bool FormReader::open(FormKind kind, std::size_t bracket_size) {
  if (!push(Frame::Collection, pos_)) return false;
  FormNode node;
  node.kind = kind;
  node.at = static_cast<std::uint32_t>(pos_);
  form_.nodes.push_back(node);
  pos_ += bracket_size;
  form_.nodes.back().text = static_cast<std::uint32_t>(pos_);
  if (known_lists_ != nullptr && kind == FormKind::Vector)
    pass_known_elements();
  return true;
}

bool FormReader::close(char bracket) {
  if (open_.empty())
    return fail(pos_, std::string("unexpected '") + bracket + "'");
  const Open top = open_.back();
  if (top.frame == Frame::Tag) return fail(pos_, "a tag without a value");
  if (top.frame == Frame::Discard)
    return fail(pos_, "nothing follows the '#_'");
  FormNode& node = form_.nodes[top.node];
  if (closing(node.kind) != bracket)
    return fail(pos_,
                std::string("expected '") + closing(node.kind) + "', found '" +
                    bracket + "'",
                "the " + std::string(noun(node.kind)) + " is still open");
  if (node.kind == FormKind::Map && top.count % 2 != 0)
    return fail(pos_, "the last key of the map has no value");
  node.size = static_cast<std::uint32_t>(form_.nodes.size() - top.node - 1);
  open_.pop_back();
  ++pos_;
  finish_value();
  return true;
}

// A value is complete: it is an element, or what a tag or a #_ waited for.
void FormReader::finish_value() {
  while (!open_.empty()) {
    Open& top = open_.back();
    if (top.frame == Frame::Collection) {
      ++top.count;
      return;
    }
    const bool is_discard = top.frame == Frame::Discard;
    if (is_discard) form_.nodes.resize(top.node);
    open_.pop_back();
    if (is_discard) return;
  }
}

bool FormReader::parse_hash() {
  const std::size_t at = pos_++;
  if (at_end()) return fail(at, "expected a tag after '#'");
  switch (text_[pos_]) {
    case '{': --pos_; return open(FormKind::Set, 2);
    case '_': ++pos_; return push(Frame::Discard, at);
    case '"': return parse_string();
    case '#': {
      ++pos_;
      const std::size_t size = scan_token();
      add_scalar(FormKind::Number, at, at, size + 2);
      return true;
    }
    default:
      if (is_delimiter(text_[pos_]))
        return fail(at, "expected a tag after '#'");
      scan_token();
      return push(Frame::Tag, at);
  }
}

}  // namespace txscope::read
