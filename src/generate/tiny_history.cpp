#include "generate/tiny_history.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <string>
#include <utility>

#include "model/history_builder.h"

namespace txscope::generate {
namespace {

using Times = TinyFrame::Times;

// Sizes of sessions, not increasing, that add up to n.
void add_partitions(int n, int largest, std::vector<int>& sizes,
                    std::vector<TinyFrame>& frames) {
  if (n == 0) {
    TinyFrame frame;
    frame.sessions = static_cast<int>(sizes.size());
    for (int s = 0; s < frame.sessions; ++s)
      frame.session_of.insert(frame.session_of.end(),
                              static_cast<std::size_t>(sizes[s]), s);
    frames.push_back(std::move(frame));
    return;
  }
  for (int size = std::min(n, largest); size >= 1; --size) {
    sizes.push_back(size);
    add_partitions(n - size, size, sizes, frames);
    sizes.pop_back();
  }
}

// All ways in which n intervals may precede one another, as sequences of
// starts and ends in which starts are numbered as they come.  Of sequences
// with the same precedence the first is kept; what differs only by a renaming
// may come more than once.
void add_overlaps(int n, int started, std::vector<Times>& times, int now,
                  std::set<std::vector<bool>>& seen,
                  std::vector<std::vector<Times>>& all) {
  if (now == 2 * n + 1) {
    std::vector<bool> precedes;
    for (int t = 0; t < n; ++t)
      for (int u = 0; u < n; ++u)
        precedes.push_back(times[t].end < times[u].start);
    if (seen.insert(precedes).second) all.push_back(times);
    return;
  }
  if (started < n) {
    times.push_back({now, 0});
    add_overlaps(n, started + 1, times, now + 1, seen, all);
    times.pop_back();
  }
  for (int t = 0; t < started; ++t) {
    if (times[t].end != 0) continue;
    times[t].end = now;
    add_overlaps(n, started, times, now + 1, seen, all);
    times[t].end = 0;
  }
}

// All ways to put transactions that do not overlap into common sessions.
void add_sessions(const std::vector<Times>& times, std::size_t next,
                  TinyFrame& frame, std::vector<TinyFrame>& frames) {
  if (next == times.size()) {
    frames.push_back(frame);
    return;
  }
  for (int s = 0; s <= frame.sessions; ++s) {
    bool fits = true;
    for (std::size_t t = 0; t < next; ++t)
      fits &= frame.session_of[t] != s || times[t].end < times[next].start;
    if (!fits) continue;
    const int before = frame.sessions;
    frame.sessions = std::max(frame.sessions, s + 1);
    frame.session_of.push_back(s);
    add_sessions(times, next + 1, frame, frames);
    frame.session_of.pop_back();
    frame.sessions = before;
  }
}

TinyFrame separate(int n) {
  TinyFrame frame;
  frame.sessions = n;
  for (int t = 0; t < n; ++t) frame.session_of.push_back(t);
  return frame;
}

std::string letter(char first, int i) {
  return std::string(1, static_cast<char>(first + i));
}

}  // namespace

std::vector<TinyFrame> tiny_frames(TinyFrames which, int n) {
  std::vector<TinyFrame> frames;
  if (which == TinyFrames::Separate) return {separate(n)};
  if (which == TinyFrames::Sessions) {
    std::vector<int> sizes;
    add_partitions(n, n, sizes, frames);
  } else {
    std::vector<std::vector<Times>> overlaps;
    std::vector<Times> times;
    std::set<std::vector<bool>> seen;
    add_overlaps(n, 0, times, 1, seen, overlaps);
    for (auto& one : overlaps) {
      TinyFrame frame;
      frame.times = one;
      if (which == TinyFrames::TimedAndSessions) {
        add_sessions(one, 0, frame, frames);
      } else {
        frame = separate(n);
        frame.times = one;
        frames.push_back(frame);
      }
    }
  }
  std::stable_sort(frames.begin(), frames.end(),
                   [](const TinyFrame& a, const TinyFrame& b) {
                     return a.sessions < b.sessions;
                   });
  return frames;
}

int TinyHistory::value_of(int key, int writer) const {
  if (writer == TinyOp::kInitialSource) return 0;
  int value = 0;
  for (int t = 0; t < static_cast<int>(txns.size()); ++t) {
    const bool writes =
        std::any_of(txns[t].begin(), txns[t].end(), [&](const TinyOp& op) {
          return op.key == key &&
                 (op.kind == OpKind::Write || op.kind == OpKind::Append);
        });
    value += writes;
    if (t == writer) return value;
  }
  return value + 1;  // out of thin air
}

History TinyHistory::build() const {
  HistoryBuilder builder("generated");
  AtomTable& atoms = builder.atoms();
  builder.set_default_initial(atoms.of_int(0));
  for (std::size_t t = 0; t < txns.size(); ++t) {
    builder.begin(
        builder.session(atoms.of_string(letter('a', frame.session_of[t]))));
    if (!frame.times.empty())
      builder.set_times(frame.times[t].start, frame.times[t].end);
    for (const TinyOp& op : txns[t]) {
      const int x = op.key < 3 ? 'x' - 'a' + op.key : op.key - 3;
      const KeyId key = builder.key(atoms.of_string(letter('a', x)));
      const int own = value_of(op.key, static_cast<int>(t));
      std::vector<Atom> elements;
      switch (op.kind) {
        case OpKind::Write: builder.write(key, atoms.of_int(own)); break;
        case OpKind::Append: builder.append(key, atoms.of_int(own)); break;
        case OpKind::Read:
          builder.read(key, atoms.of_int(value_of(op.key, op.source)));
          break;
        case OpKind::ReadList:
          for (const int writer : op.elements)
            elements.push_back(atoms.of_int(value_of(op.key, writer)));
          builder.read_list(key, elements);
          break;
      }
    }
    builder.commit();
  }
  Result<History> history = std::move(builder).finish();
  assert(history && "an enumerated history is well-formed");
  return *std::move(history);
}

}  // namespace txscope::generate
