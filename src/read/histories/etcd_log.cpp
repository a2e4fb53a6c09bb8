#include "read/histories/form/form_reader.h"
#include "read/histories/formats.h"
#include "read/histories/jepsen.h"

namespace txscope::read {
namespace {

constexpr std::string_view kLogger = "jepsen.util";

// The name of the logger stands before any bracket or quote of its line; an
// EDN file may hold it inside the text of an exception.
Match looks_like_etcd_log(const Sample& sample) {
  if (sample.is_directory) return Match::No;
  const std::string_view head = sample.head;
  for (auto at = head.find(kLogger); at != std::string_view::npos;
       at = head.find(kLogger, at + 1)) {
    const auto line_end = head.rfind('\n', at);
    const auto line = line_end == std::string_view::npos ? 0 : line_end + 1;
    const auto before = head.substr(line, at - line);
    if (before.find_first_of("{(\"") == std::string_view::npos)
      return Match::Sure;
  }
  return Match::No;
}

// Reads the lines that Jepsen's own logger wrote,
//     INFO  jepsen.util - 3 :invoke :cas [1 2]
// and passes over what else a log holds.  The columns are EDN values.
class EtcdLogReader final : public FormSource {
 public:
  explicit EtcdLogReader(Input& input) : input_(input), values_(input) {}

  // The event of a line, if it holds one.
  Result<std::optional<JepsenEvent>> read(std::string_view line) {
    const auto logger = line.find(kLogger);
    if (logger == std::string_view::npos) return std::optional<JepsenEvent>();
    std::size_t at = line.find_first_not_of(" \t-", logger + kLogger.size());
    if (at == std::string_view::npos) return std::optional<JepsenEvent>();
    // The first three columns are short; the form of each goes on living in
    // line_, where the cursors of the event point to.
    line_.nodes.clear();
    line_.unescaped.clear();
    line_.source = line;
    std::size_t columns = 0;
    for (; columns < 4; ++columns) {
      auto has_value = values_.next_in(line, at);
      if (!has_value) {
        if (columns < 2) return std::optional<JepsenEvent>();
        return std::move(has_value).error();
      }
      if (!*has_value) break;
      append(values_.form());
      if (columns == 1 && !type_of(1)) return std::optional<JepsenEvent>();
    }
    if (columns < 3) return std::optional<JepsenEvent>();
    return std::optional<JepsenEvent>(event(columns));
  }

  Error error_at(const FormNode& node, std::string what,
                 std::string hint) override {
    return input_.error_at(line_.source.data() + node.at, std::move(what),
                           std::move(hint));
  }

 private:
  void append(const Form& value) {
    for (FormNode node : value.nodes) {
      if (node.is_unescaped)
        node.text += static_cast<std::uint32_t>(line_.unescaped.size());
      line_.nodes.push_back(node);
    }
    line_.unescaped += value.unescaped;
  }

  std::optional<JepsenType> type_of(std::size_t column) const {
    Form::Cursor c = line_.root();
    for (std::size_t i = 0; i < column; ++i) c = c.next();
    if (!c.is_inside() || c.kind() != FormKind::Keyword) return std::nullopt;
    return to_type(c.text());
  }

  JepsenEvent event(std::size_t columns) const {
    JepsenEvent event;
    event.line = input_.line();
    event.whole = line_.root();
    event.process = line_.root();
    event.type = *type_of(1);
    event.f = event.process->next().next();
    if (columns == 4) event.value = event.f->next();
    return event;
  }

  Input& input_;
  FormReader values_;
  Form line_;
};

Result<History> read_etcd_log(Opened& opened) {
  Input& input = *opened.input;
  input.expect_text();
  EtcdLogReader reader(input);
  JepsenHistory history(input.name(), opened.options.judge_aborted);
  for (std::string_view line; input.next_line(line);) {
    auto event = reader.read(line);
    if (!event) return std::move(event).error();
    if (!*event) continue;
    auto done = history.add(**event, reader);
    if (!done) return std::move(done).error();
  }
  if (input.error()) return *input.error();
  return std::move(history).finish();
}

std::unique_ptr<HistorySource> open_etcd_log(Opened opened) {
  return one_history(Format::EtcdLog, std::move(opened), read_etcd_log);
}

}  // namespace

const FormatEntry kEtcdLogFormat{
    Format::EtcdLog,        "etcd-log", "Jepsen's logs of register operations",
    {"etcd", "jepsen-log"}, {".log"},   looks_like_etcd_log,
    open_etcd_log};

}  // namespace txscope::read
