#include <algorithm>
#include <map>

#include "certify/contradiction.h"
#include "model/real_time.h"

namespace txscope::certify {
namespace {

using Complaint = std::optional<std::string>;

class BadReadCheck {
 public:
  BadReadCheck(const Branch& branch, const BadRead& bad)
      : b_(branch), h_(branch.history()), bad_(bad) {}

  Complaint check() const {
    if (bad_.read.index >= h_.ops().size() || !h_.at(bad_.read).is_read())
      return "a bad read is no read";
    if (bad_.other != kNone<OpId> && bad_.other.index >= h_.ops().size())
      return about() + " is compared with an operation that does not exist";
    if (!b_.counts(h_.txn_of(bad_.read)))
      return about() + " is not judged: its transaction may not have committed";
    if (b_.level().base == Base::ReadUncommitted &&
        bad_.kind != BadReadKind::Incompatible &&
        bad_.kind != BadReadKind::NoWriter)
      return about() + ": read uncommitted asks nothing of single reads";
    if (bad_.kind == BadReadKind::Internal) return check_internal();
    const auto* read = b_.reading().external(bad_.read);
    if (!read) return about() + " is no external read";
    if (bad_.kind == BadReadKind::Incompatible)
      return check_incompatible(*read);
    return check_writer(*read);
  }

 private:
  std::string about() const {
    return h_.describe(bad_.read) + " of " + h_.name(h_.txn_of(bad_.read));
  }
  bool has_other() const { return bad_.other != kNone<OpId>; }

  Complaint check_internal() const {
    for (const auto& wrong : b_.reading().wrong()) {
      if (wrong.op != bad_.read) continue;
      if (has_other() && bad_.other != wrong.own)
        return about() + " follows another own write";
      return {};
    }
    return about() + " does not contradict an own write before it";
  }

  // Nobody can have written what it returned: of a list, some element, or as
  // the last of its appends the last element.
  Complaint check_writer(const Reading::External& read) const {
    if (!read.is_list) {
      if (b_.level().base == Base::ReadUncommitted)
        return about() + ": read uncommitted asks nothing of registers";
      if (const auto writers = b_.possible_writers(read); !writers.empty())
        return about() + " may have read from " + h_.name(writers[0]);
      return check_other(h_.at(read.op).value);
    }
    Complaint complaint = about() + " may have been appended so";
    for (std::uint32_t i = 0; i < read.length; ++i) {
      if (may_be_appended(read, i)) continue;
      complaint = check_other(b_.reading().elements(read)[i]);
      if (!complaint) return {};
    }
    if (is_short_of_appends(read)) return {};
    return complaint;
  }

  bool may_be_appended(const Reading::External& read,
                       std::uint32_t position) const {
    const bool is_last = position + 1 == read.length;
    const bool is_lenient = b_.level().base == Base::ReadUncommitted;
    if (is_lenient && is_stranger(read, position)) return true;
    const auto appends = b_.element_candidates(read, position);
    return std::any_of(appends.begin(), appends.end(), [&](OpId op) {
      const TxnId t = h_.txn_of(op);
      if (is_lenient) return true;
      return t != read.reader && !b_.is_in_real_time(read.reader, t) &&
             (!is_last || b_.reading().appends(t, read.key).back() == op);
    });
  }

  // Whether the kind and the write named along with it fit.
  Complaint check_other(Atom value) const {
    if (!has_other()) return {};
    const Op& other = h_.at(bad_.other);
    const TxnId t = h_.txn_of(bad_.other);
    if (!other.is_write() || other.key != h_.at(bad_.read).key ||
        other.value != value)
      return about() + " is compared with a write of something else";
    if (bad_.kind == BadReadKind::Aborted && b_.counts(t) &&
        h_.at(t).status != Status::Aborted)
      return about() + " is called aborted, but its writer committed";
    if (bad_.kind == BadReadKind::Intermediate &&
        h_.at(t).status == Status::Aborted)
      return about() + " is called intermediate, but its writer aborted";
    const TxnId reader = h_.txn_of(bad_.read);
    const bool is_later = ended_before(h_, reader, t);
    if (bad_.kind == BadReadKind::ThinAir && t != reader && !is_later)
      return about() + " is called thin-air, but it was written";
    if (bad_.kind != BadReadKind::ThinAir && is_later)
      return about() + " had ended when " + h_.name(t) +
             " began, on which it is blamed";
    return {};
  }

  Complaint check_incompatible(const Reading::External& read) const {
    if (!read.is_list) return about() + " is no list read";
    if (has_other() && h_.at(bad_.other).is_read())
      return check_pair(read, bad_.other);
    if (is_short_of_appends(read)) return {};
    for (std::uint32_t i = 0; i < read.length; ++i)
      if (breaks_up(read, i)) return {};
    return about() + " does not break up any transaction's appends";
  }

  // More elements of some value than there are appends of it, though there
  // are some: one append is behind one element only.
  bool is_short_of_appends(const Reading::External& read) const {
    std::map<Atom, std::size_t> shown;
    for (const Atom value : b_.reading().elements(read)) ++shown[value];
    return std::any_of(shown.begin(), shown.end(), [&](const auto& item) {
      const auto appends = b_.reading().appends_of(read.key, item.first);
      return !appends.empty() && appends.size() < item.second;
    });
  }

  Complaint check_pair(const Reading::External& read, OpId other_op) const {
    const auto* other = b_.reading().external(other_op);
    if (!other || other->key != read.key || !b_.counts(other->reader))
      return about() + " is not compared with a read of the same list";
    const auto a = b_.reading().elements(read);
    const auto c = b_.reading().elements(*other);
    const std::size_t common = std::min(a.size(), c.size());
    if (std::equal(a.begin(), a.begin() + common, c.begin()))
      return about() + " is compatible with " + h_.describe(other_op);
    return {};
  }

  // Whether no append fits behind an element: the appends of a transaction
  // are adjacent and in program order.  Elements that nobody can have appended
  // are another matter, that of read committed.
  bool breaks_up(const Reading::External& read, std::uint32_t position) const {
    if (is_stranger(read, position)) return false;
    const auto appends = b_.element_candidates(read, position);
    return std::none_of(appends.begin(), appends.end(),
                        [&](OpId op) { return fits(read, position, op); });
  }
  bool is_stranger(const Reading::External& read,
                   std::uint32_t position) const {
    const Atom value = b_.reading().elements(read)[position];
    return b_.reading().appends_of(read.key, value).empty();
  }

  // Whether, with `op` at `position`, the other appends of its transaction can
  // be where they have to be.
  bool fits(const Reading::External& read, std::uint32_t position,
            OpId op) const {
    const auto block = b_.reading().appends(h_.txn_of(op), read.key);
    const auto rank = static_cast<std::uint32_t>(
        std::find(block.begin(), block.end(), op) - block.begin());
    if (position < rank) return false;
    for (std::uint32_t i = 0; i < block.size(); ++i) {
      const std::uint32_t at = position - rank + i;
      if (at < read.length && !may_be(read, at, block[i])) return false;
    }
    return true;
  }
  bool may_be(const Reading::External& read, std::uint32_t position,
              OpId op) const {
    const auto appends = b_.element_candidates(read, position);
    return std::find(appends.begin(), appends.end(), op) != appends.end();
  }

  const Branch& b_;
  const History& h_;
  const BadRead& bad_;
};

}  // namespace

std::optional<std::string> complaint_about(const Branch& branch,
                                           const BadRead& read) {
  return BadReadCheck(branch, read).check();
}

}  // namespace txscope::certify
