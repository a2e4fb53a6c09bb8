#pragma once

#include <string>
#include <vector>

#include "audit/audit.h"
#include "audit/certificate/certificate.h"

namespace txscope::test {

/// Audits a log that is given as text, at levels with commas between them:
/// "serializable,prefix/realtime"; with "!exact" behind it times are exact.
[[nodiscard]] Result<audit::AuditReport> audit_text_log(
    const std::string& text, const std::string& levels,
    const audit::AuditOptions& options = {},
    const Budget& budget = Budget::unlimited());

/// The same for a file.
[[nodiscard]] Result<audit::AuditReport> audit_log_file(
    const std::string& path, const std::string& levels,
    const audit::AuditOptions& options = {},
    const Budget& budget = Budget::unlimited());

/// Runs such a log again by the evidence of a result.
[[nodiscard]] Result<audit::Certificate> certify_text_log(
    const std::string& text, const audit::AuditResult& result,
    const audit::AuditOptions& options = {},
    const Budget& budget = Budget::unlimited());

/// "holds", "violated", "undecided".
[[nodiscard]] std::string verdict_of(const audit::Found& found);

/// The ways that can only refute, each asked by itself, which refute a level,
/// with those that they say cannot be explained together.
[[nodiscard]] Result<std::vector<audit::Found>> refutations_of(
    const std::string& text, const std::string& level,
    const audit::AuditOptions& options);

/// Whether the versions that the log's transactions can have made refute a
/// level.
[[nodiscard]] Result<bool> refuted_by_versions(
    const std::string& text, const std::string& level,
    const audit::AuditOptions& options);

}  // namespace txscope::test
