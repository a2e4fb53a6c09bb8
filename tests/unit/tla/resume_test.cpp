#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/tla.h"
#include "tla/value/row_codec.h"

// Searches whose waiting states go to disk, whose values are freed, and which
// are ended and taken up again: all give the numbers of one that is left alone.
namespace txscope::test {
namespace {

namespace fs = std::filesystem;

// Sets, functions, records, sequences and model values; 536 states as TLC
// counts them.
const std::string kModule =
    "EXTENDS Naturals, Sequences, FiniteSets, TLC\n"
    "CONSTANT P\n"
    "VARIABLES log, msgs, f\n"
    "vars == <<log, msgs, f>>\n"
    "Init == log = <<>> /\\ msgs = {} /\\ f = [p \\in P |-> 0]\n"
    "Send(p) == /\\ f[p] < 3 /\\ f' = [f EXCEPT ![p] = @ + 1]\n"
    "           /\\ msgs' = msgs \\cup {[from |-> p, n |-> f[p]]}\n"
    "           /\\ UNCHANGED log\n"
    "Take == /\\ Len(log) < 3\n"
    "        /\\ \\E m \\in msgs : log' = Append(log, m) /\\ msgs' = msgs \\ "
    "{m}\n"
    "        /\\ UNCHANGED f\n"
    "Next == Take \\/ \\E p \\in P : Send(p)\n"
    "Small == Cardinality(msgs) <= 6\n"
    "Sym == Permutations(P)\n"
    // Takes its time, so that a millisecond is not enough for all states.
    "Slow == \\A s \\in SUBSET (1..9) :\n"
    "  Cardinality(s) + Len(log) + Cardinality(msgs) + f[CHOOSE p \\in P : "
    "TRUE] >= 0\n";
const std::string kConfig =
    "INIT Init NEXT Next CONSTANT P = {p1, p2} CHECK_DEADLOCK FALSE "
    "INVARIANT Small ";

void expect_same(const Result<ModelResult>& a, const Result<ModelResult>& b) {
  ASSERT_TRUE(a) << a.error().what;
  ASSERT_TRUE(b) << b.error().what;
  EXPECT_EQ(a->outcome, b->outcome);
  EXPECT_EQ(a->generated, b->generated);
  EXPECT_EQ(a->distinct, b->distinct);
  EXPECT_EQ(a->depth, b->depth);
}

TEST(TlaQueue, GivesTheSameWhenStatesGoToDiskAndValuesAreFreed) {
  for (const char* more : {"", "SYMMETRY Sym"}) {
    const auto plain = check_spec(kModule, kConfig + more);
    for (const std::uint32_t jobs : {1u, 3u}) {
      SpecRun run;
      run.jobs = jobs;
      run.adjust = [](ModelRequest& r) { r.queue_bytes = 0; };
      expect_same(plain, check_spec(kModule, kConfig + more, run));
      run.adjust = [](ModelRequest& r) { r.value_bytes = 0; };
      expect_same(plain, check_spec(kModule, kConfig + more, run));
      run.adjust = [](ModelRequest& r) {
        r.value_bytes = r.queue_bytes.emplace(0);
      };
      expect_same(plain, check_spec(kModule, kConfig + more, run));
    }
  }
}

TEST(TlaQueue, FindsTheSameTraceWithFreedValues) {
  const std::string module = kModule + "Inv == Len(log) < 3\n";
  const std::string config = kConfig + "INVARIANT Inv";
  const auto plain = check_spec(module, config);
  SpecRun run;
  run.adjust = [](ModelRequest& r) {
    r.value_bytes = r.queue_bytes.emplace(0);
  };
  const auto other = check_spec(module, config, run);
  expect_same(plain, other);
  ASSERT_EQ(plain->trace.size(), other->trace.size());
  for (std::size_t i = 0; i < plain->trace.size(); ++i)
    for (std::size_t k = 0; k < plain->trace[i].values.size(); ++k)
      EXPECT_EQ(plain->trace[i].values[k].value,
                other->trace[i].values[k].value);
}

class Scratch {
 public:
  Scratch()
      : path((fs::temp_directory_path() /
              ("txscope-resume-" + std::to_string(getpid())))
                 .string()) {}
  ~Scratch() { fs::remove(path); }
  const std::string path;
};

/// Runs for a few milliseconds, again and again, until it is done.
Result<ModelResult> in_pieces(const std::string& module,
                              const std::string& config, std::uint32_t jobs,
                              int* pieces) {
  const Scratch file;
  bool has_file = false;
  for (int limit = 1;; ++limit) {
    SpecRun run;
    run.jobs = jobs;
    run.limits.time = std::chrono::milliseconds(limit);
    run.adjust = [&](ModelRequest& r) {
      r.checkpoint = file.path;
      if (has_file) r.resume = file.path;
    };
    auto result = check_spec(module, config, run);
    if (!result || result->outcome != Outcome::Undecided) return result;
    has_file = has_file || !result->checkpoint.empty();
    if (has_file) ++*pieces;
  }
}

TEST(TlaResume, CountsAsIfNothingHadHappened) {
  for (const std::uint32_t jobs : {1u, 2u}) {
    int pieces = 0;
    const std::string config = kConfig + "INVARIANT Slow";
    expect_same(check_spec(kModule, config),
                in_pieces(kModule, config, jobs, &pieces));
    EXPECT_GT(pieces, 0);
  }
}

TEST(TlaResume, FindsTheSameViolation) {
  const std::string config = kConfig + "INVARIANT Inv";
  const std::string module =
      kModule + "Inv == Len(log) < 3 \\/ f[log[1].from] < 3\n";
  int pieces = 0;
  const auto plain = check_spec(module, config);
  const auto other = in_pieces(module, config, 1, &pieces);
  ASSERT_TRUE(plain && other);
  EXPECT_EQ(other->violation, ModelViolation::Invariant);
  EXPECT_EQ(other->trace.size(), plain->trace.size());
}

TEST(TlaResume, RefusesAChangedSpecificationAndDamagedFiles) {
  const Scratch file;
  const std::string config = kConfig + "INVARIANT Slow";
  SpecRun run;
  for (int limit = 1; !fs::exists(file.path); ++limit) {
    ASSERT_LT(limit, 10'000);
    run.limits.time = std::chrono::milliseconds(limit);
    run.adjust = [&](ModelRequest& r) { r.checkpoint = file.path; };
    ASSERT_TRUE(check_spec(kModule, config, run));
  }
  run.limits.time.reset();
  run.adjust = [&](ModelRequest& r) { r.resume = file.path; };
  const auto changed = check_spec(kModule + "More == 1\n", config, run);
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().what.find("another specification"),
            std::string::npos);
  EXPECT_EQ(changed.error().where.file, file.path);

  std::string bytes;
  {
    std::ifstream in(file.path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (const std::size_t at :
       {std::size_t{3}, std::size_t{60}, bytes.size() / 2, bytes.size() - 1}) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ 0x15);
    std::ofstream(file.path, std::ios::binary) << broken;
    EXPECT_FALSE(check_spec(kModule, config, run)) << at;
    std::ofstream(file.path, std::ios::binary) << bytes.substr(0, at);
    EXPECT_FALSE(check_spec(kModule, config, run)) << at;
  }
}

TEST(TlaRows, AreTheSameInAnotherStore) {
  tla::Store store;
  tla::Store other;
  using tla::Value;
  const std::vector<Value> ab = {store.string("a"), store.model("m")};
  std::vector<Value> elements = ab;
  const Value set = store.set(elements);
  const std::vector<Value> values = {Value::of_int(-5), set};
  const Value f = store.function(set, values);
  const std::vector<Value> row = {f,
                                  store.sequence(ab),
                                  Value::of_bool(true),
                                  Value::of_int(0),
                                  Value::of_int(tla::kLargestInt),
                                  Value::of_int(-tla::kLargestInt),
                                  store.empty_set(),
                                  store.empty_sequence(),
                                  f};
  tla::RowWriter writer;
  writer.add(row);
  const std::string bytes = writer.take();
  const auto back = tla::read_rows(bytes, other);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(tla::to_string((*back)[i]), tla::to_string(row[i]));
    EXPECT_EQ(tla::hash_of((*back)[i]), tla::hash_of(row[i]));
  }
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(tla::read_rows(bytes.substr(0, n), other)) << n;
}

TEST(TlaStore, ForgetsWhatIsNotMarked) {
  tla::Store store;
  using tla::Value;
  const auto pair = [&](int a, int b) {
    const Value items[] = {Value::of_int(a), Value::of_int(b)};
    return store.sequence(items);
  };
  const Value kept_items[] = {pair(1, 2), pair(3, 4)};
  const Value kept = store.sequence(kept_items);
  for (int i = 0; i < 100; ++i) (void)pair(i, -i);
  const std::size_t before = store.size();
  tla::Store::mark(kept);
  store.sweep();
  EXPECT_LT(store.size(), before - 90);
  EXPECT_EQ(tla::to_string(kept), "<<<<1, 2>>, <<3, 4>>>>");
  EXPECT_EQ(pair(1, 2), kept_items[0]);  // still one word for one value
  const std::size_t memory = store.memory();
  for (int i = 0; i < 100; ++i) (void)pair(i, -i);
  EXPECT_EQ(store.memory(), memory);  // in the room that was freed
  EXPECT_EQ(tla::to_string(kept), "<<<<1, 2>>, <<3, 4>>>>");
}

}  // namespace
}  // namespace txscope::test
