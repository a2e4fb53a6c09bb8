#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "txscope/write.h"

namespace txscope::verb {

/// The formats that are written from a Document: html, sarif, junit, github,
/// gitlab, markdown, csv, lines.
[[nodiscard]] bool is_document_format(std::string_view format);

/// The envelope; of one input "input" is its name, else an array; `checked` may
/// be null.
[[nodiscard]] std::string json_envelope(std::string_view verb,
                                        const std::vector<std::string>& inputs,
                                        nlohmann::ordered_json results,
                                        double seconds,
                                        nlohmann::ordered_json checked);
/// {"message":..,"file":..,"line":..,"column":..,"hint":..}
[[nodiscard]] nlohmann::ordered_json error_fields(const Error& error);

}  // namespace txscope::verb
