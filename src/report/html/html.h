#pragma once

#include <string>

#include "report/document/document.h"

namespace txscope::report {

/// One file that needs nothing else: no network, no server, no script to be
/// read.  Its Content-Security-Policy allows only the styles and the script
/// that are in it, by their hashes, so a name that looks like markup stays a
/// name even if it were not escaped.
[[nodiscard]] std::string html(const document::Document& document);

}  // namespace txscope::report
