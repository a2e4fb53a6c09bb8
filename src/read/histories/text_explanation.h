#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/history.h"
#include "read/histories/text_versions.h"

namespace txscope::read {

/// One get, put or append of a key that holds text.
struct TextEntry {
  enum class Kind : std::uint8_t { Get, Put, Append };

  SessionId session;
  Status status;
  Kind kind;
  bool has_value;  ///< false: a Get whose result is not known
  std::int64_t start;
  std::int64_t end;
  std::uint64_t line;
  Atom key;
  Atom text;  ///< seen, put or appended
};

/// Finds out which append made which version of the text of one key.
///
/// Method.  A version can only have been made by an append of its last piece
/// that began before the version was first seen, and that was not over when
/// the version before it can have come into being at the earliest; or, if it
/// is one piece, by a put.  Versions that only one append can have made are
/// assigned to it, again and again.
///
/// Invariant.  An append makes one version, so an assignment takes it from all
/// others.  If there is only one way to distribute the versions, a version with
/// one candidate is always left (a bipartite graph with a single perfect
/// matching has a vertex of degree one on either side); what remains has
/// several ways.  Versions that nobody can have made remain, too: whoever reads
/// them reads a value that nobody wrote.
class TextExplanation {
 public:
  using VersionId = TextVersions::VersionId;
  using PieceId = TextVersions::PieceId;

  /// The entry must outlive the explanation.
  void add(const TextEntry& entry, std::string_view text);
  /// After all entries.  `effort` bounds the work; see TextVersions.
  [[nodiscard]] Result<Done> find(const std::string& file,
                                  std::uint64_t& effort);

  [[nodiscard]] const TextVersions& versions() const { return versions_; }
  [[nodiscard]] std::optional<VersionId> version_of(
      const std::string& text) const;
  /// The version that an append made, or nothing if it was never seen.
  [[nodiscard]] const std::vector<VersionId>& made_by(
      const TextEntry& append) const;
  /// False: made_by() are all that it may have made, if any was seen at all.
  [[nodiscard]] bool is_certain(const TextEntry& append) const {
    return uncertain_.count(&append) == 0;
  }

 private:
  struct Get {
    const std::string* text;
    std::int64_t time;  // when the first that returned the text was over
    std::uint64_t line;
  };
  struct Uses {
    std::vector<const TextEntry*> puts;
    std::vector<const TextEntry*> appends;
    std::vector<VersionId> versions;  // that end in the piece
  };

  Result<Done> read_texts(const std::string& file, std::uint64_t& effort);
  void find_available();
  void assign(const Uses& uses);
  bool assign_one(const Uses& uses, std::vector<VersionId>& open,
                  std::vector<const TextEntry*>& free);
  [[nodiscard]] bool may_be_put(const Uses& uses, VersionId version) const;
  [[nodiscard]] bool may_have_made(const TextEntry& append,
                                   VersionId version) const;
  [[nodiscard]] VersionId first_seen_of(
      const std::vector<VersionId>& some) const;

  TextVersions versions_;
  std::vector<Uses> uses_;               // by piece
  std::vector<std::int64_t> available_;  // by version: not before that time
  std::vector<Get> gets_;                // one per text
  std::unordered_map<std::string, std::size_t> get_index_;
  std::unordered_map<std::string, VersionId> read_;
  std::unordered_map<const TextEntry*, std::vector<VersionId>> made_by_;
  std::set<const TextEntry*> uncertain_;
};

}  // namespace txscope::read
