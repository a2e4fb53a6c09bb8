#include "support/litmus_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "support/litmus.h"

namespace txscope {
namespace {

// "serializable none, causal": levels with an order behind, or session order.
std::vector<Level> parse_levels(const std::string& text) {
  std::vector<Level> levels;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    std::istringstream words(item);
    std::string base_name;
    std::string order_name = "session";
    words >> base_name >> order_name;
    if (words.fail() && order_name.empty()) order_name = "session";
    const auto base = parse_level(base_name);
    if (!base) throw std::invalid_argument(base.error().what);
    const auto order = parse_order(order_name);
    if (!order) throw std::invalid_argument(order.error().what);
    levels.push_back({base->base, *order});
  }
  return levels;
}

}  // namespace

bool LitmusFile::has_times() const {
  return std::any_of(history.txns().begin(), history.txns().end(),
                     [](const Txn& t) { return t.start != Txn::kNoTime; });
}

std::vector<Level> LitmusFile::levels() const {
  std::vector<Level> all;
  for (const Base base : all_bases()) {
    all.push_back({base, Order::None});
    all.push_back({base, Order::Session});
    if (has_times()) all.push_back({base, Order::Realtime});
  }
  return all;
}

bool LitmusFile::says_holds(Level level) const {
  return std::any_of(holds.begin(), holds.end(),
                     [&](Level stronger) { return implies(stronger, level); });
}

bool LitmusFile::says_violated(Level level) const {
  return std::any_of(violated.begin(), violated.end(),
                     [&](Level weaker) { return implies(level, weaker); });
}

LitmusFile read_litmus_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("cannot read " + path.string());
  LitmusFile result;
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const auto tail = [&](std::string_view word) {
      return line.starts_with(word) ? line.substr(word.size()) : std::string();
    };
    if (const auto levels = tail("holds:"); !levels.empty()) {
      for (const Level level : parse_levels(levels))
        result.holds.push_back(level);
      line.clear();
    } else if (const auto others = tail("violated:"); !others.empty()) {
      for (const Level level : parse_levels(others))
        result.violated.push_back(level);
      line.clear();
    }
    text += line + "\n";
  }
  result.history = litmus(text);
  return result;
}

std::vector<std::filesystem::path> litmus_files(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".litmus") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace txscope
