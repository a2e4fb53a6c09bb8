#pragma once

#include <map>
#include <vector>

#include "analyze/arguments/parameter_use.h"

namespace txscope::analyze {

/// Which part of which parameter the expressions of a routine are: the
/// parameter itself, a member of it (`p ->> 'id'`), an item (`unnest(p)`), or a
/// variable that got one of these.
///
/// It need not be right: arguments are chosen by it, and are tried then.
class ParameterSources {
 public:
  ParameterSources(const sql::Routine& routine,
                   std::vector<ParameterUse>& uses);

  /// Where an expression stands in no query, `query` is null.  Null: it is of
  /// no parameter.
  [[nodiscard]] ParameterUse* of(const sql::Expr& e,
                                 const sql::Query* query) const;

 private:
  void follow(const sql::PlStatement& s);
  void take(const sql::Query& query, const std::vector<std::uint32_t>& into);
  [[nodiscard]] ParameterUse* part(const sql::Expr& e,
                                   const sql::Query* query) const;
  [[nodiscard]] ParameterUse* path(const sql::Expr& e,
                                   const sql::Query* query) const;
  [[nodiscard]] ParameterUse* column(const sql::Query& from,
                                     std::uint32_t index) const;

  std::map<std::uint32_t, ParameterUse*> slots_;
  std::vector<ParameterUse>& uses_;
  std::size_t first_setting_ = 0;  ///< among them
};

}  // namespace txscope::analyze
