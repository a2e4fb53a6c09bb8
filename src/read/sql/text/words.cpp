#include "read/sql/text/words.h"

#include <algorithm>
#include <memory>
#include <string>

namespace txscope::sql {

std::vector<Token> words_of(std::string_view text, std::size_t from,
                            std::size_t to, bool is_mysql) {
  to = std::min(to, text.size());
  if (from >= to) return {};
  const std::string_view piece = text.substr(from, to - from);
  const Source source("", piece, nullptr,
                      is_mysql ? std::make_shared<MysqlState>() : nullptr);
  try {
    std::vector<Token> words = scan(source, piece, 0).list;
    for (Token& word : words) word.offset += static_cast<std::uint32_t>(from);
    return words;
  } catch (const Failure&) {
    return {};
  }
}

}  // namespace txscope::sql
