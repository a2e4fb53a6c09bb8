#include "analyze/apply_fixes.h"

#include <algorithm>
#include <set>

namespace txscope::analyze {
namespace {

const TriedRepair* textual_repair(const RaceFinding& finding) {
  const auto found = std::find_if(
      finding.repairs.begin(), finding.repairs.end(),
      [](const TriedRepair& repair) { return !repair.insertions.empty(); });
  return found == finding.repairs.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> files_to_fix(const Analysis& found) {
  std::set<std::string> files;
  for (const RaceFinding& finding : found.findings) {
    const TriedRepair* repair = textual_repair(finding);
    if (repair == nullptr || !finding.accepted.empty()) continue;
    for (const auto& one : repair->insertions) files.insert(one.file);
  }
  return {files.begin(), files.end()};
}

Result<FixedFiles> apply_fixes(const Analysis& found,
                               std::map<std::string, std::string> texts) {
  FixedFiles out;
  // Two findings may ask for the same lock.
  std::set<TriedRepair::Insertion> all;
  for (const RaceFinding& finding : found.findings) {
    if (!finding.accepted.empty()) continue;
    const TriedRepair* repair = textual_repair(finding);
    if (repair == nullptr) {
      out.left.push_back(finding.id);
      continue;
    }
    all.insert(repair->insertions.begin(), repair->insertions.end());
    const auto& first = repair->insertions.front();
    out.done.push_back(finding.id + ": " + repair->what + " (" + first.file +
                       ")");
  }
  // From the end, so that places stay.
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    const auto file = texts.find(one->file);
    if (file == texts.end() || one->offset > file->second.size()) {
      Error error;
      error.where.file = one->file;
      error.what = "the file has changed since it was read";
      return error;
    }
    file->second.insert(one->offset, one->text);
  }
  out.texts = std::move(texts);
  return out;
}

}  // namespace txscope::analyze
