#include "read/histories/jepsen_text.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace txscope::read {
namespace {

using Entry = TextEntry;
using TextKind = TextEntry::Kind;
using VersionId = TextVersions::VersionId;

constexpr std::uint64_t kEffort = std::uint64_t{1} << 32;  // bytes compared

// Writes the transactions.
class Emission {
 public:
  Emission(HistoryBuilder& builder) : builder_(builder) {
    builder_.set_default_initial(atoms().of_string(""));
  }

  void emit(const Entry& entry, TextExplanation& texts) {
    builder_.at_line(entry.line);
    const bool is_open =
        entry.kind == TextKind::Append && !texts.is_certain(entry);
    if (is_open) {
      emit_alternatives(entry, texts);
      return;
    }
    begin(entry);
    if (entry.has_value) emit_step(entry, texts);
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

  void emit_step(const Entry& entry, TextExplanation& texts) {
    const KeyId key = builder_.key(entry.key);
    const std::string text = atoms().text(entry.text);
    switch (entry.kind) {
      case TextKind::Get: builder_.read(key, value(text, texts, entry)); return;
      case TextKind::Put:
        builder_.write(key, value(text, texts, entry));
        return;
      case TextKind::Append: break;
    }
    if (text.empty()) return;
    const auto& made = texts.made_by(entry);
    if (made.empty())
      builder_.write(key, unseen());
    else
      emit_append(key, made.front(), texts, entry.status);
  }

  void emit_append(KeyId key, VersionId made, TextExplanation& texts,
                   Status status) {
    const VersionId parent = texts.versions().versions()[made].parent;
    if (status != Status::Aborted) builder_.read(key, value(parent, texts));
    builder_.write(key, value(made, texts));
  }

  // One transaction per explanation, all changing the token, and the append
  // itself, which has seen it changed.
  void emit_alternatives(const Entry& append, TextExplanation& texts) {
    const Atom before = atoms().of_string("");
    const Atom after = atoms().of_keyword("done");
    // No key of a file is a keyword with a blank in it.
    const KeyId token =
        builder_.key(atoms().of_keyword("append " + std::to_string(++tokens_)));
    const KeyId key = builder_.key(append.key);
    const auto& made = texts.made_by(append);
    for (std::size_t i = 0; i <= made.size(); ++i) {
      builder_.begin(builder_.anonymous_session());
      builder_.set_times(append.start, Txn::kNoTime);
      builder_.read(token, before);
      builder_.write(token, after);
      if (i < made.size())
        emit_append(key, made[i], texts, Status::Unknown);
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

  Atom value(const std::string& text, TextExplanation& texts,
             const Entry& entry) {
    const auto version = texts.version_of(text);
    return version ? value(*version, texts) : entry.text;
  }

  // Labels of long texts are shorter and might coincide; values must not.  As
  // keywords they differ from all texts.
  Atom value(VersionId version, TextExplanation& texts) {
    const auto id = std::pair(&texts, version);
    const auto known = values_.find(id);
    if (known != values_.end()) return known->second;
    const auto [text, is_whole] = texts.versions().label(version);
    std::string label = text;
    for (int n = 2; !labels_.insert({&texts, label}).second; ++n)
      label = text + " (" + std::to_string(n) + ")";
    const Atom atom =
        is_whole ? atoms().of_string(label) : atoms().of_keyword(label);
    values_.emplace(id, atom);
    return atom;
  }

  HistoryBuilder& builder_;
  std::size_t tokens_ = 0;
  std::size_t unseen_ = 0;
  std::map<std::pair<const TextExplanation*, VersionId>, Atom> values_;
  std::set<std::pair<const TextExplanation*, std::string>> labels_;
};

}  // namespace

Result<Done> TextHistory::build(HistoryBuilder& builder,
                                const std::string& file) const {
  std::unordered_map<std::uint64_t, TextExplanation> keys;
  std::vector<TextExplanation*> in_order;
  for (const Entry& entry : entries_) {
    if (!entry.has_value) continue;
    const auto [place, is_new] = keys.try_emplace(entry.key.bits());
    if (is_new) in_order.push_back(&place->second);
    place->second.add(entry, builder.atoms().text(entry.text));
  }
  std::uint64_t effort = kEffort;
  for (TextExplanation* key : in_order) {
    auto done = key->find(file, effort);
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

}  // namespace txscope::read
