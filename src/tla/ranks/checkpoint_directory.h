#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tla/search/checkpoint.h"

namespace txscope::tla::ranks {

/// What a directory of checkpoints says of itself.
struct Manifest {
  struct Part {
    std::uint64_t number = 0;
    std::uint64_t ranks = 0;  ///< that wrote it, a file each
  };
  std::uint64_t identity = 0;  ///< of the specification
  std::uint64_t level = 0;     ///< whose states wait
  std::uint64_t generated = 0;
  std::uint64_t assertions = 0;
  bool is_cut = false;
  std::vector<bool> happened;
  std::vector<Part> parts;
};

/// The search at the beginning of a level, in files that later ones add to:
///
///     manifest           what is complete; written last, and renamed
///     part-P-R.states    what rank R has found since part P - 1
///     part-P-R.queue     its states that wait, of the last part only
///
/// Whatever ends the search, the manifest names whole files only.  Each is a
/// CheckpointWriter's, with a checksum.
class CheckpointDirectory {
 public:
  /// Makes it if it is not there.  Throws Fault.
  explicit CheckpointDirectory(std::string path);

  /// True if there is a manifest.
  [[nodiscard]] static bool is_one(const std::string& path);
  [[nodiscard]] std::optional<Manifest> manifest() const;
  /// Throws Fault if it is not of this specification, or there is none.
  [[nodiscard]] Manifest manifest_of(std::uint64_t identity) const;
  /// Replaces the manifest, then removes what it does not name.
  void commit(const Manifest& manifest) const;

  /// What a rank wrote of a part that is not to be named.
  void remove_part(std::uint64_t part, std::uint64_t rank) const;

  /// Calls `write` with a function that writes one state.
  using PutState =
      std::function<void(std::uint64_t fingerprint, std::uint64_t link)>;
  void write_states(std::uint64_t part, std::uint64_t rank, std::uint64_t count,
                    const std::function<void(const PutState&)>& write) const;
  void read_states(std::uint64_t part, std::uint64_t rank,
                   const PutState& visit) const;
  /// Blocks of rows, as RowWriter makes them.
  void write_queue(
      std::uint64_t part, std::uint64_t rank, std::uint64_t count,
      const std::function<std::string(std::uint64_t)>& block) const;
  void read_queue(std::uint64_t part, std::uint64_t rank,
                  const std::function<bool(std::string)>& visit) const;

 private:
  [[nodiscard]] std::string file(std::uint64_t part, std::uint64_t rank,
                                 const char* ending) const;
  std::string path_;
};

}  // namespace txscope::tla::ranks
