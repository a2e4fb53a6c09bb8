#pragma once

#include "model/product/profile.h"
#include "model/sql/application.h"
#include "verify/verify.h"

namespace txscope::verify {

/// Decides every rule of an application at an engine's level, for all inputs.
///
/// Definition.  A rule is violated if some input has a run of the engine
/// (docs/algorithms/engine.md) that ends with it false; a transaction that
/// fails with 40001, in a deadlock or on a duplicate key is missing in the end.
///
/// Method.  No level of theory has those failures, so executions are made that
/// include everything the engine does, and more: those of a level of theory
/// (snapshot-isolation for postgresql:repeatable-read), in which transactions
/// may be missing, and rows that are written or locked stay as they are until
/// the end (SqlExecutions).  The solver finds inputs for which such an
/// execution breaks the rule; the engine itself runs the application with them.
/// Only what it shows is told.  If it shows nothing, those inputs are fine, and
/// others are asked for.
///
/// What an answer guarantees.  Violated: the engine did it.  Holds: no other
/// inputs are left.  Undecided: neither; so many inputs were tried.
/// Without open inputs the engine alone answers.
[[nodiscard]] Result<VerifyResult> verify_at_profile(
    const sql::Application& application, const Profile& profile,
    const VerifyOptions& options, const Budget& budget);

}  // namespace txscope::verify
