#pragma once

#include <cstdint>
#include <string>

#include "model/product/profile.h"
#include "model/sql/application.h"
#include "smt/solver.h"
#include "verify/sql/sql_question.h"

namespace txscope::verify {

/// Executions that include everything that an engine does at a level, and more:
/// those of a level of theory (snapshot-isolation for
/// postgresql:repeatable-read), in which transactions may be missing, and rows
/// that are written or locked stay as they are until the end.
class EngineCover {
 public:
  /// Both must outlive it.
  EngineCover(const sql::Application& application, const Profile& profile);

  [[nodiscard]] Base base() const { return base_; }
  [[nodiscard]] SqlExecutions executions(std::uint64_t rounds) const;
  /// Why something that none of these executions does may still be done by the
  /// engine; empty: it may not.  `is_cut`: loops go on beyond the rounds.
  [[nodiscard]] std::string why_not_all(const SqlQuestion& question,
                                        bool is_cut) const;

 private:
  const sql::Application& application_;
  const Profile& profile_;
  /// The level of theory that has all executions of a profile in which nothing
  /// fails, each read on its own where statements have snapshots of their own.
  Base base_ = Base::ReadCommitted;
  bool rereads_ = false;
  bool is_one_ = true;  ///< of uncommitted versions there is none
};

}  // namespace txscope::verify
