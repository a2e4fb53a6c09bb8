#include "tla/value/row_codec.h"

namespace txscope::tla {
namespace {

// References: the lowest two bits say what the others are.
constexpr std::uint64_t kEntryRef = 0;  // a number in the table
constexpr std::uint64_t kIntRef = 1;  // an integer, its sign in the lowest bit
constexpr std::uint64_t kBoolRef = 2;

// Kinds of entries of the table.
enum class EntryKind : std::uint8_t { String, Model, Set, Sequence, Function };

void put(std::string& out, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7u) out += static_cast<char>(n | 0x80u);
  out += static_cast<char>(n);
}

/// Reads what put() wrote; stays at the end once it is there.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) break;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      n |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80u) == 0) return n;
    }
    is_good_ = false;
    return 0;
  }
  std::string_view text(std::size_t size) {
    if (size > bytes_.size() - at_) {
      is_good_ = false;
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] bool is_good() const { return is_good_; }
  void fail() { is_good_ = false; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_good_ = true;
};

Value read_reference(Bytes& from, const std::vector<Value>& table) {
  const std::uint64_t n = from.number();
  const std::uint64_t rest = n >> 2u;
  switch (n & 3u) {
    case kIntRef: {
      const auto size = static_cast<std::int64_t>(rest >> 1u);
      return Value::of_int((rest & 1u) != 0 ? -size : size);
    }
    case kBoolRef: return Value::of_bool(rest != 0);
    case kEntryRef:
      if (rest < table.size()) return table[rest];
      break;
    default: break;
  }
  from.fail();
  return {};
}

Value read_entry(Bytes& from, const std::vector<Value>& table, Store& store) {
  const auto kind = static_cast<EntryKind>(from.number());
  if (kind == EntryKind::String || kind == EntryKind::Model) {
    const std::string_view text = from.text(from.number());
    return kind == EntryKind::String ? store.string(text) : store.model(text);
  }
  Value domain;
  if (kind == EntryKind::Function) {
    domain = read_reference(from, table);
    if (!domain.is_node() || domain.as_node()->kind != NodeKind::Set)
      from.fail();
  }
  const std::uint64_t size = from.number();
  if (size > from.left()) from.fail();
  std::vector<Value> items;
  for (std::uint64_t i = 0; i < size && from.is_good(); ++i)
    items.push_back(read_reference(from, table));
  if (!from.is_good()) return {};
  switch (kind) {
    case EntryKind::Set: return store.set(items);
    case EntryKind::Sequence: return store.sequence(items);
    case EntryKind::Function:
      if (domain.as_node()->size == items.size())
        return store.function(domain, items);
      break;
    default: break;
  }
  from.fail();
  return {};
}

}  // namespace

std::uint64_t RowWriter::reference(Value v) {
  switch (v.tag()) {
    case Tag::Int: {
      const std::int64_t n = v.as_int();
      const auto size = static_cast<std::uint64_t>(n < 0 ? -n : n);
      return (size << 1u | (n < 0 ? 1u : 0u)) << 2u | kIntRef;
    }
    case Tag::Bool: return std::uint64_t{v.as_bool()} << 2u | kBoolRef;
    default: break;
  }
  const auto known = known_.find(v.bits());
  return (known != known_.end() ? known->second : define(v)) << 2u | kEntryRef;
}

std::uint64_t RowWriter::define(Value v) {
  if (v.tag() == Tag::String || v.tag() == Tag::Model) {
    const std::string& text = v.as_name()->text;
    put(table_,
        static_cast<std::uint64_t>(v.tag() == Tag::String ? EntryKind::String
                                                          : EntryKind::Model));
    put(table_, text.size());
    table_ += text;
  } else {
    const Node& node = *v.as_node();
    const bool is_function = node.kind == NodeKind::Function;
    const std::uint64_t domain = is_function ? reference(node.domain) : 0;
    std::vector<std::uint64_t> items;
    items.reserve(node.size);
    for (const Value item : node.all()) items.push_back(reference(item));
    const EntryKind kind = is_function                  ? EntryKind::Function
                           : node.kind == NodeKind::Set ? EntryKind::Set
                                                        : EntryKind::Sequence;
    put(table_, static_cast<std::uint64_t>(kind));
    if (is_function) put(table_, domain);
    put(table_, node.size);
    for (const std::uint64_t item : items) put(table_, item);
  }
  const std::uint64_t number = known_.size();
  known_.emplace(v.bits(), number);
  return number;
}

void RowWriter::add(std::span<const Value> row) {
  for (const Value v : row) put(rows_, reference(v));
  count_ += row.size();
}

std::string RowWriter::take() {
  std::string bytes;
  put(bytes, known_.size());
  put(bytes, count_);
  bytes += table_;
  bytes += rows_;
  *this = RowWriter();
  return bytes;
}

std::optional<std::vector<Value>> read_rows(std::string_view bytes,
                                            Store& store) {
  Bytes from(bytes);
  const std::uint64_t entries = from.number();
  const std::uint64_t count = from.number();
  if (entries > bytes.size() || count > bytes.size()) return std::nullopt;
  std::vector<Value> table;
  for (std::uint64_t i = 0; i < entries && from.is_good(); ++i)
    table.push_back(read_entry(from, table, store));
  std::vector<Value> rows;
  rows.reserve(count);
  for (std::uint64_t i = 0; i < count && from.is_good(); ++i)
    rows.push_back(read_reference(from, table));
  if (!from.is_good() || from.left() != 0) return std::nullopt;
  return rows;
}

}  // namespace txscope::tla
