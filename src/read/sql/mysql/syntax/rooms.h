#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "read/sql/mysql/syntax/alterations.h"
#include "read/sql/mysql/syntax/changes.h"
#include "read/sql/mysql/syntax/definitions.h"
#include "read/sql/mysql/syntax/expressions.h"
#include "read/sql/mysql/syntax/functions.h"
#include "read/sql/mysql/syntax/keys.h"
#include "read/sql/mysql/syntax/queries.h"
#include "read/sql/mysql/syntax/sessions.h"
#include "read/sql/mysql/syntax/statements.h"
#include "read/sql/mysql/syntax/tables.h"
#include "read/sql/mysql/syntax/types.h"

namespace txscope::sql::syntax {

/// Who reads which part of a statement, and what they know of where they are.
struct Rooms {
  Rooms(const Source& of, std::vector<Token> all, std::uint32_t offset)
      : source(of), tokens(std::move(all)) {
    end.offset = tokens.empty() ? offset : tokens.back().end();
  }
  Rooms(const Rooms&) = delete;
  Rooms& operator=(const Rooms&) = delete;

  const Source& source;
  const std::vector<Token> tokens;
  Token end;           ///< behind the last one
  std::size_t at = 0;  ///< the next token
  int depth = 0;
  int open_values = 0;           ///< how many `?` there were
  bool in_on_duplicate = false;  ///< ... KEY UPDATE, where VALUES() is one
  std::shared_ptr<MysqlStatement> made = std::make_shared<MysqlStatement>();

  Statements statements{*this};
  Expressions expressions{*this};
  Functions functions{*this};
  Types types{*this};
  Queries queries{*this};
  Changes changes{*this};
  Tables tables{*this};
  Keys keys{*this};
  Alterations alterations{*this};
  Definitions definitions{*this};
  Sessions sessions{*this};
};

}  // namespace txscope::sql::syntax
