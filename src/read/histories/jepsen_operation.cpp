#include "read/histories/jepsen_operation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace txscope::read {
namespace {

using Cursor = Form::Cursor;
using MicroKind = MicroOp::Kind;
using Seen = MicroOp::Seen;

constexpr const char* kWorkloads =
    "txscope reads list-append, rw-register, cas-register, long-fork and "
    "get/put/append histories";

// Operations that other workloads are known by.
constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
    {"transfer", "a bank history"},
    {"add", "a set or counter history"},
    {"inc", "a counter history"},
    {"increment", "a counter history"},
    {"decr", "a counter history"},
    {"acquire", "a mutex history"},
    {"release", "a mutex history"},
    {"enqueue", "a queue history"},
    {"dequeue", "a queue history"},
    {"drain", "a queue history"},
    {"init", "a closed-predicate history"},
    {"insert", "a closed-predicate or adya history"},
    {"delete", "a closed-predicate history"},
    {"rp", "a closed-predicate history"},
    {"generate", "a unique-ids history"},
};

std::optional<MicroKind> step_kind(std::string_view name) {
  if (name.size() == 1) {
    if (name[0] == 'r') return MicroKind::Read;
    if (name[0] == 'w') return MicroKind::Write;
    return std::nullopt;
  }
  if (name == "append") return MicroKind::Append;
  if (name == "write") return MicroKind::Write;
  if (name == "read") return MicroKind::Read;
  return std::nullopt;
}

// Understands one event; what it is called with stays the same throughout.
class Understanding {
 public:
  Understanding(const JepsenEvent& event, AtomTable& atoms, FormSource& source,
                Operation& operation)
      : event_(event), atoms_(atoms), source_(source), operation_(operation) {}

  Result<Done> run() {
    operation_.clear();
    const std::string_view f = event_.f ? event_.f->text() : "";
    if (f == "txn" || (event_.value && is_transaction(*event_.value)))
      return transaction();
    if (f == "read" || f == "write" || f == "cas") return on_register(f);
    if (f == "get" || f == "put" || f == "append") return on_text(f);
    if (!event_.f)
      return source_.error_at(
          event_.whole.node(), "the event has no :f and no micro-operations",
          "its :value should be a vector like [[:append :x 1] [:r :y nil]]");
    return foreign(*event_.f, f);
  }

 private:
  [[nodiscard]] bool is_invocation() const {
    return event_.type == JepsenType::Invoke;
  }
  [[nodiscard]] bool has_value() const {
    return event_.value && !event_.value->is_nil();
  }

  // [[:w :x 1] [:r :y nil]], and [] if nothing says otherwise.
  [[nodiscard]] bool is_transaction(Cursor value) const {
    if (!value.is_sequence()) return false;
    const Cursor first = value.first();
    if (!first.is_inside()) return !event_.f;
    if (!first.is_sequence()) return false;
    const Cursor name = first.first();
    return name.is_inside() && name.is_name();
  }

  Error foreign(Cursor at, std::string_view name) {
    for (const auto& [operation, workload] : kForeign)
      if (operation == name)
        return source_.error_at(
            at.node(),
            "'" + std::string(name) + "' is an operation of " +
                std::string(workload) + ", which txscope does not check",
            kWorkloads);
    return source_.error_at(
        at.node(), "unknown operation '" + std::string(name) + "'", kWorkloads);
  }

  // What most keys and values are, without a Result for each of them.
  bool plain_atom(Cursor c, Atom& atom) {
    const FormNode& node = c.node();
    if (node.kind != FormKind::Integer || node.is_unsigned) return false;
    atom = atoms_.of_int(node.integer);
    return true;
  }

  Result<Atom> atom(Cursor c) {
    const FormNode& node = c.node();
    switch (c.kind()) {
      case FormKind::Nil: return Atom::null();
      case FormKind::Integer:
        return node.is_unsigned
                   ? atoms_.of_uint(static_cast<std::uint64_t>(node.integer))
                   : atoms_.of_int(node.integer);
      case FormKind::String: return atoms_.of_string(c.text());
      case FormKind::Keyword: return atoms_.of_keyword(c.text());
      case FormKind::Number:
        return source_.error_at(
            node,
            "'" + std::string(c.text()) +
                "' is not an integer that fits into 64 bits",
            "integers reach from -2^63 to 2^64-1");
      case FormKind::Bool:
      case FormKind::Character:
      case FormKind::Symbol:
      case FormKind::Map:
      case FormKind::Vector:
      case FormKind::List:
      case FormKind::Set: break;
    }
    return source_.error_at(
        node,
        "expected an integer, a string, a keyword or nil, found " +
            std::string(with_article(c.kind())),
        "");
  }

  Result<Atom> key(Cursor c) {
    if (c.is_nil())
      return source_.error_at(c.node(), "a key cannot be nil", "");
    return atom(c);
  }

  Result<Done> transaction() {
    if (!has_value()) {
      operation_.has_value = false;
      return Done{};
    }
    const Cursor value = *event_.value;
    if (!value.is_sequence())
      return source_.error_at(value.node(),
                              "expected a vector of micro-operations, found " +
                                  std::string(with_article(value.kind())),
                              "for example [[:append :x 1] [:r :y nil]]");
    for (Cursor c = value.first(); c.is_inside(); c = c.next()) {
      auto done = micro_operation(c);
      if (!done) return done;
    }
    return Done{};
  }

  Result<Done> micro_operation(Cursor whole) {
    const Cursor name = whole.is_sequence() ? whole.first() : Cursor();
    if (!name.is_inside() || !name.is_name())
      return source_.error_at(whole.node(), "expected a micro-operation",
                              "for example [:append :x 1] or [:r :y nil]");
    MicroOp op;
    const std::string_view text = name.text();
    const auto kind = step_kind(text);
    if (!kind) return foreign(name, text);
    op.kind = *kind;
    const Cursor named = name.next();
    const Cursor value = named.is_inside() ? named.next() : named;
    const bool has_two = named.is_inside() && !value.is_inside();
    const bool has_three = value.is_inside() && !value.next().is_inside();
    if (!has_three && !(has_two && op.kind == MicroKind::Read))
      return source_.error_at(whole.node(),
                              "a micro-operation has a name, a key and a value",
                              "for example [:append :x 1] or [:r :y nil]");
    if (!plain_atom(named, op.key)) {
      auto k = key(named);
      if (!k) return std::move(k).error();
      op.key = *k;
    }
    if (op.kind == MicroKind::Read) return add_read(op, value);
    if (!plain_atom(value, op.value)) {
      auto written = atom(value);
      if (!written) return std::move(written).error();
      op.value = *written;
    }
    operation_.steps.push_back(op);
    return Done{};
  }

  Result<Done> add_read(MicroOp op, Cursor value) {
    if (!is_invocation() && value.is_inside() && !value.is_nil()) {
      if (value.is_sequence()) {
        op.seen = Seen::List;
        auto done = add_elements(op, value);
        if (!done) return done;
      } else {
        auto seen = atom(value);
        if (!seen) return std::move(seen).error();
        op.seen = Seen::Value;
        op.value = *seen;
      }
    }
    operation_.steps.push_back(op);
    return Done{};
  }

  Result<Done> add_elements(MicroOp& op, Cursor list) {
    op.known = static_cast<std::uint32_t>(list.node().integer);
    op.first = static_cast<std::uint32_t>(operation_.elements.size());
    for (Cursor c = list.first(); c.is_inside(); c = c.next()) {
      Atom plain;
      if (plain_atom(c, plain)) {
        operation_.elements.push_back(plain);
        op.rest = list.text_up_to(c.node());
        continue;
      }
      auto element = atom(c);
      if (!element) return std::move(element).error();
      operation_.elements.push_back(*element);
      if (c.kind() == FormKind::Integer) op.rest = list.text_up_to(c.node());
    }
    op.size = static_cast<std::uint32_t>(operation_.elements.size()) - op.first;
    return Done{};
  }

  // read, write and cas of one register, or of one of several.
  Result<Done> on_register(std::string_view f) {
    std::optional<Cursor> value = event_.value;
    auto k = register_key(f, value);
    if (!k) return std::move(k).error();
    MicroOp op;
    op.key = *k;
    if (f == "read") {
      if (value && value->is_collection()) return foreign_read(*value);
      return add_read(op, value.value_or(Cursor()));
    }
    const bool is_cas = f == "cas";
    if (!value || (value->is_nil() && (is_cas || !is_invocation()))) {
      operation_.has_value = false;
      return Done{};
    }
    if (is_cas) {
      if (!value->is_sequence() || value->count(3) != 2)
        return source_.error_at(value->node(),
                                "a cas needs two values, [old new]", "");
      auto old = atom(value->first());
      if (!old) return std::move(old).error();
      op.seen = Seen::Value;
      op.is_condition = true;
      op.value = *old;
      operation_.steps.push_back(op);
      value = value->first().next();
    }
    auto written = atom(*value);
    if (!written) return std::move(written).error();
    MicroOp write;
    write.kind = MicroKind::Write;
    write.key = *k;
    write.value = *written;
    operation_.steps.push_back(write);
    return Done{};
  }

  // The register is named by :key, by the first half of an independent tuple
  // [key value], or there is but one.  Leaves the value behind.
  Result<Atom> register_key(std::string_view f, std::optional<Cursor>& value) {
    if (event_.key) return key(*event_.key);
    const bool is_pair = value && value->is_sequence() && value->count(3) == 2;
    if (is_pair) {
      const Cursor first = value->first();
      const Cursor second = first.next();
      const bool is_tuple =
          f == "cas" ? second.is_sequence() : !second.is_collection();
      if (is_tuple && !first.is_nil() && !first.is_collection()) {
        value = second;
        return key(first);
      }
    }
    return atoms_.of_string("register");
  }

  Error foreign_read(Cursor value) {
    const bool is_map = value.kind() == FormKind::Map;
    return source_.error_at(
        value.node(),
        "a read that returns " + std::string(with_article(value.kind())) +
            (is_map ? " belongs to a bank history"
                    : " belongs to a set or comments history") +
            ", which txscope does not check",
        kWorkloads);
  }

  // get, put and append of the text behind a key.
  Result<Done> on_text(std::string_view f) {
    if (!event_.key)
      return source_.error_at(event_.f->node(),
                              "'" + std::string(f) + "' needs a :key", "");
    operation_.is_text = true;
    MicroOp op;
    auto k = key(*event_.key);
    if (!k) return std::move(k).error();
    op.key = *k;
    if (f != "get") op.kind = f == "put" ? MicroKind::Write : MicroKind::Concat;
    if (!has_value() && f != "get") {
      operation_.has_value = false;
      return Done{};
    }
    if (has_value() && event_.value->kind() != FormKind::String)
      return source_.error_at(
          event_.value->node(),
          "expected a string, found " +
              std::string(with_article(event_.value->kind())),
          "get, put and append work on text");
    op.value = atoms_.of_string(has_value() ? event_.value->text() : "");
    if (f == "get" && !is_invocation()) op.seen = Seen::Value;
    operation_.steps.push_back(op);
    return Done{};
  }

  const JepsenEvent& event_;
  AtomTable& atoms_;
  FormSource& source_;
  Operation& operation_;
};

}  // namespace

void Operation::clear() {
  steps.clear();
  elements.clear();
  has_value = true;
  is_text = false;
}

bool Operation::matches(const Operation& completed) const {
  if (!completed.has_value || !has_value) return true;
  return is_text == completed.is_text &&
         std::equal(steps.begin(), steps.end(), completed.steps.begin(),
                    completed.steps.end(),
                    [](const MicroOp& a, const MicroOp& b) {
                      return a.kind == b.kind && a.key == b.key &&
                             a.is_condition == b.is_condition &&
                             ((a.kind == MicroKind::Read && !a.is_condition) ||
                              a.value == b.value);
                    });
}

std::optional<JepsenType> to_type(std::string_view name) {
  if (name == "invoke") return JepsenType::Invoke;
  if (name == "ok") return JepsenType::Ok;
  if (name == "fail") return JepsenType::Fail;
  if (name == "info") return JepsenType::Info;
  return std::nullopt;
}

Result<JepsenEvent> to_event(Form::Cursor map, std::uint64_t line,
                             FormSource& source) {
  if (map.kind() != FormKind::Map)
    return source.error_at(
        map.node(),
        "expected an event, a map, found " +
            std::string(with_article(map.kind())),
        "for example {:type :ok, :process 0, :f :txn, :value [[:r :x 1]]}");
  JepsenEvent event;
  event.whole = map;
  event.line = line;
  std::optional<Cursor> type;
  for (Cursor k = map.first(); k.is_inside(); k = k.next().next()) {
    if (!k.is_name()) continue;
    const std::string_view name = k.text();
    std::optional<Cursor>* const field = name == "type"      ? &type
                                         : name == "process" ? &event.process
                                         : name == "f"       ? &event.f
                                         : name == "value"   ? &event.value
                                         : name == "key"     ? &event.key
                                         : name == "index"   ? &event.index
                                                             : nullptr;
    if (field == nullptr) continue;
    if (*field)
      return source.error_at(
          k.node(), "the event has two values of '" + std::string(name) + "'",
          "");
    *field = k.next();
  }
  if (!type)
    return source.error_at(map.node(), "the event has no :type",
                           "it is :invoke, :ok, :fail or :info");
  const auto known = type->is_name() ? to_type(type->text()) : std::nullopt;
  if (!known)
    return source.error_at(type->node(),
                           "the :type of an event is :invoke, :ok, :fail or "
                           ":info",
                           "");
  event.type = *known;
  if (event.f && event.f->is_nil()) event.f.reset();
  if (event.key && event.key->is_nil()) event.key.reset();
  if (event.process && event.process->is_nil()) event.process.reset();
  return event;
}

Result<Done> understand(const JepsenEvent& event, AtomTable& atoms,
                        FormSource& source, Operation& operation) {
  if (event.f && !event.f->is_name())
    return source.error_at(event.f->node(),
                           "the :f of an event is a keyword, found " +
                               std::string(with_article(event.f->kind())),
                           "");
  return Understanding(event, atoms, source, operation).run();
}

}  // namespace txscope::read
