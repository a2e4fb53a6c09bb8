#include "verify/sql/engine_cover.h"

#include "analysis/may_fail.h"

namespace txscope::verify {

EngineCover::EngineCover(const sql::Application& application,
                         const Profile& profile)
    : application_(application), profile_(profile) {
  const bool is_read_committed =
      profile.isolation == Isolation::ReadUncommitted ||
      profile.isolation == Isolation::ReadCommitted ||
      // Writes see the latest rows.
      (profile.isolation == Isolation::RepeatableRead &&
       profile.product != Product::PostgreSql);
  rereads_ = is_read_committed;
  is_one_ = profile.isolation != Isolation::ReadUncommitted;
  if (is_read_committed) return;
  const bool is_serial = profile.isolation == Isolation::Serializable &&
                         profile.product != Product::Oracle;
  base_ = is_serial ? Base::Serializable : Base::SnapshotIsolation;
}

SqlExecutions EngineCover::executions(std::uint64_t rounds) const {
  SqlExecutions out;
  out.rounds = rounds;
  out.rereads = rereads_;
  out.has_locks = true;
  std::size_t failing_sessions = 0;
  for (const sql::Session& session : application_.sessions) {
    bool any = false;
    for (const sql::Call& call : session.calls) {
      out.may_fail.push_back(analysis::may_fail(application_, call, profile_));
      any |= out.may_fail.back();
    }
    failing_sessions += any ? 1 : 0;
  }
  // Nobody fails alone.
  if (failing_sessions < 2) out.may_fail.clear();
  return out;
}

std::string EngineCover::why_not_all(const SqlQuestion& question,
                                     bool is_cut) const {
  if (!is_one_)
    return "that it holds is not proved where uncommitted rows are read";
  // Numbers are others on an engine than in the executions.
  if (!application_.schema.sequences.empty())
    return "that it holds is not proved with sequences";
  if (is_cut) return "a loop goes on beyond its bound";
  if (!question.is_covered) {
    return "that it holds is not proved with EXCEPTION handlers, or for this "
           "kind of locking SELECT";
  }
  return "";
}

}  // namespace txscope::verify
