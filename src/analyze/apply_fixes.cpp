#include "analyze/apply_fixes.h"

#include <algorithm>
#include <set>

#include "repair/edit.h"

namespace txscope::analyze {
namespace {

/// Edits by file.
using FileEdits = std::map<std::string, std::vector<Edit>>;

/// The same in the files that a text comes from; none: it is not there as it is
/// (a variable of psql was replaced).
std::optional<FileEdits> in_files(const Workload& workload,
                                  const std::vector<Edit>& edits) {
  FileEdits all;
  for (Edit edit : edits) {
    if (workload.origin == nullptr) {
      all[workload.file].push_back(std::move(edit));
      continue;
    }
    const SourceMap& origin = *workload.origin;
    // What stands before an insertion tells which piece it belongs to.
    const bool is_insertion = edit.length == 0 && edit.offset > 0;
    const auto& piece = origin.piece_at(edit.offset - (is_insertion ? 1 : 0));
    const std::size_t last =
        edit.offset + (edit.length == 0 ? 0 : edit.length - 1);
    const bool is_whole = is_insertion || &origin.piece_at(last) == &piece;
    if (piece.stands_for != 0 || !is_whole) return std::nullopt;
    edit.offset = piece.at + (edit.offset - piece.from);
    all[origin.files[piece.file].name].push_back(std::move(edit));
  }
  return all;
}

/// The first repair of a finding that is a change of its files.
struct Fix {
  const Repair* repair = nullptr;
  FileEdits edits;
};
std::optional<Fix> fix_of(const RaceFinding& finding) {
  for (const Repair& repair : finding.repairs) {
    if (repair.edits.empty()) continue;
    if (auto edits = in_files(finding.workload, repair.edits))
      return Fix{&repair, std::move(*edits)};
  }
  return std::nullopt;
}

/// All edits together; false: two change the same place in two ways.
bool add(const FileEdits& more, FileEdits& all) {
  FileEdits sum = all;
  for (const auto& [file, edits] : more) {
    auto& known = sum[file];
    known.insert(known.end(), edits.begin(), edits.end());
    known = repair::in_order(std::move(known));
    if (!repair::are_compatible(known)) return false;
  }
  all = std::move(sum);
  return true;
}

bool fits(const std::vector<Edit>& edits, const std::string& text) {
  return std::all_of(edits.begin(), edits.end(), [&](const Edit& edit) {
    return edit.offset + edit.length <= text.size();
  });
}

}  // namespace

std::vector<std::string> files_to_fix(const Analysis& found) {
  std::set<std::string> files;
  for (const RaceFinding& finding : found.findings) {
    if (!finding.accepted.empty()) continue;
    if (const auto fix = fix_of(finding))
      for (const auto& [file, edits] : fix->edits) files.insert(file);
  }
  return {files.begin(), files.end()};
}

Result<FixedFiles> apply_fixes(const Analysis& found,
                               std::map<std::string, std::string> texts) {
  FixedFiles out;
  // Two findings may ask for the same lock.
  FileEdits all;
  for (const RaceFinding& finding : found.findings) {
    if (!finding.accepted.empty()) continue;
    const auto fix = fix_of(finding);
    if (!fix) {
      out.left.push_back(finding.id +
                         ": no change of the text was found that helps");
    } else if (!add(fix->edits, all)) {
      out.left.push_back(finding.id +
                         ": another fix changes the same place; run it again");
    } else {
      out.done.push_back(finding.id + ": " + fix->repair->what() + " (" +
                         fix->edits.begin()->first + ")");
    }
  }
  for (const auto& [name, edits] : all) {
    const auto file = texts.find(name);
    if (file == texts.end() || !fits(edits, file->second)) {
      Error error;
      error.where.file = name;
      error.what = "the file has changed since it was read";
      return error;
    }
    file->second = repair::edited(file->second, edits);
  }
  out.texts = std::move(texts);
  return out;
}

}  // namespace txscope::analyze
