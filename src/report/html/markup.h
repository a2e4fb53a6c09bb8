#pragma once

#include <map>
#include <string>
#include <string_view>

namespace txscope::report::html_page {

/// Text of others as text of a page or as the value of an attribute: nothing in
/// it is markup, control characters and what turns the direction of writing are
/// shown as escapes, and broken UTF-8 as the sign for that.
[[nodiscard]] std::string text(std::string_view text);
/// The same; line breaks stay.
[[nodiscard]] std::string lines(std::string_view text);
/// Something that can be an id and the end of an address: letters, digits, `-`.
[[nodiscard]] std::string anchor(std::string_view id);
/// For a data block: no `<` in it ends the block.
[[nodiscard]] std::string data_block(std::string_view json);
/// 'sha256-..' of what stands between the tags.
[[nodiscard]] std::string policy_hash(std::string_view content);

/// Places in a grid that only this page has: a class for each, because the
/// policy forbids style attributes.
class PlaceRules {
 public:
  /// The class of `declarations`.
  std::string of(const std::string& declarations);
  [[nodiscard]] std::string css() const;

 private:
  std::map<std::string, std::string> known_;
};

/// Real files of assets/, embedded at build.
[[nodiscard]] std::string_view style_sheet();
[[nodiscard]] std::string_view script();

}  // namespace txscope::report::html_page
