#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "verb/document.h"
#include "verb/report.h"

namespace txscope::verb {

// One writer per format.  `check` writes while its histories come and go, so
// of it only the formats of its request are there.

/// For people: the verdict first, then why.
[[nodiscard]] std::string text(const Report& report);
/// The elements of "results" in the envelope that all JSON reports share.
/// Takes time and memory when it is made, so make it last.
[[nodiscard]] std::string json(const Report& report);
/// For Graphviz.
[[nodiscard]] std::string dot(const Report& report);
/// The formats that are written from a Document: html, sarif, junit, github,
/// gitlab, markdown, csv, lines.
[[nodiscard]] bool is_document_format(std::string_view format);
/// By the format's name: text, json, dot, or one of those.
[[nodiscard]] std::string written(const Report& report, std::string_view format,
                                  const DocumentContext& context = {});

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
