#pragma once

#include "read/sql/analyze/change/changes.h"
#include "read/sql/analyze/change/parts.h"
#include "read/sql/analyze/expression/arrays.h"
#include "read/sql/analyze/expression/expressions.h"
#include "read/sql/analyze/expression/operators.h"
#include "read/sql/analyze/expression/rows.h"
#include "read/sql/analyze/expression/synonyms.h"
#include "read/sql/analyze/function/aggregates.h"
#include "read/sql/analyze/function/builtins.h"
#include "read/sql/analyze/function/calls.h"
#include "read/sql/analyze/function/functions.h"
#include "read/sql/analyze/function/windows.h"
#include "read/sql/analyze/query/from_clause.h"
#include "read/sql/analyze/query/queries.h"
#include "read/sql/analyze/query/sets.h"

namespace txscope::sql::analyzer {

/// All rooms of the analysis of one statement, which call one another.
struct Rooms {
  Rooms(const Tree& tree, const Catalog& catalog, const Names* names,
        Lifter* lifter)
      : scope(tree, catalog, names, lifter) {}
  Rooms(const Rooms&) = delete;
  Rooms& operator=(const Rooms&) = delete;

  NameScope scope;
  Expressions expressions{*this, scope};
  Operators operators{*this, scope};
  Rows rows{*this, scope};
  Arrays arrays{*this, scope};
  Functions functions{*this, scope};
  Builtins builtins{*this, scope};
  Synonyms synonyms{*this, scope};
  Aggregates aggregates{*this, scope};
  Windows windows{*this, scope};
  Calls calls{*this, scope};
  Queries queries{*this, scope};
  FromClause from{*this, scope};
  Sets sets{*this, scope};
  Changes changes{*this, scope};
  Parts parts{*this, scope};
};

}  // namespace txscope::sql::analyzer
