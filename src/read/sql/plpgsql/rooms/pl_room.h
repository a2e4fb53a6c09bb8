#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/text/token_cursor.h"

namespace txscope::sql::plpgsql {

struct Rooms;

/// A block or a loop that EXIT can name.
struct Label {
  std::string name;
  LabelId id;
  bool is_loop = false;
};

/// Variables that get a value, and where they are named.
using Targets = std::vector<std::pair<Binding, Span>>;

/// What reads one kind of statement of PL/pgSQL: recursive descent over the
/// tokens that all rooms share, PostgreSQL's parser for the SQL in them.
class PlRoom : protected TokenCursor {
 public:
  explicit PlRoom(Rooms& rooms);

 protected:
  static constexpr std::uint32_t kDeepest = 100;  // blocks and statements

  std::string name(std::string_view what);
  /// The first of `words` from here on that stands in no parentheses.
  [[nodiscard]] std::size_t find(
      std::initializer_list<std::string_view> words) const;
  [[nodiscard]] std::size_t end_of_statement() const { return find({";"}); }
  /// The text of tokens [from, to).
  [[nodiscard]] Span text(std::size_t from, std::size_t to) const;
  Expr expression_until(std::size_t end, PlBlock& before);
  Label new_label(const std::string& name, bool is_loop);
  template <class What>
  void emit(PlBlock& out, Span at, What what) const {
    out.push_back(make(at, std::move(what)));
  }

  Rooms& rooms_;
  RoutineBuilder& builder_;
};

}  // namespace txscope::sql::plpgsql
