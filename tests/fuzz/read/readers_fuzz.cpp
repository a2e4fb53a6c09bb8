// Whatever the input, a reader answers with a history or with an error that
// has a place; it does not crash, hang or take memory without end.

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mutate.h"
#include "read/histories/history_source.h"
#include "read/logs/log_reader.h"
#include "support/fuzz.h"

namespace txscope {
namespace {

struct Seed {
  read::Format format;
  std::vector<std::string> texts;
  std::vector<std::string> tokens;
};

std::string bytes(std::initializer_list<std::uint64_t> numbers,
                  bool is_big_endian) {
  std::string text;
  for (const std::uint64_t n : numbers)
    for (int i = 0; i < 8; ++i)
      text += static_cast<char>(n >> 8 * (is_big_endian ? 7 - i : i));
  return text;
}

std::string bincode() {
  std::string text = bytes({1, 2, 3, 2, 2}, false);
  for (const std::string word : {"DB", "2026-01-01", "2026-01-02"})
    text += bytes({word.size()}, false) + word;
  text += bytes({2}, false);
  for (int session = 0; session < 2; ++session) {
    text += bytes({2}, false);
    for (std::uint64_t txn = 0; txn < 2; ++txn) {
      text += bytes({2}, false) + "\1" + bytes({txn, txn + 5}, false) + "\1" +
              std::string(1, '\0') + bytes({1, 0}, false) + "\1\1";
    }
  }
  return text;
}

std::string cobra(bool has_times) {
  std::string text;
  for (std::uint64_t t = 1; t < 4; ++t) {
    text += "S" + bytes({t}, true);
    if (has_times) text += bytes({10 * t}, true);
    text += "W" + bytes({100 + t, 7, 9}, true);
    text += "R" + bytes({0xbebeebee, 0xbebeebee, 8, 9}, true);
    text += "C" + bytes({t}, true);
    if (has_times) text += bytes({10 * t + 5}, true);
  }
  return text;
}

const std::vector<std::string> kJsonTokens = {
    "{",    "}",        "[",       "]",       ",",      ":",
    "\"",   "\\",       "null",    "true",    "\\u12",  "\\ud800",
    "\n",   " ",        "\"ops\"", "[[[[[[[", "\"r\"",  "{\"a\":",
    "\xff", "\xc3\xa4", "1e5",     "NaN",     "\"id\"", "\"session\""};

std::vector<Seed> seeds() {
  return {
      {read::Format::Jsonl,
       {R"({"txscope":"history","version":1,"initial":{"x":5,"1":2},"default":0,"judge_aborted":true}
{"session":"a","id":"t1","status":"committed","start":10,"end":25,"ops":[["r","x",0],["w","x",1],["append","l",3],["rl","l",[1,3]]]}
{"session":2,"status":"aborted","ops":[["w","\u00e4\n",18446744073709551615]]}
{"ops":[["r",null,null]],"status":"unknown","start":-5}
{"txscope":"history","initial":[["y",1],[2,null]],"model":"register"}
{"session":2,"ops":[["w","y",2],["r","y",2]]}
)",
        R"({"session":1,"ops":[["append",1,1],["rl",1,[1]]]}
{"session":1,"ops":[["rl",1,[2,1]]]}
)"},
       kJsonTokens},
      {read::Format::Plume,
       {"w(1,0,0,0)\nw(2,0,0,0)\nw(1,5,1,1)\nr(2,0,2,2)\nr(1,5,1,1)\n"
        "w(2,7,2,-1)\nr(2,7,1,3)\n",
        "r(1,1,1,1)\n"},
       {"w(", "r(", ",", ")", "-1", "\n", "\r\n", "w(1,0,0,0)\n"}},
      {read::Format::Awdit,
       {"w 1 1\nw 2 1\n---\nr 1 1\n=====\n\n  r\t2   1  \n-\nw 1 2\n",
        "r 1 1\n"},
       {"w ", "r ", "---", "===", "\n", "=-", "\t"}},
      {read::Format::DbcopHist,
       {"// two\n[x:=1 y==2 z==?] [ y:=3 ]! // more\n\n---\n[x==1]\n[]\n",
        "[a_1:=1]\n"},
       {"[", "]", ":=", "==", "?", "!", "//", "---", "\n", "x"}},
      {read::Format::DbcopBincode, {bincode(), bincode().substr(40)}, {"\1"}},
      {read::Format::DbcopJson,
       {R"({"params":{"id":0,"n_node":1},"info":"x","start":"","end":"","data":
[[{"events":[{"Write":{"variable":1,"version":2}},{"Read":{"variable":1,"version":null}}],"committed":true}],
[{"committed":false,"events":[]}]]})",
        R"([[{"events":[{"Read":{"variable":"x","version":2}}],"committed":true}]])"},
       kJsonTokens},
      {read::Format::TimeKiller,
       {R"([{"tid":1,"sid":2,"sts":{"p":"5","l":0},"cts":{"p":9,"l":1},"ops":[{"t":"w","k":3,"v":4},{"t":"r","k":3,"v":null}],"rtts":[1.5,{}]},
{"tid":"b","sid":2,"sts":{"p":10},"cts":{"p":12},"ops":[{"t":"a","k":5,"v":1},{"t":"r","k":5,"v":[1]}]}])",
        R"([{"tid":1,"sid":2,"sts":{"p":1},"cts":{"p":1},"ops":[]}])"},
       kJsonTokens},
      {read::Format::Cobra, {cobra(false), cobra(true)}, {"S", "C", "W", "R"}},
      {read::Format::Viper,
       {R"({"value":[["r",1,10,false],["w",1,11,true],["i",2,20,"nil",false,true]],"preBeginTS":5,"postCommitTS":8}
{"value":[["d",2,21,20,false,true,true]]}
)",
        R"({"isInitial":true,"value":[["range","nil","nil",[{"id":1,"sk":1,"val":10}],[]]]}
)"},
       kJsonTokens},
  };
}

/// Takes everything out of a source.
void drain(Result<std::unique_ptr<read::HistorySource>> source) {
  const auto check = [](const Error& error) {
    EXPECT_FALSE(error.where.file.empty());
    EXPECT_FALSE(error.what.empty());
    EXPECT_LT(error.source_line.size(), 600u);
  };
  if (!source) return check(source.error());
  for (;;) {
    auto history = (*source)->next();
    if (!history) return check(history.error());
    if (!*history) return;
    std::size_t ops = 0;
    for (std::size_t t = 1; t < (*history)->size(); ++t) {
      ops += (*history)->ops(TxnId(t)).size();
      ASSERT_LT((*history)->at(TxnId(t)).session.index,
                (*history)->sessions().size());
    }
    ASSERT_EQ(ops, (*history)->ops().size());
  }
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

bool is_directory(read::Format format) {
  return format == read::Format::Cobra || format == read::Format::Viper;
}

TEST(ReadersFuzz, SpoiltFilesAreReadOrRefused) {
  for (const Seed& seed : seeds()) {
    if (is_directory(seed.format)) continue;
    Random random(fuzz_seed(static_cast<std::uint64_t>(seed.format) + 1));
    Mutator mutate(random, seed.tokens);
    for (int round = fuzz_rounds(5000); round > 0; --round) {
      const std::size_t which = random.below(seed.texts.size());
      const std::string text =
          mutate(seed.texts[which], seed.texts[seed.texts.size() - 1 - which]);
      SCOPED_TRACE(testing::PrintToString(text));
      drain(read::open_history_text("h", text, {seed.format, false}));
      drain(read::open_history_text("h", text, {}));
      if (HasFailure()) return;
    }
  }
}

TEST(ReadersFuzz, SpoiltArchivesAreReadOrRefused) {
  Random random(fuzz_seed(77));
  for (const Seed& seed : seeds()) {
    if (is_directory(seed.format)) continue;
    Mutator mutate(random, seed.tokens);
    for (int round = fuzz_rounds(300); round > 0; --round) {
      const std::string packed =
          random.chance(0.5) ? gzip(seed.texts[0]) : zstd(seed.texts[0]);
      const std::string text = mutate(packed, packed);
      SCOPED_TRACE(testing::PrintToString(text));
      drain(read::open_history_text("h", text, {seed.format, false}));
      drain(read::open_history_text("h", text, {}));
      if (HasFailure()) return;
    }
  }
}

TEST(ReadersFuzz, SpoiltDirectoriesAreReadOrRefused) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) /
      ("txscope-fuzz-" + std::to_string(::getpid()));
  for (const Seed& seed : seeds()) {
    if (!is_directory(seed.format)) continue;
    const std::string letter = seed.format == read::Format::Cobra ? "T" : "J";
    std::filesystem::create_directories(directory);
    Random random(fuzz_seed(static_cast<std::uint64_t>(seed.format) + 1));
    Mutator mutate(random, seed.tokens);
    for (int round = fuzz_rounds(60); round > 0; --round) {
      const std::size_t which = random.below(seed.texts.size());
      const std::string text = mutate(seed.texts[which], seed.texts[0]);
      std::ofstream(directory / (letter + "1.log"), std::ios::binary) << text;
      std::ofstream(directory / (letter + "2.log"), std::ios::binary)
          << (random.chance(0.5) ? seed.texts[which] : "");
      SCOPED_TRACE(testing::PrintToString(text));
      drain(read::open_history(directory.string(), {}));
      if (HasFailure()) break;
    }
    std::filesystem::remove_all(directory);
  }
}

TEST(ReadersFuzz, SpoiltLogsOfSqlAreReadOrRefused) {
  const std::vector<std::string> texts = {
      R"log({"txscope":"log","version":1,"dialect":"postgresql","level":"serializable","setup":["CREATE TABLE t (id int)"]}
{"session":1,"id":"a","status":"committed","start":10,"end":40,"statements":[{"sql":"SELECT id FROM t WHERE id = $1","params":[1],"columns":["id"],"rows":[[1],[null]]},{"sql":"UPDATE t SET id = $1","params":["x"],"count":1}]}
{"session":"b","status":"aborted","statements":[{"sql":"INSERT INTO t VALUES (2)","error":{"code":"40001","message":"no"}}]}
)log",
      R"({"txscope":"log","version":1,"setup":[]}
{"session":1,"statements":[]}
)"};
  Random random(fuzz_seed(91));
  Mutator mutate(random, kJsonTokens);
  for (int round = fuzz_rounds(5000); round > 0; --round) {
    const std::size_t which = random.below(texts.size());
    const std::string text = mutate(texts[which], texts[1 - which]);
    SCOPED_TRACE(testing::PrintToString(text));
    const auto check = [](const Error& error) {
      EXPECT_FALSE(error.where.file.empty());
      EXPECT_FALSE(error.what.empty());
    };
    auto log = logs::LogReader::open(read::Input::of_text("log", text));
    if (!log) {
      check(log.error());
    } else {
      for (auto next = log->next(); next && *next; next = log->next()) {
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace txscope
