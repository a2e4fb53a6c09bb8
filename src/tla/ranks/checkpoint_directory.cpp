#include "tla/ranks/checkpoint_directory.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "tla/syntax/source.h"

namespace txscope::tla::ranks {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, std::string what,
                         std::string hint = {}) {
  throw Fault{Error{{path, 0, 0, {}}, std::move(what), std::move(hint), {}}};
}

std::string manifest_file(const std::string& path) {
  return (fs::path(path) / "manifest").string();
}

}  // namespace

CheckpointDirectory::CheckpointDirectory(std::string path)
    : path_(std::move(path)) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (!fs::is_directory(path_, error))
    refuse(path_,
           "a search on ranks keeps its checkpoint in a directory, and "
           "this is none");
}

bool CheckpointDirectory::is_one(const std::string& path) {
  std::error_code error;
  return fs::exists(manifest_file(path), error);
}

std::optional<Manifest> CheckpointDirectory::manifest() const {
  if (!is_one(path_)) return std::nullopt;
  CheckpointReader in(manifest_file(path_));
  Manifest manifest;
  manifest.identity = in.number();
  manifest.level = in.number();
  manifest.generated = in.number();
  manifest.assertions = in.number();
  manifest.is_cut = in.number() != 0;
  for (std::uint64_t left = in.number(); left > 0; --left)
    manifest.happened.push_back(in.number() != 0);
  for (std::uint64_t left = in.number(); left > 0; --left) {
    const std::uint64_t number = in.number();
    manifest.parts.push_back({number, in.number()});
  }
  in.finish();
  if (manifest.parts.empty()) in.complain("this checkpoint is damaged");
  return manifest;
}

Manifest CheckpointDirectory::manifest_of(std::uint64_t identity) const {
  auto found = manifest();
  if (!found)
    refuse(path_, "there is no checkpoint in this directory",
           "a search with --processes and --checkpoint writes one");
  if (found->identity != identity)
    refuse(path_,
           "this checkpoint is of another specification, configuration or seed",
           "what was explored says nothing about a changed one; start anew");
  return std::move(*found);
}

void CheckpointDirectory::commit(const Manifest& manifest) const {
  CheckpointWriter out(manifest_file(path_));
  out.number(manifest.identity);
  out.number(manifest.level);
  out.number(manifest.generated);
  out.number(manifest.assertions);
  out.number(manifest.is_cut ? 1 : 0);
  out.number(manifest.happened.size());
  for (const bool happened : manifest.happened) out.number(happened ? 1 : 0);
  out.number(manifest.parts.size());
  std::set<std::string> named;
  for (const Manifest::Part& part : manifest.parts) {
    out.number(part.number);
    out.number(part.ranks);
    for (std::uint64_t rank = 0; rank < part.ranks; ++rank)
      named.insert(file(part.number, rank, ".states"));
  }
  const Manifest::Part& last = manifest.parts.back();
  for (std::uint64_t rank = 0; rank < last.ranks; ++rank)
    named.insert(file(last.number, rank, ".queue"));
  out.commit();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename().string();
    const std::string ending = entry.path().extension().string();
    if (name.starts_with("part-") &&
        (ending == ".states" || ending == ".queue") &&
        !named.contains(entry.path().string()))
      fs::remove(entry.path(), error);
  }
}

std::string CheckpointDirectory::file(std::uint64_t part, std::uint64_t rank,
                                      const char* ending) const {
  return (fs::path(path_) / ("part-" + std::to_string(part) + "-" +
                             std::to_string(rank) + ending))
      .string();
}

void CheckpointDirectory::remove_part(std::uint64_t part,
                                      std::uint64_t rank) const {
  std::error_code error;
  for (const char* ending : {".states", ".queue"})
    fs::remove(file(part, rank, ending), error);
}

void CheckpointDirectory::write_states(
    std::uint64_t part, std::uint64_t rank, std::uint64_t count,
    const std::function<void(const PutState&)>& write) const {
  CheckpointWriter out(file(part, rank, ".states"));
  out.number(count);
  write([&out](std::uint64_t fingerprint, std::uint64_t link) {
    out.number(fingerprint);
    out.number(link);
  });
  out.commit();
}

void CheckpointDirectory::read_states(std::uint64_t part, std::uint64_t rank,
                                      const PutState& visit) const {
  CheckpointReader in(file(part, rank, ".states"));
  for (std::uint64_t left = in.number(); left > 0; --left) {
    const std::uint64_t fingerprint = in.number();
    visit(fingerprint, in.number());
  }
  in.finish();
}

void CheckpointDirectory::write_queue(
    std::uint64_t part, std::uint64_t rank, std::uint64_t count,
    const std::function<std::string(std::uint64_t)>& block) const {
  CheckpointWriter out(file(part, rank, ".queue"));
  out.number(count);
  for (std::uint64_t i = 0; i < count; ++i) out.bytes(block(i));
  out.commit();
}

void CheckpointDirectory::read_queue(
    std::uint64_t part, std::uint64_t rank,
    const std::function<bool(std::string)>& visit) const {
  CheckpointReader in(file(part, rank, ".queue"));
  for (std::uint64_t left = in.number(); left > 0; --left)
    if (!visit(in.bytes())) in.complain("this checkpoint is damaged");
  in.finish();
}

}  // namespace txscope::tla::ranks
