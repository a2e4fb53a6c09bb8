#pragma once

#include <vector>

#include "report/dictionary/dictionary.h"

// The text of the dictionary, one file per kind of entry.
namespace txscope::report::dictionary {

[[nodiscard]] std::vector<Entry> level_entries();
[[nodiscard]] std::vector<Entry> order_entries();
[[nodiscard]] std::vector<Entry> anomaly_entries();
[[nodiscard]] std::vector<Entry> term_entries();
[[nodiscard]] std::vector<Entry> answer_entries();
[[nodiscard]] std::vector<Entry> strategy_entries();
[[nodiscard]] std::vector<Entry> other_entries();

}  // namespace txscope::report::dictionary
