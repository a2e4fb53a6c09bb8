#include "report/document/seen_versions.h"

#include <algorithm>

namespace txscope::report::document {
namespace {

constexpr std::size_t kMostElements = 12;  // of a list that is read

std::string with_outcome(const History& history, TxnId t) {
  switch (history.at(t).status) {
    case Status::Committed: break;
    case Status::Aborted: return history.name(t) + ", aborted";
    case Status::Unknown: return history.name(t) + ", outcome unknown";
  }
  return history.name(t);
}

}  // namespace

SeenVersions::SeenVersions(const History& history, const std::set<KeyId>& keys)
    : history_(history) {
  for (std::size_t t = 1; t < history.size(); ++t) {
    const Txn txn = history.at(TxnId(t));
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
      if (!keys.contains(history.key_of(OpId(i)))) continue;
      const Op op = history.at(OpId(i));
      if (op.is_write())
        writers_.try_emplace({op.key, history.shown(op.value)}, TxnId(t));
    }
  }
}

SeenVersions::Version& SeenVersions::version(KeyId key,
                                             const std::string& value) {
  std::vector<Version>& all = versions_[key];
  const auto known =
      std::find_if(all.begin(), all.end(),
                   [&](const Version& one) { return one.value == value; });
  if (known != all.end()) return *known;
  Version& added = all.emplace_back();
  added.value = value;
  added.is_new = true;
  const auto writer = writers_.find({key, value});
  if (writer != writers_.end())
    added.writer = with_outcome(history_, writer->second);
  else if (history_.kind(key) == KeyKind::Register &&
           history_.shown(history_.initial(key)) == value)
    added.writer = "there from the beginning";
  else
    added.writer = "nobody";
  return added;
}

void SeenVersions::see(KeyId key, Atom value, const std::string& reader) {
  Version& seen = version(key, history_.shown(value));
  if (std::find(seen.readers.begin(), seen.readers.end(), reader) !=
      seen.readers.end())
    return;
  seen.readers.push_back(reader);
  seen.has_new_reader = true;
}

void SeenVersions::step() {
  for (auto& [key, all] : versions_)
    for (Version& one : all) one.is_new = one.has_new_reader = false;
}

void SeenVersions::take(OpId id) {
  step();
  const Op op = history_.at(id);
  const std::string who = history_.name(history_.txn_of(id));
  if (op.is_write()) {
    Version& written = version(op.key, history_.shown(op.value));
    written.is_new = true;
    written.pending = who;
    return;
  }
  if (op.kind == OpKind::Read) {
    see(op.key, op.value, who);
    return;
  }
  const ListView list = history_.list(id);
  const std::size_t first =
      list.size() > kMostElements ? list.size() - kMostElements : 0;
  for (std::size_t i = first; i < list.size(); ++i) see(op.key, list[i], who);
}

void SeenVersions::end(TxnId t) {
  step();
  const std::string who = history_.name(t);
  for (auto& [key, all] : versions_)
    for (Version& one : all) {
      if (one.pending != who) continue;
      one.pending.clear();
      one.is_gone = history_.at(t).status == Status::Aborted;
    }
}

std::vector<Table> SeenVersions::now() const {
  Table table{"", {"key", "value", "written by", "seen by"}, {}};
  for (const auto& [key, all] : versions_)
    for (const Version& one : all) {
      std::string readers;
      for (const std::string& reader : one.readers)
        readers += (readers.empty() ? "" : ", ") + reader;
      table.rows.push_back(
          {{history_.name(key), one.value, one.writer, readers},
           {one.is_new, one.is_new, one.is_new, one.has_new_reader},
           one.pending,
           one.is_gone});
    }
  return {std::move(table)};
}

}  // namespace txscope::report::document
