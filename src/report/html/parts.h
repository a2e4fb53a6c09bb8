#pragma once

#include <string>

#include "report/document/document.h"
#include "report/html/markup.h"

// The parts of a page, each as markup.
namespace txscope::report::html_page {

/// Lanes with their arrows, the stepper, tables and source beside them.
[[nodiscard]] std::string run_markup(const document::Finding& finding,
                                     PlaceRules& places);
/// The cycle as a ring, with its edges in words.
[[nodiscard]] std::string cycle_markup(const document::Finding& finding);
/// One finding with everything.
[[nodiscard]] std::string finding_markup(const document::Finding& finding,
                                         std::size_t number,
                                         PlaceRules& places);
[[nodiscard]] std::string grid_markup(const document::Grid& grid,
                                      const document::Document& document);
[[nodiscard]] std::string overview_markup(const document::Overview& overview,
                                          std::size_t number);
/// What ran around one finding of a big history.
[[nodiscard]] std::string context_markup(const document::Overview& part);
[[nodiscard]] std::string tables_markup(
    const std::vector<document::Table>& tables);
/// "file.sql:37"; empty without a line.
[[nodiscard]] std::string place_text(const Place& place);
/// A button that copies the text of the element with that id.
[[nodiscard]] std::string copy_button(const std::string& id);

}  // namespace txscope::report::html_page
