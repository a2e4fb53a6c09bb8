#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "model/sql/routine.h"

namespace txscope::analysis {

/// What may still happen behind a statement of a routine, on any path.
enum class Behind : std::uint8_t {
  Nothing,  ///< variables are copied, and the routine ends
  Errors,   ///< and errors may be raised
  Asks,     ///< the database is asked again, or who knows
};

/// The ends of transactions inside of a routine behind which nothing happens in
/// the database: whoever comes there is done, as if the call itself ended.
///
/// Method.  Each block is gone through from its end, with what is known to come
/// behind it; a COMMIT is a last one if nothing can fail behind it, a ROLLBACK
/// if nobody asks the database.  What is in a loop never is.  Linear.
class LastEnds {
 public:
  /// `behind`: what comes when the routine is over.
  LastEnds(const sql::PlBlock& body, Behind behind) { walk(body, behind); }

  [[nodiscard]] bool has(const sql::PlEnd& end) const {
    return ends_.contains(&end);
  }
  /// What comes behind a call that stands in the routine.
  [[nodiscard]] Behind behind(const sql::PlCall& call) const {
    const auto found = calls_.find(&call);
    return found == calls_.end() ? Behind::Asks : found->second;
  }

 private:
  /// What comes before the block, or the statement, sees behind itself.
  Behind walk(const sql::PlBlock& block, Behind rest);
  Behind before(const sql::PlStatement& s, Behind rest);

  std::set<const sql::PlEnd*> ends_;
  std::map<const sql::PlCall*, Behind> calls_;
  std::map<sql::LabelId, Behind> labels_;
};

}  // namespace txscope::analysis
