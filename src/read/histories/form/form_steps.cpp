// The steps of an event, [:append 3 17] or [:r 5 [1 2 3]], are most of a
// history's text.  What they are usually made of is read here in one go, and
// lists that begin as they did when they were read before are compared with
// that; whatever else there may be is left to the general reader, which also
// finds all mistakes (bench_check, lists).

#include <cstring>
#include <string_view>

#include "read/histories/form/form_characters.h"
#include "read/histories/form/form_reader.h"
#include "read/list_text.h"

namespace txscope::read {
namespace {

// The names of nearly all steps are compared as a whole; 0 if it is another.
std::size_t step_name(std::string_view text, std::size_t at, FormNode& node) {
  const auto begins_with = [&]<std::size_t size>(const char(&name)[size]) {
    return text.size() - at >= size - 1 &&
           std::memcmp(text.data() + at, name, size - 1) == 0;
  };
  std::size_t size = 0;
  if (begins_with(":r "))
    size = 1;
  else if (begins_with(":append "))
    size = 6;
  else
    return 0;
  node.kind = FormKind::Keyword;
  node.at = static_cast<std::uint32_t>(at);
  node.text = node.at + 1;
  node.size = static_cast<std::uint32_t>(size);
  return at + 1 + size;
}

std::size_t plain_nil(std::string_view text, std::size_t at, FormNode& node) {
  const std::size_t end = at + 3;
  if (text.substr(at, 3) != "nil" || end >= text.size() ||
      !is_delimiter(text[end]))
    return 0;
  node.at = node.text = static_cast<std::uint32_t>(at);
  node.size = 3;
  return end;
}

std::size_t plain_word(std::string_view text, std::size_t at, FormNode& node) {
  if (at >= text.size()) return 0;
  if (text[at] == ':') {
    const std::size_t end = step_name(text, at, node);
    return end != 0 ? end : short_keyword(text, at, node);
  }
  if (text[at] == 'n') return plain_nil(text, at, node);
  return short_number(text, at, node);
}

}  // namespace

// A step that is in memory as a whole, with one blank between its parts; false
// if it is not, and then nothing has happened.
bool FormReader::parse_plain_step() {
  if (is_json() || open_.size() != 2 || open_[1].frame != Frame::Collection)
    return false;
  const std::string_view text(text_, size_);
  auto& nodes = form_.nodes;
  const std::size_t step = nodes.size();
  nodes.resize(step + 4);
  std::size_t at = pos_ + 1;
  for (std::size_t part = 1; part <= 3 && at != 0; ++part) {
    const bool is_list = part == 3 && at < size_ && text[at] == '[';
    at = is_list ? plain_list(at, step)
                 : plain_word(text, at, nodes[step + part]);
    if (at != 0 && text[at++] != (part == 3 ? ']' : ' ')) at = 0;
  }
  if (at == 0) {
    nodes.resize(step);
    return false;
  }
  nodes[step].kind = FormKind::Vector;
  nodes[step].at = static_cast<std::uint32_t>(pos_);
  nodes[step].text = static_cast<std::uint32_t>(pos_ + 1);
  nodes[step].size = static_cast<std::uint32_t>(nodes.size() - step - 1);
  pos_ = at;
  ++open_[1].count;
  return true;
}

// The list of a plain step; where it ends, or 0.
std::size_t FormReader::plain_list(std::size_t at, std::size_t step) {
  const std::string_view text(text_, size_);
  auto& nodes = form_.nodes;
  const std::size_t list = step + 3;
  nodes[list].kind = FormKind::Vector;
  nodes[list].at = static_cast<std::uint32_t>(at);
  at = skip_known(nodes[step + 2], nodes[list], at + 1);
  for (;;) {
    while (at < size_ && text[at] == ' ') ++at;
    if (at == size_) return 0;
    if (text[at] == ']') break;
    FormNode element;
    at = short_number(text, at, element);
    if (at == 0) return 0;
    nodes.push_back(element);
  }
  nodes[list].size = static_cast<std::uint32_t>(nodes.size() - list - 1);
  return at + 1;
}

// The list just opened may be the third part of a step.
void FormReader::pass_known_elements() {
  if (open_.size() != 4 || open_[2].frame != Frame::Collection ||
      open_[2].count != 2)
    return;
  const std::size_t list = open_[3].node;
  const std::size_t key = open_[2].node + std::size_t{2};
  if (key + 1 != list) return;
  pos_ = skip_known(form_.nodes[key], form_.nodes[list], pos_);
  open_[3].count = static_cast<std::uint32_t>(form_.nodes[list].integer);
}

// Where the elements of the key's list begin that are to become nodes, given
// where the list begins.  What is known has been read before and is right.
std::size_t FormReader::skip_known(const FormNode& key, FormNode& list,
                                   std::size_t at) {
  list.text = static_cast<std::uint32_t>(at);
  const ListText* known =
      known_lists_ == nullptr || key.is_unescaped
          ? nullptr
          : known_lists_->of(key, {text_ + key.text, key.size});
  if (known == nullptr) return at;
  const auto [bytes, elements, is_whole] =
      known->beginning_of({text_ + at, size_ - at});
  if (!is_whole && (bytes == 0 || !is_form_blank(text_[at + bytes]))) return at;
  list.text = static_cast<std::uint32_t>(at + bytes);
  list.integer = static_cast<std::int64_t>(elements);
  return at + bytes;
}

}  // namespace txscope::read
