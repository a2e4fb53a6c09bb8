#include "verb/input/observed_history.h"

#include <utility>
#include <vector>

#include "model/history_builder.h"

namespace txscope::verb {
namespace {

Atom atom(HistoryBuilder& builder, const observed::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return builder.atoms().of_int(*number);
  if (const auto* text = std::get_if<std::string>(&value))
    return builder.atoms().of_string(*text);
  return Atom::null();
}

Status status_of(observed::Transaction::Status status) {
  switch (status) {
    case observed::Transaction::Status::Committed: return Status::Committed;
    case observed::Transaction::Status::Aborted: return Status::Aborted;
    case observed::Transaction::Status::Unknown: break;
  }
  return Status::Unknown;
}

void add(HistoryBuilder& builder, const observed::Operation& operation) {
  using Kind = observed::Operation::Kind;
  const KeyId key = builder.key(builder.atoms().of_string(operation.key));
  switch (operation.kind) {
    case Kind::Read: builder.read(key, atom(builder, operation.value)); break;
    case Kind::Write: builder.write(key, atom(builder, operation.value)); break;
    case Kind::Append:
      builder.append(key, atom(builder, operation.value));
      break;
    case Kind::List: {
      std::vector<Atom> elements;
      for (const observed::Value& value : operation.elements)
        elements.push_back(atom(builder, value));
      builder.read_list(key, elements);
      break;
    }
  }
}

void add(HistoryBuilder& builder, const observed::Transaction& transaction) {
  builder.begin(
      builder.session(builder.atoms().of_string(transaction.session)));
  if (!transaction.name.empty())
    builder.set_name(builder.atoms().of_string(transaction.name));
  if (transaction.start && transaction.end)
    builder.set_times(*transaction.start, *transaction.end);
  for (const observed::Operation& operation : transaction.operations)
    add(builder, operation);
  builder.end(status_of(transaction.status));
}

class OneHistory : public read::HistorySource {
 public:
  explicit OneHistory(History history) : history_(std::move(history)) {}
  Result<std::optional<History>> next() override {
    return std::exchange(history_, std::nullopt);
  }
  [[nodiscard]] read::Format format() const override {
    return read::Format::Jsonl;
  }

 private:
  std::optional<History> history_;
};

}  // namespace

Result<std::unique_ptr<read::HistorySource>> open_observed(
    const std::string& name, const observed::History& values,
    bool judge_aborted) {
  HistoryBuilder builder(name);
  builder.set_judge_aborted(judge_aborted);
  builder.set_default_initial(atom(builder, values.initial));
  for (const auto& [key, value] : values.initials)
    builder.set_initial(builder.key(builder.atoms().of_string(key)),
                        atom(builder, value));
  for (const observed::Transaction& transaction : values.transactions)
    add(builder, transaction);
  auto history = std::move(builder).finish();
  if (!history) return history.error();
  return std::unique_ptr<read::HistorySource>(
      std::make_unique<OneHistory>(*std::move(history)));
}

}  // namespace txscope::verb
