#include <algorithm>
#include <string>
#include <tuple>

#include "read/histories/initial_value.h"
#include "read/writers/text_writer.h"

namespace txscope::read {
namespace {

/// The beginning or the end of a transaction.
struct Event {
  TxnId txn;
  bool is_start;
};

bool has_all_times(const History& history) {
  for (std::size_t i = 1; i < history.size(); ++i) {
    const Txn& t = history.at(TxnId(i));
    if (t.start == Txn::kNoTime) return false;
    if (t.end == Txn::kNoTime && t.status != Status::Unknown) return false;
  }
  return true;
}

bool has_some_times(const History& history) {
  return std::any_of(history.txns().begin(), history.txns().end(),
                     [](const Txn& t) {
                       return t.start != Txn::kNoTime || t.end != Txn::kNoTime;
                     });
}

/// The events of all transactions, in an order whose real-time order (an end
/// before a start) is that of the times: strictly before, and session order.
///
/// Invariant.  Events of different times come in their order.  Of one time,
/// starts come before ends, which orders nothing; only within a session a
/// start comes after the end of the transaction before.  If two sessions have
/// such an end and start at one time, any order of events would order their
/// transactions; that is refused.
class EventOrder {
 public:
  explicit EventOrder(const History& history) : history_(history) {}

  [[nodiscard]] Result<std::vector<Event>> by_time();
  [[nodiscard]] std::vector<Event> by_session() const;

 private:
  struct Timed {
    std::int64_t time;
    SessionId session;
    std::uint32_t position;  // in the session
    Event event;
  };
  using Iterator = std::vector<Timed>::const_iterator;

  std::optional<Error> gather();
  std::optional<Error> add_moment(Iterator first, Iterator last);

  const History& history_;
  std::vector<Timed> timed_;
  std::vector<Event> events_;
  std::vector<TxnId> open_;  // of unknown outcome, to be ended at the very end
};

std::optional<Error> EventOrder::gather() {
  for (std::size_t i = 1; i < history_.size(); ++i) {
    const TxnId t(i);
    const Txn& txn = history_.at(t);
    if (txn.number > 1) {
      const Txn& before = history_.at(TxnId(i - 1));
      if (before.end != Txn::kNoTime && before.end > txn.start)
        return cannot_write(
            history_, "transactions " + history_.name(TxnId(i - 1)) + " and " +
                          history_.name(t) + " of one session overlap in time");
    }
    timed_.push_back({txn.start, txn.session, 2 * txn.number, {t, true}});
    if (txn.end != Txn::kNoTime)
      timed_.push_back({txn.end, txn.session, 2 * txn.number + 1, {t, false}});
    else
      open_.push_back(t);
  }
  std::sort(timed_.begin(), timed_.end(), [](const Timed& a, const Timed& b) {
    return std::tie(a.time, a.session, a.position) <
           std::tie(b.time, b.session, b.position);
  });
  return std::nullopt;
}

Result<std::vector<Event>> EventOrder::by_time() {
  if (auto error = gather()) return *std::move(error);
  for (auto first = timed_.cbegin(); first != timed_.cend();) {
    const auto last = std::find_if(first, timed_.cend(), [&](const Timed& e) {
      return e.time != first->time;
    });
    if (auto error = add_moment(first, last)) return *std::move(error);
    first = last;
  }
  for (const TxnId t : open_) events_.push_back({t, false});
  return std::move(events_);
}

// The events of one time: per session a first start, then ends that are
// followed by starts, then a last end.
std::optional<Error> EventOrder::add_moment(Iterator first, Iterator last) {
  std::vector<Event> middle;
  std::vector<Event> ends;
  std::optional<SessionId> busy;
  for (auto from = first; from != last;) {
    const auto to = std::find_if(
        from, last, [&](const Timed& e) { return e.session != from->session; });
    auto a = from;
    auto b = to;
    if (a->event.is_start) events_.push_back((a++)->event);
    if (a != b && !(b - 1)->event.is_start) ends.push_back((--b)->event);
    if (a != b) {
      if (busy)
        return cannot_write(history_,
                            "sessions " + history_.name(*busy) + " and " +
                                history_.name(from->session) +
                                " both end and start transactions at time " +
                                std::to_string(first->time) +
                                ", and a sequence of events would order these",
                            "make the times distinct, or leave them out");
      busy = from->session;
    }
    for (; a != b; ++a) middle.push_back(a->event);
    from = to;
  }
  events_.insert(events_.end(), middle.begin(), middle.end());
  events_.insert(events_.end(), ends.begin(), ends.end());
  return std::nullopt;
}

std::vector<Event> EventOrder::by_session() const {
  std::vector<Event> events;
  for (std::size_t i = 1; i < history_.size(); ++i)
    for (const bool is_start : {true, false})
      events.push_back({TxnId(i), is_start});
  return events;
}

class EdnWriter {
 public:
  EdnWriter(const History& history, const InitialValue& initial, bool has_times,
            const TextSink& sink)
      : history_(history),
        initial_(initial),
        sessions_(history),
        has_times_(has_times),
        out_(sink) {}

  void event(const Event& event);
  [[nodiscard]] bool numbers_sessions() const { return sessions_.are_new(); }

 private:
  void operation(const Op& op, bool is_start);
  void atom(Atom a);

  const History& history_;
  const InitialValue& initial_;
  SessionNumbers sessions_;
  bool has_times_;
  TextWriter out_;
  std::uint64_t index_ = 0;
  std::int64_t time_ = 0;
};

void EdnWriter::event(const Event& event) {
  const Txn& txn = history_.at(event.txn);
  out_ << "{:type ";
  if (event.is_start)
    out_ << ":invoke";
  else if (txn.status == Status::Committed)
    out_ << ":ok";
  else
    out_ << (txn.status == Status::Aborted ? ":fail" : ":info");
  out_ << ", :f :txn, :value [";
  bool is_first = true;
  for (const Op& op : history_.ops(event.txn)) {
    if (!is_first) out_ << ' ';
    is_first = false;
    operation(op, event.is_start || txn.status == Status::Unknown);
  }
  if (has_times_ && event.is_start) time_ = txn.start;
  if (has_times_ && !event.is_start && txn.end != Txn::kNoTime) time_ = txn.end;
  out_ << "], :process " << sessions_[txn.session] << ", :time "
       << (has_times_ ? time_ : static_cast<std::int64_t>(index_))
       << ", :index " << index_ << "}\n";
  ++index_;
}

void EdnWriter::operation(const Op& op, bool is_start) {
  switch (op.kind) {
    case OpKind::Read:
    case OpKind::ReadList: out_ << "[:r "; break;
    case OpKind::Write: out_ << "[:w "; break;
    case OpKind::Append: out_ << "[:append "; break;
  }
  atom(history_.key(op.key));
  out_ << ' ';
  if (op.is_write()) {
    atom(op.value);
  } else if (is_start) {
    out_ << "nil";
  } else if (op.kind == OpKind::Read) {
    atom(initial_.seen_by(op));
  } else {
    out_ << '[';
    const ListView elements = history_.list(op);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i != 0) out_ << ' ';
      atom(elements[i]);
    }
    out_ << ']';
  }
  out_ << ']';
}

void EdnWriter::atom(Atom a) {
  switch (history_.atoms().kind(a)) {
    case AtomKind::Null:
    case AtomKind::NoValue: out_ << "nil"; return;
    case AtomKind::Int: out_ << a.small_int(); return;
    case AtomKind::BigInt: out_ << history_.atoms().text(a); return;
    case AtomKind::Keyword: out_ << ':' << history_.atoms().text(a); return;
    case AtomKind::String: write_quoted(out_, history_.atoms().text(a));
  }
}

std::optional<Error> find_unwritable(const History& history) {
  if (history.size() == 1)
    return cannot_write(history, "the history has no transactions");
  for (std::size_t k = 0; k < history.key_count(); ++k)
    if (history.key(KeyId(k)).is_null())
      return cannot_write(history, "a key cannot be nil in EDN");
  for (std::size_t i = 1; i < history.size(); ++i) {
    const TxnId t(i);
    const Txn& txn = history.at(t);
    const bool is_read_lost =
        txn.status == Status::Unknown ||
        (txn.status == Status::Aborted && history.judge_aborted());
    for (const Op& op : history.ops(t))
      if (is_read_lost && op.is_read())
        return cannot_write(history, "EDN does not keep what transaction " +
                                         history.name(t) + " read, which is " +
                                         (txn.status == Status::Unknown
                                              ? "of unknown outcome"
                                              : "aborted and counts"));
    const Session& session = history.sessions()[txn.session.index];
    if (txn.status == Status::Unknown && TxnId(i + 1) != session.end)
      return cannot_write(history,
                          "in EDN a process ends with its operation of unknown "
                          "outcome, but session " +
                              history.name(txn.session) + " goes on after " +
                              history.name(t));
  }
  return std::nullopt;
}

std::vector<std::string> notes_on(const History& history, bool has_times) {
  std::vector<std::string> notes;
  bool has_kind[2] = {false, false};
  for (std::size_t k = 0; k < history.key_count(); ++k)
    has_kind[history.kind(KeyId(k)) == KeyKind::List ? 1 : 0] = true;
  if (has_kind[0] && has_kind[1])
    notes.push_back(
        "registers and lists are in one file, which txscope reads "
        "and Elle does not");
  for (const Txn& txn : history.txns()) {
    if (txn.name.is_null()) continue;
    notes.push_back("transaction ids are left out");
    break;
  }
  if (!has_times)
    notes.push_back(
        has_some_times(history)
            ? "not every transaction has a start and an end, so times are left "
              "out; the order of the events has no meaning across processes"
            : "the history has no times; the order of the events has no "
              "meaning across processes");
  return notes;
}

}  // namespace

Result<std::vector<std::string>> write_edn(const History& history,
                                           const TextSink& sink) {
  const auto initial = InitialValue::fixed_as(history, Atom::null());
  if (!initial) return initial.error();
  if (auto error = find_unwritable(history)) return *std::move(error);
  const bool has_times = has_all_times(history);
  EventOrder order(history);
  auto events = has_times ? order.by_time()
                          : Result<std::vector<Event>>(order.by_session());
  if (!events) return std::move(events).error();
  std::vector<std::string> notes = notes_on(history, has_times);
  EdnWriter writer(history, *initial, has_times, sink);
  for (const Event& event : *events) writer.event(event);
  if (initial->renames())
    notes.push_back("reads of the initial state are written as reads of nil");
  if (writer.numbers_sessions())
    notes.push_back("sessions are numbered from 0");
  return notes;
}

}  // namespace txscope::read
