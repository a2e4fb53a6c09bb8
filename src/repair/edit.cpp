#include "repair/edit.h"

#include <algorithm>

namespace txscope::repair {
namespace {

/// Whole lines, and the edits in them.
struct Region {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< the line break of the last line, or the text's end
  std::vector<Edit> edits;
};

Region region_of(std::string_view text, const Edit& edit) {
  const std::size_t last =
      edit.offset + (edit.length == 0 ? 0 : edit.length - 1);
  const auto before =
      edit.offset == 0 ? std::string::npos : text.rfind('\n', edit.offset - 1);
  Region region;
  region.begin = before == std::string::npos ? 0 : before + 1;
  region.end = std::min(text.find('\n', last), text.size());
  region.edits.push_back(edit);
  return region;
}

std::vector<Region> regions_of(std::string_view text,
                               const std::vector<Edit>& edits) {
  std::vector<Region> regions;
  for (const Edit& edit : in_order(edits)) {
    Region region = region_of(text, edit);
    if (!regions.empty() && region.begin <= regions.back().end) {
      regions.back().end = std::max(regions.back().end, region.end);
      regions.back().edits.push_back(edit);
    } else {
      regions.push_back(std::move(region));
    }
  }
  return regions;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Lines of one region, without what both sides begin and end with.
struct Block {
  std::size_t number = 0;  ///< of the first line
  std::vector<std::string> old;
  std::vector<std::string> now;
};

void trim(Block& block) {
  auto& [number, old, now] = block;
  while (!old.empty() && !now.empty() && old.back() == now.back()) {
    old.pop_back();
    now.pop_back();
  }
  std::size_t same = 0;
  while (same < std::min(old.size(), now.size()) && old[same] == now[same])
    ++same;
  number += same;
  old.erase(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(same));
  now.erase(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(same));
}

std::vector<Block> blocks_of(std::string_view text,
                             const std::vector<Edit>& edits) {
  std::vector<Block> blocks;
  for (Region& region : regions_of(text, edits)) {
    const std::string_view old =
        text.substr(region.begin, region.end - region.begin);
    for (Edit& edit : region.edits) edit.offset -= region.begin;
    Block block;
    block.number =
        1 +
        static_cast<std::size_t>(std::count(
            text.begin(),
            text.begin() + static_cast<std::ptrdiff_t>(region.begin), '\n'));
    // What goes away with its line break takes the next line's place.
    std::string now(old);
    if (region.end < text.size()) now += '\n';
    block.old = lines_of(old);
    block.now = lines_of(edited(now, region.edits));
    trim(block);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

std::vector<Edit> in_order(std::vector<Edit> edits) {
  std::stable_sort(
      edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
        return a.offset != b.offset ? a.offset < b.offset : a.length < b.length;
      });
  std::vector<Edit> out;
  for (Edit& edit : edits)
    if (std::find(out.begin(), out.end(), edit) == out.end())
      out.push_back(std::move(edit));
  return out;
}

bool are_compatible(const std::vector<Edit>& edits) {
  for (std::size_t i = 1; i < edits.size(); ++i)
    if (edits[i].offset < edits[i - 1].offset + edits[i - 1].length)
      return false;
  return true;
}

std::string edited(std::string_view text, const std::vector<Edit>& edits) {
  const std::vector<Edit> sorted = in_order(edits);
  std::string out(text);
  for (auto edit = sorted.rbegin(); edit != sorted.rend(); ++edit)
    out.replace(edit->offset, edit->length, edit->text);
  return out;
}

std::vector<LineChange> changed_lines(std::string_view text,
                                      const std::vector<Edit>& edits) {
  std::vector<LineChange> all;
  for (Block& block : blocks_of(text, edits)) {
    const std::size_t count = std::max(block.old.size(), block.now.size());
    for (std::size_t i = 0; i < count; ++i) {
      LineChange change;
      change.line = block.number + std::min(i, block.old.size());
      if (i < block.old.size()) change.before = std::move(block.old[i]);
      if (i < block.now.size()) change.after = std::move(block.now[i]);
      all.push_back(std::move(change));
    }
  }
  return all;
}

std::string diff_of(std::string_view text, const std::vector<Edit>& edits) {
  std::string out;
  for (const Block& block : blocks_of(text, edits)) {
    const auto put = [&](char sign, std::size_t i, const std::string& line) {
      out +=
          sign + (" " + std::to_string(block.number + i)) + ": " + line + "\n";
    };
    const bool pairs = block.old.size() == block.now.size();
    for (std::size_t i = 0; i < block.old.size(); ++i) {
      put('-', i, block.old[i]);
      if (pairs) put('+', i, block.now[i]);
    }
    for (std::size_t i = 0; !pairs && i < block.now.size(); ++i)
      put('+', i, block.now[i]);
  }
  return out;
}

}  // namespace txscope::repair
