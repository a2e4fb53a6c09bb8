#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/product/profile.h"
#include "report/dictionary/dictionary.h"

namespace txscope::report {

/// One entry of the dictionary, for people; `order` is what a prefix or suffix
/// of the name they asked for means, or null.
[[nodiscard]] std::string explain_text(const dictionary::Entry& entry,
                                       const dictionary::Entry* order);
[[nodiscard]] nlohmann::ordered_json explain_json(
    const dictionary::Entry& entry);
/// A level of an engine.
[[nodiscard]] std::string explain_text(const Profile& profile);
[[nodiscard]] nlohmann::ordered_json explain_json(const Profile& profile);
/// All entries, a line each.
[[nodiscard]] std::string explain_index();

}  // namespace txscope::report
