#pragma once

#include <string>

#include "audit/audit.h"

namespace txscope::audit {

/// What a second look at an explanation found.
struct Certificate {
  enum class Kind : std::uint8_t {
    Stands,
    Fails,    ///< `words`: why; the answer was wrong
    NotDone,  ///< `words`: why not
  };
  Kind kind = Kind::NotDone;
  std::string words;
};

/// Runs a log again in the order that explains it.
///
/// Definition.  The order has every transaction that must be explained once,
/// sessions in their order and, if strict, real time; each transaction, run on
/// the state that the evidence names, or each statement on its own, gives every
/// answer of the log; at snapshot isolation nobody between wrote what it
/// writes. Method.  Whole tables per state, copied when they are written; write
/// sets from what differs afterwards.  It shares the meaning of SQL and of "the
/// same answer" with the search, but neither its versions nor its choices.  Not
/// done where a statement saw rows of several states that have no primary key.
[[nodiscard]] Result<Certificate> certify(const LogInput& input,
                                          const AuditOptions& options,
                                          const AuditResult& result,
                                          const Budget& budget);

}  // namespace txscope::audit
