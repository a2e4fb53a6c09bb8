#include <algorithm>
#include <string>

#include "read/histories/initial_value.h"
#include "read/writers/text_writer.h"

namespace txscope::read {
namespace {

bool is_natural(const History& history, Atom a) {
  const AtomKind kind = history.atoms().kind(a);
  return (kind == AtomKind::Int && a.small_int() >= 0) ||
         (kind == AtomKind::BigInt && history.atoms().text(a)[0] != '-');
}

/// True if the operations of a transaction are written: all of a committed
/// one, the writes of an aborted one.
bool is_kept(const History& history, TxnId t, const Op& op) {
  return op.is_write() || history.is_committed(t);
}

/// The first operation that is no read or write of a number.
std::optional<Error> find_foreign(const History& history, TxnId t,
                                  const InitialValue& initial) {
  const Txn txn = history.at(t);
  for (OpId id(txn.first_op); id < OpId(txn.end_op); ++id.index) {
    const Op op = history.at(id);
    if (!is_kept(history, t, op)) continue;
    const Atom value = op.kind == OpKind::Read ? initial.seen_by(op) : op.value;
    std::string what;
    if (op.kind == OpKind::Append || op.kind == OpKind::ReadList)
      what = "Plume text has no lists";
    else if (!is_natural(history, history.key(op.key)))
      what = "keys of Plume text are integers from 0 on";
    else if (!is_natural(history, value))
      what = "values of Plume text are integers from 0 on";
    else
      continue;
    return cannot_write(history, what + ", and " + history.name(t) + " does " +
                                     history.describe(id));
  }
  return std::nullopt;
}

/// What cannot be written, if anything.
std::optional<Error> find_unwritable(const History& history,
                                     const InitialValue& initial) {
  for (std::size_t i = 1; i < history.size(); ++i) {
    const TxnId t(i);
    if (history.at(t).status == Status::Unknown)
      return cannot_write(history,
                          "Plume text has no transactions of unknown "
                          "outcome, and " +
                              history.name(t) + " is one");
    if (auto error = find_foreign(history, t, initial)) return error;
  }
  if (history.judge_aborted())
    return cannot_write(history,
                        "Plume text does not keep the reads of aborted "
                        "transactions, and the history says they count");
  return std::nullopt;
}

/// Whether a session can stand at the beginning of the file: it has lines, and
/// is not a lone transaction that only writes 0, which a reader would take for
/// the initial one.
bool can_be_first(const History& history, const Session& session) {
  std::size_t kept = 0;
  std::size_t committed = 0;
  bool only_zeros = true;
  for (TxnId t = session.first; t < session.end; t = TxnId(t.index + 1u)) {
    if (history.is_committed(t) && !history.ops(t).empty()) ++committed;
    for (const Op& op : history.ops(t)) {
      if (!is_kept(history, t, op)) continue;
      ++kept;
      only_zeros = only_zeros && history.is_committed(t) && op.is_write() &&
                   op.value.is_small_int() && op.value.small_int() == 0;
    }
  }
  return kept != 0 && (committed != 1 || !only_zeros);
}

class PlumeWriter {
 public:
  PlumeWriter(const History& history, const InitialValue& initial,
              const TextSink& sink)
      : history_(history),
        initial_(initial),
        sessions_(history),
        out_(sink),
        keeps_ids_(have_ids()) {}

  void session(SessionId s);
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  [[nodiscard]] bool have_ids() const;
  void committed(TxnId t);
  void aborted(TxnId t);
  void operation(const Op& op, SessionId s, std::string_view txn);

  const History& history_;
  const InitialValue& initial_;
  SessionNumbers sessions_;
  TextWriter out_;
  bool keeps_ids_;
  std::uint64_t next_id_ = 0;
  std::size_t empty_ = 0;
  bool has_aborted_ = false;
  bool has_times_ = false;
};

bool PlumeWriter::have_ids() const {
  for (std::size_t t = 1; t < history_.size(); ++t)
    if (history_.is_committed(TxnId(t)) &&
        !is_natural(history_, history_.at(TxnId(t)).name))
      return false;
  return true;
}

void PlumeWriter::session(SessionId s) {
  const Session& session = history_.sessions()[s.index];
  for (TxnId t = session.first; t < session.end; t = TxnId(t.index + 1u)) {
    has_times_ = has_times_ || history_.at(t).start != Txn::kNoTime;
    if (history_.ops(t).empty()) ++empty_;
    if (history_.is_committed(t))
      committed(t);
    else
      aborted(t);
  }
}

void PlumeWriter::committed(TxnId t) {
  const std::string id = keeps_ids_ ? history_.atoms().text(history_.at(t).name)
                                    : std::to_string(next_id_++);
  for (const Op& op : history_.ops(t))
    operation(op, history_.at(t).session, id);
}

void PlumeWriter::aborted(TxnId t) {
  has_aborted_ = true;
  for (const Op& op : history_.ops(t))
    if (op.is_write()) operation(op, history_.at(t).session, "-1");
}

void PlumeWriter::operation(const Op& op, SessionId s, std::string_view txn) {
  out_ << (op.is_read() ? "r(" : "w(") << history_.name(op.key) << ','
       << history_.atoms().text(op.is_read() ? initial_.seen_by(op) : op.value)
       << ',' << sessions_[s] << ',' << txn << ")\n";
}

std::vector<std::string> PlumeWriter::notes() const {
  std::vector<std::string> notes;
  if (initial_.renames())
    notes.push_back("reads of the initial state are written as reads of 0");
  if (sessions_.are_new()) notes.push_back("sessions are numbered from 0");
  if (!keeps_ids_) notes.push_back("transactions are numbered from 0");
  if (has_times_)
    notes.push_back(
        "start and end times are left out, and with them the "
        "realtime order");
  if (has_aborted_)
    notes.push_back("of aborted transactions only the writes are kept");
  if (empty_ != 0)
    notes.push_back("transactions without operations are left out");
  return notes;
}

}  // namespace

Result<std::vector<std::string>> write_plume(const History& history,
                                             const TextSink& sink) {
  // Small integers are the same in every table.
  const auto initial = InitialValue::fixed_as(history, AtomTable().of_int(0));
  if (!initial) return initial.error();
  if (auto error = find_unwritable(history, *initial)) return *std::move(error);
  const auto sessions = history.sessions();
  const auto first = static_cast<std::size_t>(
      std::find_if(sessions.begin(), sessions.end(),
                   [&](const Session& s) { return can_be_first(history, s); }) -
      sessions.begin());
  if (first == sessions.size())
    return cannot_write(history,
                        "every session is empty or one transaction that only "
                        "writes 0; in Plume text that is the initial one");
  PlumeWriter writer(history, *initial, sink);
  writer.session(SessionId(first));
  for (std::size_t s = 0; s < sessions.size(); ++s)
    if (s != first) writer.session(SessionId(s));
  return writer.notes();
}

}  // namespace txscope::read
