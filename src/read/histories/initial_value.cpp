#include "read/histories/initial_value.h"

#include "read/writers/text_writer.h"

namespace txscope::read {
namespace {

/// Which of the two values of interest are read or written at a key.
struct Use {
  bool reads_initial = false;
  bool writes_initial = false;
  bool reads_fixed = false;
  bool writes_fixed = false;
};

}  // namespace

Result<InitialValue> InitialValue::fixed_as(const History& history,
                                            Atom fixed) {
  std::vector<Use> uses(history.key_count());
  for (const Op& op : history.ops()) {
    if (op.kind != OpKind::Read && op.kind != OpKind::Write) continue;
    Use& use = uses[op.key.index];
    const bool is_read = op.is_read();
    if (op.value == history.initial(op.key))
      (is_read ? use.reads_initial : use.writes_initial) = true;
    if (op.value == fixed)
      (is_read ? use.reads_fixed : use.writes_fixed) = true;
  }
  InitialValue result(history, fixed);
  const std::string start = history.atoms().text(fixed);
  for (std::size_t k = 0; k < uses.size(); ++k) {
    const Use& use = uses[k];
    const Atom initial = history.initial(KeyId(k));
    if (history.kind(KeyId(k)) == KeyKind::List || initial == fixed) continue;
    const bool is_mixed_up =
        use.reads_fixed ||
        (use.reads_initial && (use.writes_initial || use.writes_fixed));
    if (is_mixed_up)
      return cannot_write(
          history,
          "key " + history.name(KeyId(k)) + " starts as " +
              history.atoms().text(initial) +
              ", and in this format every key starts as " + start +
              "; its reads of " +
              (use.reads_fixed ? start : history.atoms().text(initial)) +
              " would mean something else");
    result.is_renamed_[k] = use.reads_initial ? 1 : 0;
    result.renames_ = result.renames_ || use.reads_initial;
  }
  return result;
}

}  // namespace txscope::read
