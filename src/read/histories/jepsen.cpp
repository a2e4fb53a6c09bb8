#include "read/histories/jepsen.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <utility>

#include "read/histories/form/form_characters.h"
#include "read/histories/form/form_reader.h"
#include "read/histories/formats.h"
#include "read/scan.h"

namespace txscope::read {
namespace {

using MicroKind = MicroOp::Kind;
using Seen = MicroOp::Seen;

// More open invocations without a process than this are not told apart.
constexpr std::size_t kMaxAnonymous = 10000;

bool has_read(const Operation& operation) {
  return std::any_of(operation.steps.begin(), operation.steps.end(),
                     [](const MicroOp& s) {
                       return s.kind == MicroKind::Read && !s.is_condition;
                     });
}

}  // namespace

JepsenHistory::JepsenHistory(const std::string& file, bool judge_aborted)
    : file_(file), builder_(file), judge_aborted_(judge_aborted) {
  builder_.set_judge_aborted(judge_aborted);
}

Result<Done> JepsenHistory::add(const JepsenEvent& event, FormSource& source) {
  ++now_;
  if (event.process && event.process->kind() != FormKind::Integer)
    return Done{};
  has_client_ = true;
  return event.type == JepsenType::Invoke ? invoke(event, source)
                                          : complete(event, source);
}

JepsenHistory::Process& JepsenHistory::process_of(const FormNode& node) {
  const Atom name =
      node.is_unsigned
          ? atoms().of_uint(static_cast<std::uint64_t>(node.integer))
          : atoms().of_int(node.integer);
  const auto [place, is_new] = processes_.try_emplace(name.bits());
  if (is_new) {
    place->second.name = name;
    place->second.session = builder_.session(name);
  }
  return place->second;
}

// A crashed process is not used again, says Jepsen.  If it is, what it does
// next is not ordered after the operation that may still be under way.
void JepsenHistory::revive(Process& process) {
  process.is_crashed = false;
  ++process.lives;
  process.session = builder_.session(atoms().of_string(
      atoms().text(process.name) + "/" + std::to_string(process.lives)));
}

Result<Done> JepsenHistory::invoke(const JepsenEvent& event,
                                   FormSource& source) {
  auto done = understand(event, atoms(), source, operation_);
  if (!done) return done;
  Invocation invocation{now_, event.line, std::exchange(operation_, spare())};
  if (!event.process) {
    if (anonymous_.size() >= kMaxAnonymous)
      return source.error_at(event.whole.node(),
                             "too many open operations without a :process",
                             "add a :process to the events");
    anonymous_.push_back(std::move(invocation));
    return Done{};
  }
  Process& process = process_of(event.process->node());
  if (process.running)
    return source.error_at(
        event.process->node(),
        "process " + atoms().text(process.name) +
            " is invoked while its operation of line " +
            std::to_string(process.running->line) + " is still open",
        "a process does one operation at a time; an :ok, :fail or :info of it "
        "is missing between the two");
  if (process.is_crashed) revive(process);
  process.running = std::move(invocation);
  return Done{};
}

Result<Done> JepsenHistory::complete(const JepsenEvent& event,
                                     FormSource& source) {
  std::optional<Invocation> invocation;
  Finished finished{{}, 0, now_, event.line, Status::Committed, name_of(event)};
  if (event.type == JepsenType::Fail) finished.status = Status::Aborted;
  if (event.type == JepsenType::Info) finished.status = Status::Unknown;
  if (event.process) {
    Process& process = process_of(event.process->node());
    invocation = std::exchange(process.running, std::nullopt);
    if (process.is_crashed) revive(process);
    finished.session = process.session;
    finished.start = process.free_at;
    process.free_at = now_ + 1;
    process.is_crashed = event.type == JepsenType::Info;
  } else {
    auto taken = take_anonymous(event, source);
    if (!taken) return std::move(taken).error();
    invocation = *std::move(taken);
    finished.session = builder_.anonymous_session();
  }
  if (invocation) finished.start = invocation->start;
  auto done = what_happened(event, source, invocation ? &*invocation : nullptr);
  if (!done) return done;
  if (invocation) spares_.push_back(std::move(invocation->operation));
  return emit(finished, operation_);
}

// One that has been used, so that its memory is used again.
Operation JepsenHistory::spare() {
  if (spares_.empty()) return {};
  Operation used = std::move(spares_.back());
  spares_.pop_back();
  return used;
}

// Testers know an operation by the :index of its completion.  Where those do
// not ascend they are no names.
std::optional<Atom> JepsenHistory::name_of(const JepsenEvent& event) {
  if (!event.index || event.index->kind() != FormKind::Integer ||
      event.index->node().is_unsigned)
    return std::nullopt;
  const std::int64_t index = event.index->node().integer;
  if (index <= last_index_) return std::nullopt;
  last_index_ = index;
  std::array<char, 32> name{"index "};
  constexpr std::size_t kWord = 6;
  const auto end =
      std::to_chars(name.data() + kWord, name.data() + name.size(), index).ptr;
  return atoms().of_string({name.data(), end});
}

// Which of the open invocations without a process this event completes.  If
// several could be meant, taking one would invent a real-time order.
Result<std::optional<JepsenHistory::Invocation>> JepsenHistory::take_anonymous(
    const JepsenEvent& event, FormSource& source) {
  std::optional<Invocation> taken;
  if (anonymous_.empty()) return taken;
  auto done = understand(event, atoms(), source, operation_);
  if (!done) {
    if (event.type == JepsenType::Ok) return std::move(done).error();
    operation_.clear();
    operation_.has_value = false;
  }
  std::size_t found = anonymous_.size();
  for (std::size_t i = 0; i < anonymous_.size(); ++i) {
    if (!anonymous_[i].operation.matches(operation_)) continue;
    if (found != anonymous_.size())
      return source.error_at(event.whole.node(),
                             "this may complete the operation of line " +
                                 std::to_string(anonymous_[found].line) +
                                 " or that of line " +
                                 std::to_string(anonymous_[i].line),
                             "add a :process to the events");
    found = i;
  }
  if (found == anonymous_.size()) return taken;
  taken = std::move(anonymous_[found]);
  anonymous_.erase(anonymous_.begin() + static_cast<std::ptrdiff_t>(found));
  return taken;
}

// Leaves in operation_ what the completed transaction did.
Result<Done> JepsenHistory::what_happened(const JepsenEvent& event,
                                          FormSource& source,
                                          const Invocation* invocation) {
  const bool is_ok = event.type == JepsenType::Ok;
  const bool is_needed = is_ok || invocation == nullptr ||
                         (judge_aborted_ && event.type == JepsenType::Fail);
  bool is_understood = false;
  if (is_needed) {
    auto done = understand(event, atoms(), source, operation_);
    if (!done && is_ok) return done;
    is_understood = static_cast<bool>(done) && operation_.has_value;
  }
  if (invocation == nullptr) {
    if (is_understood) return Done{};
    if (is_ok)
      return source.error_at(event.whole.node(),
                             "the completed operation has no :value", "");
    operation_.clear();
    return Done{};
  }
  const Operation& invoked = invocation->operation;
  if (is_ok && !is_understood && (!invoked.has_value || has_read(invoked)))
    return source.error_at(event.whole.node(),
                           "the completed operation has no :value", "");
  const bool is_other_register =
      is_ok && is_understood && operation_.steps.size() == 1 &&
      invoked.steps.size() == 1 &&
      operation_.steps[0].key != invoked.steps[0].key;
  if (is_other_register)
    return source.error_at(
        (event.value ? *event.value : event.whole).node(),
        "the operation of line " + std::to_string(invocation->line) +
            " was on key " + atoms().text(invoked.steps[0].key) +
            ", its completion is on key " +
            atoms().text(operation_.steps[0].key),
        "");
  if (is_ok ? !is_understood : !is_understood || !invoked.matches(operation_))
    operation_ = invoked;
  return Done{};
}

Result<Done> JepsenHistory::emit(const Finished& finished,
                                 const Operation& operation) {
  (operation.is_text ? has_text_ : has_plain_) |= !operation.steps.empty();
  if (has_text_ && has_plain_)
    return Error{Place{file_, finished.line, 0, {}},
                 "get/put/append and other operations in one history",
                 "split the file by workload", ""};
  if (operation.is_text) {
    const MicroOp step =
        operation.steps.empty() ? MicroOp{} : operation.steps.front();
    text_.add({finished.session, finished.status,
               step.kind == MicroKind::Read    ? TextEntry::Kind::Get
               : step.kind == MicroKind::Write ? TextEntry::Kind::Put
                                               : TextEntry::Kind::Append,
               step.kind != MicroKind::Read || step.seen == Seen::Value,
               finished.start, finished.end, finished.line, step.key,
               step.value});
    return Done{};
  }
  builder_.at_line(finished.line);
  builder_.begin(finished.session);
  if (finished.name) builder_.set_name(*finished.name);
  builder_.set_times(finished.start, finished.status == Status::Unknown
                                         ? Txn::kNoTime
                                         : finished.end);
  for (const MicroOp& step : operation.steps)
    emit_step(step, operation, finished.status);
  builder_.end(finished.status);
  return Done{};
}

void JepsenHistory::emit_step(const MicroOp& step, const Operation& operation,
                              Status status) {
  const KeyId key = builder_.key(step.key);
  switch (step.kind) {
    case MicroKind::Write: builder_.write(key, step.value); return;
    case MicroKind::Append: builder_.append(key, step.value); return;
    case MicroKind::Concat:
      assert(false && "text operations are TextHistory's");
      return;
    case MicroKind::Read: break;
  }
  // A cas that failed did not see what it hoped for.
  if (step.is_condition && status == Status::Aborted) return;
  switch (step.seen) {
    case Seen::Value: builder_.read(key, step.value); return;
    case Seen::List: emit_list(key, step, operation); return;
    case Seen::Nothing:
      if (status == Status::Committed) builder_.read_nothing(key);
      return;
  }
}

void JepsenHistory::emit_list(KeyId key, const MicroOp& step,
                              const Operation& operation) {
  const bool agrees = builder_.read_list(
      key, step.known,
      std::span(operation.elements).subspan(step.first, step.size));
  if (!agrees || step.size == 0 || step.known != lists_.of(key).size()) return;
  // Texts of plain numbers are worth remembering, and easily taken apart.
  ends_.clear();
  for (std::size_t i = 0; i < step.rest.size(); ++i) {
    const bool is_number = is_digit(step.rest[i]);
    if (!is_number && !is_form_blank(step.rest[i])) return;
    const bool is_last =
        i + 1 == step.rest.size() || !is_digit(step.rest[i + 1]);
    if (is_number && is_last)
      ends_.push_back(static_cast<std::uint32_t>(i) + 1);
  }
  if (ends_.size() == step.size) lists_.learn(key, step.rest, ends_);
}

const ListText* JepsenHistory::of(const FormNode& node, std::string_view text) {
  std::optional<KeyId> key;
  if (node.kind == FormKind::Integer && !node.is_unsigned)
    key = builder_.find_key(atoms().of_int(node.integer));
  else if (node.kind == FormKind::String)
    key = builder_.find_key(atoms().of_string(text));
  else if (node.kind == FormKind::Keyword)
    key = builder_.find_key(atoms().of_keyword(text));
  return key ? &lists_.of(*key) : nullptr;
}

// What the file leaves open may have happened or not.
Result<Done> JepsenHistory::emit_open_invocations() {
  struct Open {
    SessionId session;
    const Invocation* invocation;
  };
  std::vector<Open> open;
  for (const auto& [name, process] : processes_)
    if (process.running) open.push_back({process.session, &*process.running});
  for (const Invocation& invocation : anonymous_)
    open.push_back({kNone<SessionId>, &invocation});
  std::sort(open.begin(), open.end(), [](const Open& a, const Open& b) {
    return a.invocation->start < b.invocation->start;
  });
  for (Open& o : open) {
    if (o.session == kNone<SessionId>) o.session = builder_.anonymous_session();
    auto done = emit({o.session, o.invocation->start, 0, o.invocation->line,
                      Status::Unknown, std::nullopt},
                     o.invocation->operation);
    if (!done) return done;
  }
  return Done{};
}

Result<History> JepsenHistory::finish() && {
  if (!has_client_)
    return Error{Place{file_, 0, 0, {}},
                 "the file holds no operation of a client process",
                 "events are maps such as {:type :ok, :process 0, :f :txn, "
                 ":value [[:r :x 1]]}",
                 ""};
  auto done = emit_open_invocations();
  if (!done) return std::move(done).error();
  if (has_text_) {
    done = text_.build(builder_, file_);
    if (!done) return std::move(done).error();
  }
  return std::move(builder_).finish();
}

Result<History> read_jepsen(Opened& opened, Notation notation) {
  Input& input = *opened.input;
  input.expect_text();
  FormReader reader(input, notation);
  JepsenHistory history(input.name(), opened.options.judge_aborted);
  reader.skip_known(history);
  for (;;) {
    auto has_event = reader.next_element();
    if (!has_event) return std::move(has_event).error();
    if (!*has_event) break;
    auto event = to_event(reader.form().root(), reader.line(), reader);
    if (!event) return std::move(event).error();
    auto done = history.add(*event, reader);
    if (!done) return std::move(done).error();
  }
  return std::move(history).finish();
}

}  // namespace txscope::read
