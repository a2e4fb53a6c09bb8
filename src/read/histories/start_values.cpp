#include "read/histories/start_values.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "model/history_builder.h"

namespace txscope::read {
namespace {

constexpr std::string_view kAll = "*";

template <class Integer>
std::optional<Integer> integer(std::string_view text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

Atom atom_of(std::string_view text, AtomTable& atoms) {
  if (text == "nil" || text == "null") return Atom::null();
  if (const auto value = integer<std::int64_t>(text))
    return atoms.of_int(*value);
  if (const auto value = integer<std::uint64_t>(text))
    return atoms.of_uint(*value);
  if (text.size() > 1 && text.front() == ':')
    return atoms.of_keyword(text.substr(1));
  if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    return atoms.of_string(text.substr(1, text.size() - 2));
  return atoms.of_string(text);
}

class StartingWith final : public HistorySource {
 public:
  StartingWith(std::unique_ptr<HistorySource> source,
               std::vector<StartValue> values)
      : source_(std::move(source)),
        values_(std::move(values)),
        is_used_(values_.size(), false) {}

  [[nodiscard]] Format format() const override { return source_->format(); }

  [[nodiscard]] Result<std::optional<History>> next() override {
    auto history = source_->next();
    if (!history) return history;
    if (!*history) {
      if (auto unused = unused_key()) return *std::move(unused);
      return history;
    }
    if (auto wrong = start(**history)) return *std::move(wrong);
    return history;
  }

 private:
  std::optional<Error> start(History& history) {
    std::vector<bool> has_own(history.key_count(), false);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].key == kAll) continue;
      for (const KeyId key : keys_called(history, values_[i].key)) {
        if (history.kind(key) == KeyKind::List)
          return wrong("--initial: " + history.name(key) + " is a list",
                       "lists start empty; name registers only");
        set(history, key, values_[i]);
        has_own[key.index] = is_used_[i] = true;
      }
    }
    for (const StartValue& value : values_) {
      if (value.key != kAll) continue;
      for (std::uint32_t k = 0; k < history.key_count(); ++k)
        if (!has_own[k] && history.kind(KeyId(k)) == KeyKind::Register)
          set(history, KeyId(k), value);
    }
    return std::nullopt;
  }

  static void set(History& history, KeyId key, const StartValue& value) {
    HistoryBuilder::set_initial(
        history, key, atom_of(value.value, HistoryBuilder::atoms(history)));
  }

  // As it is shown; if nothing is, by its bare text.
  static std::vector<KeyId> keys_called(const History& history,
                                        const std::string& name) {
    std::vector<KeyId> exact;
    std::vector<KeyId> bare;
    for (std::uint32_t k = 0; k < history.key_count(); ++k) {
      if (history.name(KeyId(k)) == name) exact.emplace_back(k);
      if (history.atoms().text(history.key(KeyId(k))) == name)
        bare.emplace_back(k);
    }
    return exact.empty() ? bare : exact;
  }

  [[nodiscard]] std::optional<Error> unused_key() const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].key != kAll && !is_used_[i])
        return wrong("--initial: no history of the input has a key '" +
                         values_[i].key + "'",
                     "write keys as reports show them; '*=" + values_[i].value +
                         "' is for every register");
    return std::nullopt;
  }
  static Error wrong(std::string what, std::string hint) {
    return Error{Place{}, std::move(what), std::move(hint), ""};
  }

  std::unique_ptr<HistorySource> source_;
  std::vector<StartValue> values_;
  std::vector<bool> is_used_;
};

}  // namespace

Result<std::vector<StartValue>> parse_start_values(
    std::span<const std::string> settings) {
  std::vector<StartValue> values;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=', 1);
    if (setting.empty() || equals == std::string::npos ||
        equals + 1 == setting.size())
      return Error{Place{}, "--initial: '" + setting + "' is not KEY=VALUE",
                   "for example --initial x=0, or --initial '*=0' for every "
                   "register",
                   ""};
    values.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
    const auto is_same = [&](const StartValue& other) {
      return other.key == values.back().key;
    };
    if (std::count_if(values.begin(), values.end(), is_same) > 1)
      return Error{
          Place{},
          "--initial: '" + values.back().key + "' is given two initial values",
          "name a key once", ""};
  }
  return values;
}

std::unique_ptr<HistorySource> starting_with(
    std::unique_ptr<HistorySource> source, std::vector<StartValue> values) {
  if (values.empty()) return source;
  return std::make_unique<StartingWith>(std::move(source), std::move(values));
}

}  // namespace txscope::read
