#include "tla/evaluate/observed.h"

#include "model/history_builder.h"

namespace txscope::tla {
namespace {

const Node* function_node(Value v) {
  return v.is_node() && v.as_node()->is_function() ? v.as_node() : nullptr;
}

const Node* sequence_node(Value v) {
  return v.is_node() && v.as_node()->kind == NodeKind::Sequence ? v.as_node()
                                                                : nullptr;
}

struct Operation {
  bool is_write;
  Value key;
  Value value;
};

std::optional<Value> field(const Node& record, std::string_view name) {
  if (record.kind != NodeKind::Function) return std::nullopt;
  const Node& keys = *record.domain.as_node();
  for (std::uint32_t i = 0; i < record.size; ++i)
    if (keys.items[i].tag() == Tag::String &&
        keys.items[i].as_name()->text == name)
      return record.items[i];
  return std::nullopt;
}

std::optional<Operation> operation(Value v) {
  const Node* record = function_node(v);
  if (record == nullptr) return std::nullopt;
  const auto op = field(*record, "op");
  const auto key = field(*record, "key");
  const auto value = field(*record, "value");
  if (!op || !key || !value || op->tag() != Tag::String) return std::nullopt;
  const bool is_write = op->as_name()->text == "write";
  if (!is_write && op->as_name()->text != "read") return std::nullopt;
  return Operation{is_write, *key, *value};
}

bool is_transaction(Value v) {
  const Node* ops = sequence_node(v);
  if (ops == nullptr) return false;
  for (const Value op : ops->all())
    if (!operation(op)) return false;
  return true;
}

/// One session: its name, its transactions and their times.
struct Lane {
  Value name;
  std::vector<Value> transactions;
  const Node* times = nullptr;
};

Value key_at(const Node& f, std::uint32_t i) {
  return f.kind == NodeKind::Sequence ? Value::of_int(i + 1)
                                      : f.domain.as_node()->items[i];
}

std::optional<std::vector<Lane>> lanes_of(Value transactions) {
  std::vector<Lane> lanes;
  if (!transactions.is_node()) return std::nullopt;
  const Node& node = *transactions.as_node();
  if (node.kind == NodeKind::Set) {
    for (const Value t : node.all()) {
      if (!is_transaction(t)) return std::nullopt;
      lanes.push_back(
          {Value::of_int(static_cast<std::int64_t>(lanes.size()) + 1),
           {t},
           nullptr});
    }
    return lanes;
  }
  if (!node.is_function()) return std::nullopt;
  for (std::uint32_t i = 0; i < node.size; ++i) {
    Lane lane{key_at(node, i), {}, nullptr};
    const Node* inner = sequence_node(node.items[i]);
    if (inner == nullptr) return std::nullopt;
    bool is_session = true;  // a sequence of transactions
    for (const Value t : inner->all())
      is_session = is_session && is_transaction(t);
    if (is_session)
      lane.transactions.assign(inner->all().begin(), inner->all().end());
    else if (is_transaction(node.items[i]))
      lane.transactions = {node.items[i]};
    else
      return std::nullopt;
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

class Translator {
 public:
  Translator() : builder_("the observed transactions") {}

  std::optional<History> run(const Node& init, std::vector<Lane>& lanes) {
    for (std::uint32_t i = 0; i < init.size; ++i)
      builder_.set_initial(builder_.key(atom(key_at(init, i))),
                           atom(init.items[i]));
    for (const Lane& lane : lanes) {
      const SessionId session = builder_.session(atom(lane.name));
      for (std::size_t i = 0; i < lane.transactions.size(); ++i) {
        builder_.begin(session);
        if (lane.times != nullptr && !set_times(*lane.times, i))
          return std::nullopt;
        for (const Value v : lane.transactions[i].as_node()->all())
          add(v, init);
        builder_.commit();
      }
    }
    if (!is_right_) return std::nullopt;
    auto history = std::move(builder_).finish();
    if (!history) return std::nullopt;
    return std::move(*history);
  }

 private:
  /// Integers and strings stay what they are; everything else is a keyword,
  /// so that the model value a and the string "a" differ.
  txscope::Atom atom(Value v) {
    AtomTable& atoms = builder_.atoms();
    if (v.is_int()) return atoms.of_int(v.as_int());
    if (v.tag() == Tag::String) return atoms.of_string(v.as_name()->text);
    return atoms.of_keyword(to_string(v));
  }

  void add(Value v, const Node& init) {
    const Operation op = *operation(v);
    bool has_initial = false;
    for (std::uint32_t i = 0; i < init.size; ++i)
      has_initial = has_initial || key_at(init, i) == op.key;
    is_right_ = is_right_ && has_initial;
    const KeyId key = builder_.key(atom(op.key));
    if (op.is_write)
      builder_.write(key, atom(op.value));
    else
      builder_.read(key, atom(op.value));
  }

  bool set_times(const Node& times, std::size_t i) {
    if (i >= times.size) return false;
    const Node* pair = sequence_node(times.items[i]);
    if (pair == nullptr || pair->size != 2 || !pair->items[0].is_int() ||
        !pair->items[1].is_int())
      return false;
    builder_.set_times(pair->items[0].as_int(), pair->items[1].as_int());
    return true;
  }

  HistoryBuilder builder_;
  bool is_right_ = true;
};

}  // namespace

std::optional<History> observed_history(Value init, Value transactions,
                                        Value times) {
  const Node* initial = function_node(init);
  if (initial == nullptr) return std::nullopt;
  auto lanes = lanes_of(transactions);
  if (!lanes) return std::nullopt;
  if (!times.is_none()) {
    const Node* all = function_node(times);
    if (all == nullptr || all->size != lanes->size()) return std::nullopt;
    for (std::uint32_t i = 0; i < all->size; ++i) {
      if (key_at(*all, i) != (*lanes)[i].name) return std::nullopt;
      (*lanes)[i].times = sequence_node(all->items[i]);
      if ((*lanes)[i].times == nullptr) return std::nullopt;
    }
  }
  return Translator().run(*initial, *lanes);
}

}  // namespace txscope::tla
