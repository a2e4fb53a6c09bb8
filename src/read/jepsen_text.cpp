#include "read/jepsen_text.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "read/text_versions.h"

namespace txscope {
namespace {

using Entry = TextHistory::Entry;
using Kind = TextHistory::Kind;
using VersionId = TextVersions::VersionId;
using PieceId = TextVersions::PieceId;

constexpr std::int64_t kForever = INT64_MAX;
constexpr std::uint64_t kEffort = std::uint64_t{1} << 32;  // bytes compared
constexpr std::size_t kMaxAlternatives = 100;              // of one append

std::int64_t end_of(const Entry& entry) {
  return entry.status == Status::Unknown ? kForever : entry.end;
}

// All that happened to one key.
class KeyHistory {
 public:
  void add(const Entry& entry, std::string_view text) {
    if (entry.kind == Kind::Get) {
      const auto [place, is_new] =
          get_index_.try_emplace(std::string(text), gets_.size());
      if (is_new) gets_.push_back({&place->first, entry.end, entry.line});
      auto& time = gets_[place->second].time;
      time = std::min(time, entry.end);
      return;
    }
    if (text.empty()) return;
    const PieceId piece = versions_.add_piece(text, entry.kind == Kind::Append);
    if (piece >= uses_.size()) uses_.resize(piece + 1);
    (entry.kind == Kind::Append ? uses_[piece].appends : uses_[piece].puts)
        .push_back(&entry);
  }

  // Takes the texts apart and finds out which append made which version.
  Result<Done> explain(const std::string& file, std::uint64_t& effort) {
    for (const Get& get : gets_) {
      const auto reading = versions_.read(*get.text, get.time, effort);
      if (!reading || reading->ways > 1)
        return Error{Place{file, get.line, 0, {}},
                     "what the get returned can be put together from the "
                     "appended pieces in several ways",
                     "append pieces that are not made of other pieces", ""};
      if (reading->ways == 1) read_[*get.text] = reading->version;
    }
    find_available();
    made_.assign(uses_.size(), {});
    const auto& all = versions_.versions();
    for (VersionId v = 1; v < all.size(); ++v) made_[all[v].piece].push_back(v);
    for (PieceId piece = 0; piece < uses_.size(); ++piece) {
      assign(piece);
      for (const Entry* append : uses_[piece].appends)
        if (alternatives(*append).size() > kMaxAlternatives)
          return Error{Place{file, append->line, 0, {}},
                       "the same piece is appended so often that its appends "
                       "cannot be told apart",
                       "append a different piece each time", ""};
    }
    return Done{};
  }

  // The versions that an append may have made; if there are several, or it is
  // open, it may also have made none that was seen.
  [[nodiscard]] const std::vector<VersionId>& alternatives(
      const Entry& append) const {
    static const std::vector<VersionId> kNothing;
    const auto found = alternatives_.find(&append);
    return found == alternatives_.end() ? kNothing : found->second;
  }
  [[nodiscard]] bool is_certain(const Entry& append) const {
    return is_open_.count(&append) == 0;
  }

  [[nodiscard]] const TextVersions& versions() const { return versions_; }
  [[nodiscard]] std::optional<VersionId> version_of(
      const std::string& text) const {
    if (text.empty()) return TextVersions::kRoot;
    const auto found = read_.find(text);
    if (found != read_.end()) return found->second;
    const auto piece = versions_.find_piece(text);
    return piece ? versions_.find(TextVersions::kRoot, *piece) : std::nullopt;
  }

 private:
  struct Get {
    const std::string* text;
    std::int64_t time;  // when the first that returned the text was over
    std::uint64_t line;
  };
  struct Uses {
    std::vector<const Entry*> puts;
    std::vector<const Entry*> appends;
  };

  // When a version can have come into being at the earliest.  Parents have
  // smaller ids.
  void find_available() {
    const auto& all = versions_.versions();
    available_.assign(all.size(), INT64_MIN);
    for (VersionId v = 1; v < all.size(); ++v) {
      std::int64_t earliest = kForever;
      const Uses& uses = uses_[all[v].piece];
      for (const Entry* append : uses.appends)
        earliest = std::min(earliest, append->start);
      if (all[v].parent == TextVersions::kRoot)
        for (const Entry* put : uses.puts)
          earliest = std::min(earliest, put->start);
      available_[v] = std::max(available_[all[v].parent], earliest);
    }
  }

  [[nodiscard]] bool may_have_put(PieceId piece, VersionId version) const {
    const auto& v = versions_.versions()[version];
    return v.parent == TextVersions::kRoot &&
           std::any_of(uses_[piece].puts.begin(), uses_[piece].puts.end(),
                       [&](const Entry* put) {
                         return put->status != Status::Aborted &&
                                put->start < v.first_seen;
                       });
  }

  [[nodiscard]] bool may_have_made(const Entry& append,
                                   VersionId version) const {
    const auto& v = versions_.versions()[version];
    return append.start < v.first_seen && end_of(append) > available_[v.parent];
  }

  // Distributes the versions that end in a piece over its appends.  What is
  // certain is taken first: a version that only one append can have made.
  // With a unique distribution this goes on to the end (a bipartite graph with
  // one perfect matching has a vertex of degree one on either side); what is
  // left has several.
  void assign(PieceId piece) {
    std::vector<VersionId> open = made_[piece];
    std::vector<const Entry*> free = uses_[piece].appends;
    if (free.size() == 1 && uses_[piece].puts.empty()) {
      if (!open.empty()) alternatives_[free[0]] = {earliest_of(open)};
      return;
    }
    // An aborted append made something only if nothing else can have.
    if (std::any_of(free.begin(), free.end(), [](const Entry* e) {
          return e->status != Status::Aborted;
        }))
      std::erase_if(
          free, [](const Entry* e) { return e->status == Status::Aborted; });
    while (take_certain(piece, open, free)) {
    }
    for (const Entry* append : free)
      for (const VersionId v : open)
        if (may_have_made(*append, v)) {
          alternatives_[append].push_back(v);
          is_open_.insert(append);
        }
  }

  bool take_certain(PieceId piece, std::vector<VersionId>& open,
                    std::vector<const Entry*>& free) {
    for (std::size_t i = 0; i < open.size(); ++i) {
      const VersionId v = open[i];
      const auto can = [&](const Entry* e) { return may_have_made(*e, v); };
      const auto first = std::find_if(free.begin(), free.end(), can);
      const bool is_put = may_have_put(piece, v);
      const bool is_lonely =
          first == free.end() || std::none_of(first + 1, free.end(), can);
      if (first != free.end() && (is_put || !is_lonely)) continue;
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      if (first != free.end()) {
        alternatives_[*first] = {v};
        free.erase(first);
      }
      return true;
    }
    return false;
  }

  [[nodiscard]] VersionId earliest_of(
      const std::vector<VersionId>& some) const {
    return *std::min_element(some.begin(), some.end(),
                             [&](VersionId a, VersionId b) {
                               return versions_.versions()[a].first_seen <
                                      versions_.versions()[b].first_seen;
                             });
  }

  TextVersions versions_;
  std::vector<Uses> uses_;                    // by piece
  std::vector<std::vector<VersionId>> made_;  // by piece
  std::vector<std::int64_t> available_;       // by version
  std::vector<Get> gets_;                     // one per text
  std::unordered_map<std::string, std::size_t> get_index_;
  std::unordered_map<std::string, VersionId> read_;
  std::unordered_map<const Entry*, std::vector<VersionId>> alternatives_;
  std::set<const Entry*> is_open_;
};

// Writes the transactions.
class Emission {
 public:
  Emission(HistoryBuilder& builder) : builder_(builder) {
    builder_.set_default_initial(atoms().of_string(""));
  }

  void emit(const Entry& entry, KeyHistory& history) {
    builder_.at_line(entry.line);
    const bool is_open =
        entry.kind == Kind::Append && !history.is_certain(entry);
    if (is_open) {
      emit_alternatives(entry, history);
      return;
    }
    begin(entry);
    if (entry.has_value) emit_step(entry, history);
    builder_.end(entry.status);
  }

  void emit_empty(const Entry& entry) {
    builder_.at_line(entry.line);
    begin(entry);
    builder_.end(entry.status);
  }

 private:
  AtomTable& atoms() { return builder_.atoms(); }

  void begin(const Entry& entry) {
    builder_.begin(entry.session);
    builder_.set_times(entry.start, entry.status == Status::Unknown
                                        ? Txn::kNoTime
                                        : entry.end);
  }

  void emit_step(const Entry& entry, KeyHistory& history) {
    const KeyId key = builder_.key(entry.key);
    const std::string text = atoms().text(entry.text);
    switch (entry.kind) {
      case Kind::Get: builder_.read(key, value(text, history, entry)); return;
      case Kind::Put: builder_.write(key, value(text, history, entry)); return;
      case Kind::Append: break;
    }
    if (text.empty()) return;
    const auto& made = history.alternatives(entry);
    if (made.empty())
      builder_.write(key, unseen());
    else
      emit_append(key, made.front(), history, entry.status);
  }

  void emit_append(KeyId key, VersionId made, KeyHistory& history,
                   Status status) {
    const VersionId parent = history.versions().versions()[made].parent;
    if (status != Status::Aborted) builder_.read(key, value(parent, history));
    builder_.write(key, value(made, history));
  }

  // One transaction per explanation, all changing the token, and the append
  // itself, which has seen it changed.
  void emit_alternatives(const Entry& append, KeyHistory& history) {
    const Atom before = atoms().of_string("");
    const Atom after = atoms().of_keyword("done");
    const KeyId token =
        builder_.key(atoms().of_keyword("append-" + std::to_string(++tokens_)));
    const KeyId key = builder_.key(append.key);
    const auto& made = history.alternatives(append);
    for (std::size_t i = 0; i <= made.size(); ++i) {
      builder_.begin(builder_.anonymous_session());
      builder_.set_times(append.start, Txn::kNoTime);
      builder_.read(token, before);
      builder_.write(token, after);
      if (i < made.size())
        emit_append(key, made[i], history, Status::Unknown);
      else
        builder_.write(key, unseen());
      builder_.end(Status::Unknown);
    }
    begin(append);
    if (append.status == Status::Committed) builder_.read(token, after);
    builder_.end(append.status);
  }

  Atom unseen() {
    return atoms().of_keyword("unseen-" + std::to_string(++unseen_));
  }

  Atom value(const std::string& text, KeyHistory& history, const Entry& entry) {
    const auto version = history.version_of(text);
    return version ? value(*version, history) : entry.text;
  }

  // Labels of long texts are short and might coincide; values must not.
  Atom value(VersionId version, KeyHistory& history) {
    const auto id = std::pair(&history, version);
    const auto known = values_.find(id);
    if (known != values_.end()) return known->second;
    std::string label = history.versions().label(version);
    for (int n = 2; !labels_.insert({&history, label}).second; ++n)
      label =
          history.versions().label(version) + " (" + std::to_string(n) + ")";
    const Atom atom = atoms().of_string(label);
    values_.emplace(id, atom);
    return atom;
  }

  HistoryBuilder& builder_;
  std::size_t tokens_ = 0;
  std::size_t unseen_ = 0;
  std::map<std::pair<const KeyHistory*, VersionId>, Atom> values_;
  std::set<std::pair<const KeyHistory*, std::string>> labels_;
};

}  // namespace

Result<Done> TextHistory::build(HistoryBuilder& builder,
                                const std::string& file) const {
  std::unordered_map<std::uint64_t, KeyHistory> keys;
  std::vector<KeyHistory*> in_order;
  for (const Entry& entry : entries_) {
    if (!entry.has_value) continue;
    const auto [place, is_new] = keys.try_emplace(entry.key.bits());
    if (is_new) in_order.push_back(&place->second);
    place->second.add(entry, builder.atoms().text(entry.text));
  }
  std::uint64_t effort = kEffort;
  for (KeyHistory* key : in_order) {
    auto done = key->explain(file, effort);
    if (!done) return done;
  }
  Emission emission(builder);
  for (const Entry& entry : entries_) {
    if (entry.has_value)
      emission.emit(entry, keys.at(entry.key.bits()));
    else
      emission.emit_empty(entry);
  }
  return Done{};
}

}  // namespace txscope
