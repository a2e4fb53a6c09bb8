#include "certify/certify.h"

#include "certify/holds.h"
#include "certify/reading.h"
#include "certify/refutation.h"

namespace txscope::certify {

Certificate certify(const History& history, const Verdict& verdict) {
  if (verdict.outcome() == Outcome::Undecided) return {true, ""};
  const Reading reading(history);
  if (verdict.outcome() == Outcome::Holds)
    return certify_commit_order(reading, verdict.level, verdict.commit_order());
  return certify_refutation(reading, verdict.level, verdict.refutation());
}

}  // namespace txscope::certify
