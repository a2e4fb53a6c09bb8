// Jepsen files that are damaged are refused with a place inside them, and files
// that are only laid out differently are read as the same history.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "read/histories/history_source.h"
#include "support/fuzz.h"

namespace txscope {
namespace {

// Every transaction with everything that is known about it.
std::string shown(const History& history) {
  std::string all;
  for (std::uint32_t t = 1; t < history.size(); ++t) {
    const Txn& txn = history.at(TxnId(t));
    all += history.name(TxnId(t)) + " " +
           std::to_string(static_cast<int>(txn.status)) + " " +
           std::to_string(txn.start) + " " + std::to_string(txn.end) + ":";
    for (std::uint32_t op = txn.first_op; op < txn.end_op; ++op)
      all += " " + history.describe_whole(OpId(op));
    all += "\n";
  }
  return all;
}

Result<std::optional<History>> read(const std::string& text,
                                    std::optional<read::Format> format) {
  read::ReadOptions options;
  options.format = format;
  auto source = read::open_history_text("h", text, options);
  if (!source) return std::move(source).error();
  return (*source)->next();
}

// Damaged files.

const std::pair<read::Format, std::string> kSeeds[] = {
    {read::Format::Edn, R"(; comment
{:type :invoke, :process 0, :f :txn, :value [[:append :x 1] [:r "y" nil]]}
{:type :invoke, :process 1, :f :txn, :value [[:r :x nil]], :time 123N}
{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r "y" [3 \a 4]]]}
#jepsen.history.Op{:type :fail, :process 1, :error #{"tim\u00e9" 1.5 2/3}}
{:type :info, :process :nemesis, :f :start, :value {:a (1 2), "b" #_c nil}}
)"},
    {read::Format::Edn, R"([{:process 4, :type :invoke, :f :write, :value 2}
 {:process 4, :type :ok, :f :write, :value 2}
 {:process 6, :type :invoke, :f :cas, :value [2 -7]}
 {:process 6, :type :info, :f :cas, :value :timed-out}
 {:process 4, :type :ok, :f :read, :value [1 18446744073709551615]}])"},
    {read::Format::Edn, R"(
{:process 0, :type :invoke, :f :append, :key "0", :value "ab"}
{:process 1, :type :invoke, :f :append, :key "0", :value "ab"}
{:process 0, :type :ok, :f :append, :key "0", :value "ab"}
{:process 1, :type :ok, :f :append, :key "0", :value "ab"}
{:process 2, :type :invoke, :f :put, :key "0", :value "c"}
{:process 0, :type :invoke, :f :get, :key "0", :value nil}
{:process 0, :type :ok, :f :get, :key "0", :value "abab"}
)"},
    {read::Format::ElleJson,
     R"([{"type":"invoke","f":"txn","process":0,"value":[["w","x",2]]},
{"type":"ok","f":"txn","process":0,"value":[["w","x",2]],"time":1.5e3},
{"type":"ok","f":"txn","process":1,"value":[["r","\u00e9\n",null]]},
{"type":"fail","process":2,"value":[["append","y",-1],["r","y",[1,2]]]}])"},
    {read::Format::EtcdLog,
     "INFO  jepsen.util - 0\t:invoke\t:write\t3\n"
     "INFO  jepsen.util - 1\t:invoke\t:cas\t[3 4]\n"
     "INFO  jepsen.core - text [\n"
     "INFO  jepsen.util - 0\t:ok\t:write\t3\n"
     "INFO  jepsen.util - 1\t:info\t:cas\t:timed-out\n"},
};

constexpr std::string_view kPieces[] = {
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\\",
    "#",
    "#_",
    "#{",
    ";",
    ",",
    ":",
    "nil",
    "\n",
    "-",
    "0",
    "99999999999999999999",
    ":type",
    ":ok",
    ":invoke",
    "\xff",
    "\xc3\xa9",
    std::string_view("\0", 1),
    "\\u",
    "##NaN",
    "1e999",
    ":process",
    "null",
    ":value",
    "[:r :x [1 2]]",
    "[:append :x 1]",
    "\t",
    " ",
};

void mutate(std::string& text, Random& random) {
  const auto place = [&] { return random.below(text.size() + 1); };
  switch (random.below(6)) {
    case 0:
      text.insert(place(), kPieces[random.below(std::size(kPieces))]);
      break;
    case 1: text.erase(place(), random.below(8) + 1); break;
    case 2:
      if (!text.empty())
        text[random.below(text.size())] = static_cast<char>(random.below(256));
      break;
    case 3: text.resize(place()); break;
    case 4: {
      const auto from = place();
      text.insert(place(), text.substr(from, random.below(60)));
      break;
    }
    default: {
      const auto line = text.find('\n', place());
      if (line != std::string::npos) text.erase(line, 1);
    }
  }
}

void expect_place_inside(const Error& error, const std::string& text) {
  EXPECT_FALSE(error.what.empty());
  EXPECT_EQ(error.where.file, "h");
  const auto lines = static_cast<std::uint64_t>(
      std::count(text.begin(), text.end(), '\n') + 1);
  EXPECT_LE(error.where.line, lines) << error.what << "\n" << text;
  if (error.where.column == 0) return;
  std::size_t begin = 0;
  for (std::uint64_t i = 1; i < error.where.line; ++i)
    begin = text.find('\n', begin) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  EXPECT_LE(error.where.column, end - begin + 1) << error.what << "\n" << text;
}

TEST(EdnFuzz, RefusesDamagedFilesAtAPlaceInside) {
  Random random(fuzz_seed(7));
  const int count = fuzz_rounds(20000);
  std::uint64_t refused = 0;
  for (int round = 0; round < count; ++round) {
    const auto& [format, seed] = kSeeds[random.below(std::size(kSeeds))];
    std::string text = seed;
    for (std::uint64_t n = random.below(4) + 1; n > 0; --n)
      mutate(text, random);
    const bool is_told = random.chance(0.7);
    const auto history =
        read(text, is_told ? std::optional(format) : std::nullopt);
    if (history) continue;
    ++refused;
    expect_place_inside(history.error(), text);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(refused, count / 3);
  EXPECT_LT(refused, count);
}

// Layout.  A value is kept as a tree of tokens and written in two notations.

struct Value {
  std::string edn;   // of a scalar
  std::string json;  // of a scalar
  char bracket = 0;  // of a collection: [ or {
  std::vector<Value> inside;
};

Value scalar(std::string edn, std::string json) {
  return {std::move(edn), std::move(json), 0, {}};
}
Value number(std::uint64_t n) {
  return scalar(std::to_string(n), std::to_string(n));
}
// A keyword of EDN, in JSON a string.
Value word(const std::string& name) {
  return scalar(":" + name, "\"" + name + "\"");
}
Value text(const std::string& name) {
  return scalar("\"" + name + "\"", "\"" + name + "\"");
}

Value random_operation(Random& random, bool is_completion,
                       std::uint64_t& next) {
  Value ops{"", "", '[', {}};
  for (std::uint64_t n = random.below(4); n > 0; --n) {
    const std::uint64_t key = random.below(3);
    Value op{"", "", '[', {}};
    const bool is_read = random.chance(0.5);
    op.inside = {
        word(is_read    ? "r"
             : key == 2 ? "append"
                        : "w"),
        random.chance(0.5) ? number(key) : text("k" + std::to_string(key))};
    if (!is_read) {
      op.inside.push_back(number(++next));
    } else if (!is_completion || random.chance(0.3)) {
      op.inside.push_back(scalar("nil", "null"));
    } else if (key == 2) {
      // Most lists of a key begin alike.
      Value list{"", "", '[', {}};
      for (std::uint64_t i = 0, size = random.below(5); i < size; ++i)
        list.inside.push_back(
            number(random.chance(0.95) ? 7 * i : random.below(9)));
      op.inside.push_back(list);
    } else {
      op.inside.push_back(number(random.below(9)));
    }
    ops.inside.push_back(op);
  }
  return ops;
}

std::vector<Value> random_events(Random& random) {
  std::vector<Value> events;
  std::uint64_t next = 0;
  bool is_running[3] = {};
  for (std::uint64_t n = random.below(12) + 1; n > 0; --n) {
    const std::uint64_t process = random.below(3);
    const char* type = "invoke";
    if (is_running[process])
      type = random.chance(0.7) ? "ok" : random.chance(0.5) ? "fail" : "info";
    is_running[process] = !is_running[process];
    Value event{"", "", '{', {}};
    event.inside = {
        word("type"),    word(type),
        word("f"),       word("txn"),
        word("process"), number(process),
        word("value"),   random_operation(random, *type != 'i', next)};
    if (random.chance(0.2)) {
      event.inside.push_back(word("error"));
      event.inside.push_back(text("a\\n\\u00e9 } ]"));
    }
    events.push_back(event);
  }
  return events;
}

class EdnWriter {
 public:
  EdnWriter(Random& random, bool is_wild)
      : random_(random), is_wild_(is_wild) {}

  std::string file(const std::vector<Value>& events) {
    const std::uint64_t shape = is_wild_ ? random_.below(3) : 0;
    std::string all = shape == 1 ? "[" : shape == 2 ? "(" : "";
    for (const Value& event : events) all += value(event) + "\n";
    return all + blank() + (shape == 1 ? "]" : shape == 2 ? ")" : "");
  }

 private:
  std::string blank() {
    if (!is_wild_) return "";
    std::string all = " ";
    while (random_.chance(0.3)) {
      constexpr const char* kBlanks[] = {"\n",
                                         ",",
                                         "\t",
                                         "\r\n",
                                         "; not ] this }\n",
                                         "#_{:a [1]} ",
                                         "#_ #_ x \"]\" ",
                                         "  "};
      all += kBlanks[random_.below(std::size(kBlanks))];
    }
    return all;
  }
  std::string value(const Value& v) {
    std::string all;
    if (is_wild_ && random_.chance(0.1)) all += "#some.tag/x ";
    if (v.bracket == 0) return all + v.edn;
    const bool is_list = is_wild_ && v.bracket == '[' && random_.chance(0.3);
    all += is_list ? '(' : v.bracket;
    for (const Value& element : v.inside) {
      const bool is_first = &element == &v.inside.front();
      all += (is_wild_ || is_first ? blank() : " ") + value(element);
    }
    return all + blank() + (is_list ? ')' : v.bracket == '[' ? ']' : '}');
  }

  Random& random_;
  bool is_wild_;
};

std::string to_json(const Value& v) {
  if (v.bracket == 0) return v.json;
  std::string all(1, v.bracket);
  for (std::size_t i = 0; i < v.inside.size(); ++i) {
    if (i != 0) all += v.bracket == '{' && i % 2 == 1 ? " : " : ",\n ";
    all += to_json(v.inside[i]);
  }
  return all + (v.bracket == '[' ? ']' : '}');
}

TEST(EdnFuzz, ReadsEveryLayoutOfAFileAsTheSameHistory) {
  Random random(fuzz_seed(8));
  std::uint64_t accepted = 0;
  for (int round = fuzz_rounds(2000); round > 0; --round) {
    const std::vector<Value> events = random_events(random);
    const std::string plain = EdnWriter(random, false).file(events);
    const auto expected = read(plain, read::Format::Edn);
    if (expected) ++accepted;
    std::string json;
    for (const Value& event : events)
      json += (json.empty() ? "[" : ",") + to_json(event);
    const std::string wild = EdnWriter(random, true).file(events);
    const std::pair<std::string, read::Format> others[] = {
        {wild, read::Format::Edn}, {json + "]", read::Format::ElleJson}};
    for (const auto& [other, format] : others) {
      const auto found = read(other, format);
      ASSERT_EQ(static_cast<bool>(found), static_cast<bool>(expected))
          << plain << "\n"
          << other << "\n"
          << (found ? expected : found).error().what;
      if (found)
        ASSERT_EQ(shown(**found), shown(**expected)) << plain << "\n" << other;
      else
        ASSERT_EQ(found.error().what.substr(0, 20),
                  expected.error().what.substr(0, 20));
    }
  }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace txscope
