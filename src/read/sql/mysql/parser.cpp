#include "read/sql/mysql/parser.h"

#include <utility>

#include "read/sql/mysql/lexer.h"
#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql {

std::shared_ptr<MysqlStatement> parse_mysql(const Source& source,
                                            std::string_view text,
                                            std::uint32_t offset,
                                            MysqlText what) {
  std::vector<Token> tokens = std::move(scan_mysql(source, text, offset).list);
  while (!tokens.empty() && tokens.back().is(";")) tokens.pop_back();
  syntax::Rooms rooms(source, std::move(tokens), offset);
  switch (what) {
    case MysqlText::Statement: rooms.statements.statement(); break;
    case MysqlText::Expression: rooms.statements.expression(); break;
    case MysqlText::Type: rooms.statements.type(); break;
  }
  return std::move(rooms.made);
}

}  // namespace txscope::sql
