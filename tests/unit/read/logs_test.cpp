// Binary histories and histories that are directories: dbcop's bincode, Cobra,
// Viper.

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "litmus_of.h"
#include "log_files.h"

namespace txscope {
namespace {

constexpr std::uint64_t kInit = 0xbebeebee;
constexpr std::uint64_t kNull = 0xdeadbeef;

/// What a directory holds, with its own path left out of messages.
std::string litmus_in(const LogDirectory& logs) {
  std::string text = litmus_of(read::open_history(logs.path(), {}));
  if (text.starts_with(logs.path())) text.erase(0, logs.path().size());
  return text;
}

TEST(DbcopBincode, ReadsWhatSucceeded) {
  const std::string text = bincode_header(3) + little(2)  //
                           + little(2) + bincode_event(true, 1, 5) +
                           bincode_event(false, 2, 0) + "\1"  //
                           + little(2) + bincode_event(true, 1, 6) +
                           bincode_event(true, 2, 7, false) +
                           std::string(1, '\0')  //
                           + little(0) + little(1) + little(0) + "\1";
  EXPECT_EQ(litmus_of(text), "1: [w(1,5) r(2,0)] [w(1,6)]!\n3: []\n");
}

TEST(DbcopBincode, ATruncatedFileIsRefusedWithItsOffset) {
  const std::string text = bincode_header(1) + little(1) + little(1) +
                           bincode_event(true, 1, 5) + "\1";
  ASSERT_EQ(litmus_of(text), "1: [w(1,5)]\n");
  for (std::size_t size = 1; size < text.size(); ++size) {
    const std::string message =
        litmus_of(text.substr(0, size), {read::Format::DbcopBincode, false});
    EXPECT_TRUE(message.starts_with("h: byte ")) << size << ": " << message;
    EXPECT_NE(message.find("the file ends inside"), std::string::npos);
  }
}

TEST(DbcopBincode, MistakesAreFoundWhereTheyStand) {
  const std::string header = bincode_header(1);
  const std::string start = header + little(1) + little(1);
  const auto at = [](std::size_t offset, const std::string& what) {
    return "h: byte " + std::to_string(offset) + ": " + what;
  };
  std::string event = bincode_event(true, 1, 5);
  event[0] = 2;
  EXPECT_EQ(litmus_of(start + event + "\1"),
            at(start.size(), "expected a flag of 0 or 1 but found 2"));
  event = bincode_event(true, 1, 5);
  event[17] = -1;
  EXPECT_EQ(litmus_of(start + event + "\1"),
            at(start.size() + 17, "expected a flag of 0 or 1 but found 255"));
  event = bincode_event(true, 1, 5);
  EXPECT_EQ(litmus_of(start + event + "\3"),
            at(start.size() + 18, "expected a flag of 0 or 1 but found 3"));
  EXPECT_EQ(litmus_of(start + event + "\1?"),
            at(start.size() + 19, "more bytes than the history has"));
  EXPECT_EQ(litmus_of(std::string(40, '\0') + little(1 << 20),
                      {read::Format::DbcopBincode, false}),
            at(40, "a text of 1048576 bytes in the header"));
}

TEST(Cobra, EveryLogIsASession) {
  LogDirectory logs;
  logs.write("T10.log", cobra_start(3) + cobra_read(1, 100, 7) +
                            cobra_read(kInit, kInit, 8) +
                            cobra_read(kNull, kNull, 9) +
                            cobra_read(kInit, 5, 9) + cobra_commit(3));
  logs.write("T2.log", cobra_start(1) + cobra_write(100, 7) + cobra_commit(1) +
                           cobra_start(2) + cobra_commit(2));
  logs.write("T2.debug", "ignored");
  EXPECT_EQ(litmus_in(logs),
            "init 7=null 8=null 9=null\nT2: 1:[w(7,100)] 2:[]\n"
            "T10: 3:[r(7,100) r(8,null) r(9,null) r(9,5)]\n");
}

// VeriStrong's logs: who wrote what was read is not recorded, and values
// repeat.
TEST(Cobra, WritesWithoutANameAreNamedByTheirValues) {
  constexpr std::uint64_t kAny = 0xabddefee;
  const auto write = [&](std::uint64_t key, std::uint64_t value) {
    return "W" + big(kAny) + big(key) + big(value);
  };
  const auto read = [&](std::uint64_t key, std::uint64_t value) {
    return "R" + big(kAny) + big(kAny) + big(key) + big(value);
  };
  LogDirectory logs;
  logs.write("T1.log", cobra_start(1) + write(7, 5) + cobra_commit(1) +
                           cobra_start(2) + write(7, 6) + cobra_commit(2));
  logs.write("T2.log", cobra_start(3) + read(7, 6) + write(7, 5) +
                           cobra_commit(3) + cobra_start(4) +
                           cobra_read(kInit, kInit, 7) + cobra_commit(4));
  EXPECT_EQ(litmus_in(logs),
            "init 7=null\nT1: 1:[w(7,5)] 2:[w(7,6)]\n"
            "T2: 3:[r(7,6) w(7,5)] 4:[r(7,null)]\n");
}

TEST(Cobra, TimesBecomeStartAndEnd) {
  LogDirectory logs;
  logs.write("T1.log", cobra_start(1) + big(10) + cobra_write(5, 7) +
                           cobra_commit(1) + big(20));
  logs.write("T2.log", "");
  EXPECT_EQ(litmus_in(logs), "init 7=null\nT1: 1:[10..20: w(7,5)]\n");
}

TEST(Cobra, ATransactionThatIsLeftOpenHasAnUnknownOutcome) {
  LogDirectory logs;
  logs.write("T1.log", cobra_start(1) + cobra_write(5, 7));
  EXPECT_EQ(litmus_in(logs), "init 7=null\nT1: 1:[w(7,5)]?\n");
}

TEST(Cobra, MistakesAreFoundWhereTheyStand) {
  const std::string good = cobra_start(1) + cobra_commit(1);
  const auto refused = [&](const std::string& log) {
    LogDirectory logs;
    logs.write("T1.log", log);
    return litmus_in(logs);
  };
  EXPECT_EQ(refused(good + "X"),
            "/T1.log: byte 18: expected a record S, C, W or R");
  EXPECT_EQ(refused(good + "S123"),
            "/T1.log: byte 18: the log ends inside a record");
  EXPECT_EQ(refused(good + cobra_commit(2)),
            "/T1.log: byte 18: a record 'C' outside a transaction");
  EXPECT_EQ(refused(good + cobra_write(2, 3)),
            "/T1.log: byte 18: a record 'W' outside a transaction");
  EXPECT_EQ(refused(good + cobra_start(2) + cobra_start(3)),
            "/T1.log: byte 27: a transaction begins before the last one has "
            "committed");
  EXPECT_EQ(refused(good + cobra_start(2) + cobra_commit(3)),
            "/T1.log: byte 27: transaction 3 commits, but 2 is open");
  EXPECT_EQ(refused(cobra_start(1) + big(20) + cobra_commit(1) + big(10)),
            "/T1.log: byte 17: the transaction ends before it starts");
  EXPECT_EQ(refused(""), ": holds no transaction");
  EXPECT_EQ(refused(good + good).substr(0, 9), "/T1.log: ");
}

TEST(Viper, InsertsAndDeletesAreReadsAndWrites) {
  LogDirectory logs;
  logs.write("J2.log",
             R"({"value":[["r",1,10,false],["w",1,11,true],["w",1,12,false]]}
{"value":[["i",2,20,"nil",false,true],["d",2,21,20,false,true,true]],)"
             R"("preBeginTS":5,"postBeginTS":6,"preCommitTS":7,"postCommitTS":8}
)");
  logs.write("J10.log", R"({"value":[["r",2,21,true],["i",3,30,null,true,false],
["r","k",null,false]]})");
  logs.write("other", "ignored");
  EXPECT_EQ(litmus_in(logs),
            "/J10.log:1:54: expected an array but the line ends here");
  logs.write("J10.log",
             R"({"value":[["r",2,21,true],["i",3,30,null,true,false],)"
             R"(["r","k",null,false]]})");
  EXPECT_EQ(litmus_in(logs),
            "init 1=null 2=null 3=null k=null\n"
            "J2: [r(1,10) w(1,11)] [5..8: r(2,null) w(2,20) r(2,20) w(2,21)]\n"
            "J10: [r(2,21) r(3,null) r(k,null)]\n");
}

TEST(Viper, TheInitialTransactionIsTheInitialState) {
  LogDirectory logs;
  logs.write("J0.log", "{\"value\":[[\"w\",1,10,true]],\"isInitial\":true}\n");
  logs.write("J1.log", "{\"value\":[[\"r\",1,10,false]]}\n");
  EXPECT_EQ(litmus_in(logs), "init 1=10\nJ1: [r(1,10)]\n");
  logs.write("J0.log",
             R"({"isInitial":true,"value":[["range","nil","nil",)"
             R"([{"id":1,"sk":1,"val":10}],[{"id":2,"sk":2,"val":20}]]]})");
  EXPECT_EQ(litmus_in(logs), "init 1=10 2=20\nJ1: [r(1,10)]\n");
}

TEST(Viper, MistakesAreFoundWhereTheyStand) {
  const auto refused = [&](const std::string& log) {
    LogDirectory logs;
    logs.write("J1.log", log);
    return litmus_in(logs);
  };
  EXPECT_EQ(refused(R"({"value":[["range",1,5,[],[]]]})"),
            "/J1.log:1:20: range reads are not supported");
  EXPECT_EQ(refused(R"({"value":[["range","nil","nil",[],[]]]})").substr(0, 46),
            "/J1.log:1:35: range reads are not supported");
  EXPECT_EQ(refused(R"({"value":[["x",1,2]]})"),
            "/J1.log:1:12: unknown operation \"x\"");
  EXPECT_EQ(refused(R"({"value":[["w",1]]})"),
            "/J1.log:1:16: the operation lacks its key or value");
  EXPECT_EQ(refused(R"({"value":[["i",1,2]]})"),
            "/J1.log:1:18: the operation lacks the value that it read");
  EXPECT_EQ(refused(R"({"isFinal":true})"),
            "/J1.log:1:12: the transaction lacks \"value\"");
  EXPECT_EQ(refused(R"({"value":[],"value":[]})"),
            "/J1.log:1:13: \"value\" is given twice");
  EXPECT_EQ(refused(R"({"isInitial":true,"value":[["r",1,2,false]]})"),
            "/J1.log:1:37: the initial transaction can only write");
  EXPECT_EQ(refused(R"({"value":[],"preBeginTS":9,"postCommitTS":8})"),
            "/J1.log:1:43: the transaction ends before it starts");
  EXPECT_EQ(refused(""), ": holds no transaction");
}

}  // namespace
}  // namespace txscope
