#include "model/history.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/printable.h"

namespace txscope {

TxnId History::txn_of(OpId op) const {
  const auto after = std::upper_bound(
      txns_.begin() + 1, txns_.end(), op.index,
      [](std::uint32_t i, const TxnRow& t) { return i < t.first_op; });
  return TxnId(static_cast<std::size_t>(after - txns_.begin()) - 1);
}

ListView History::list(const Op& read) const {
  const std::uint64_t stored = read.value.bits();
  if (stored == 0) return {nullptr, 0};
  if (stored >> 63 == 0) return {chains_[read.key.index].data(), stored};
  const std::uint64_t length = stored & ((1u << 31) - 1);
  return {strays_.data() + ((stored << 1) >> 32), length};
}

std::string History::shown(Atom atom) const {
  return printable(atoms_.text(atom), Lines::Show);
}

std::string History::name(TxnId t) const {
  if (t == kInitial) return "init";
  const Txn txn = at(t);
  if (!txn.name.is_null()) return shown(txn.name);
  return name(txn.session) + "#" + std::to_string(txn.number);
}

std::string History::name(SessionId s) const {
  return shown(sessions_[s.index].name);
}

std::string History::name(KeyId k) const {
  const Atom atom = key(k);
  const std::string text = shown(atom);
  return atoms_.kind(atom) == AtomKind::Keyword ? ":" + text : text;
}

std::string History::describe(OpId id) const { return describe(id, 4, 2); }

std::string History::describe_whole(OpId id) const {
  return describe(id, std::numeric_limits<std::size_t>::max(), 0);
}

// A list of more than `most` elements is shown by its last `last` ones.
std::string History::describe(OpId id, std::size_t most,
                              std::size_t last) const {
  const Op op = at(id);
  const std::string key_name = name(op.key);
  switch (op.kind) {
    case OpKind::Read: return "r(" + key_name + ")=" + shown(op.value);
    case OpKind::Write: return "w(" + key_name + ")=" + shown(op.value);
    case OpKind::Append: return "append(" + key_name + ")=" + shown(op.value);
    case OpKind::ReadList: break;
  }
  const ListView elements = list(op);
  const std::size_t count = elements.size() > most ? last : elements.size();
  std::string text = "r(" + key_name + ")=[";
  if (count < elements.size()) text += ".. ";
  for (std::size_t i = elements.size() - count; i < elements.size(); ++i) {
    if (i > elements.size() - count) text += ' ';
    text += shown(elements[i]);
  }
  return text + "]";
}

Place History::place(TxnId t) const {
  if (t == kInitial) return Place{files_.front(), 0, 0, {}};
  return Place{files_[at(t).file], at(t).line, 0, {}};
}

std::string History::where(TxnId t) const {
  const Place at = place(t);
  if (at.line == 0) return "";
  if (files_.size() == 1) return "line " + std::to_string(at.line);
  return at.file.substr(at.file.rfind('/') + 1) + ":" + std::to_string(at.line);
}

Place History::place(OpId op) const {
  Place where = place(txn_of(op));
  if (!op_lines_.empty()) where.line = op_lines_[op.index];
  return where;
}

}  // namespace txscope
