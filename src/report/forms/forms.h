#pragma once

#include <string>

#include "report/document/document.h"

// Reports for machines, and for people who read them where they work.
namespace txscope::report::forms {

/// SARIF 2.1.0 (OASIS), as code scanning of GitHub, editors and others read it:
/// a rule per kind of finding, a thread flow per lane, repairs as fixes,
/// fingerprints that survive moved lines, suppressions and baseline states.
[[nodiscard]] std::string sarif(const document::Document& document);

/// JUnit's XML, as CI servers read it: a suite per level, a case per question;
/// what is undecided is an error, so that it is never green.
[[nodiscard]] std::string junit(const document::Document& document);

/// Workflow commands of GitHub Actions: annotations at the lines.
[[nodiscard]] std::string github(const document::Document& document);
/// GitLab's code quality report.
[[nodiscard]] std::string gitlab(const document::Document& document);

/// What a bot posts into a pull request: verdict, table, findings with their
/// fix, each run as a sequence diagram of Mermaid; under 65,000 characters.
[[nodiscard]] std::string markdown(const document::Document& document);

/// "file:line:column: error: what", as compilers write it: for editors, hooks,
/// and whoever reads a pipe.
[[nodiscard]] std::string lines(const document::Document& document);

/// The tables of verdicts, as a spreadsheet reads them (RFC 4180); no cell
/// begins as a formula does.
[[nodiscard]] std::string csv(const document::Document& document);

}  // namespace txscope::report::forms
