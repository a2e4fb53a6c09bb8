#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "litmus_of.h"
#include "log_files.h"
#include "read/histories/history_source.h"

namespace txscope {
namespace {

std::string format_of(const std::string& name, const std::string& text) {
  auto source = read::open_history_text(name, text, {});
  return source ? std::string(read::name((*source)->format()))
                : shown_error(source.error());
}

TEST(Detection, TellsFormatsByTheirContent) {
  const std::vector<std::pair<std::string, std::string>> samples = {
      {"{\"txscope\":\"history\"}", "jsonl"},
      {"\xef\xbb\xbf{\"session\":1,\"ops\":[]}", "jsonl"},
      {"{:type :ok, :process 0, :value []}", "edn"},
      {"; comment\n[{:type :ok, :process 0, :value []}]", "edn"},
      {"[{\"type\":\"ok\",\"process\":0,\"value\":[]}]", "elle-json"},
      {"{\"type\":\"ok\",\"process\":0,\"value\":[]}\n", "elle-json"},
      {"r(1,2,3,4)\n", "plume"},
      {"w(1,2,3,-1)\r\n", "plume"},
      {"w 1 2\n", "awdit"},
      {"====\n\n---\nr 1 2\n", "awdit"},
      {"[x:=1]\n", "dbcop-hist"},
      {"---\n// comment\n  [ x==? ]\n", "dbcop-hist"},
      {"[[{\"events\":[],\"committed\":true}]]", "dbcop-json"},
      {"{\"params\":{\"id\":1},\"data\":[]}", "dbcop-json"},
      {bincode_header(0), "dbcop-bincode"},
      {"[{\"tid\":1,\"sid\":1}]", "timekiller"},
      {"INFO  jepsen.util - 0\t:invoke\t:read\tnil\n", "etcd-log"},
  };
  for (const auto& [text, format] : samples)
    EXPECT_EQ(format_of("h", text), format) << text;
}

TEST(Detection, AnExtensionDecidesOnlyBetweenEqualMatches) {
  EXPECT_EQ(format_of("h.edn", "r(1,2,3,4)\n"), "plume");
  EXPECT_EQ(format_of("h.hist", "[]\n"), "dbcop-hist");
}

TEST(Detection, SaysWhatItSawOfAnUnknownFile) {
  EXPECT_EQ(format_of("h", ""), "h: is empty");
  EXPECT_EQ(format_of("h", " \n\n"), "h: holds only blanks");
  EXPECT_EQ(format_of("h", "\nhello, world\nmore"),
            "h: is not a history that txscope knows: it begins with 'hello, "
            "world'");
  EXPECT_EQ(format_of("h", std::string("\x7f"
                                       "ELF\0\1\2",
                                       7)),
            "h: is a binary file of no known format");
  auto source = read::open_history_text("h", "hello", {});
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().hint.find("dbcop-bincode"), std::string::npos);
}

TEST(Detection, SaysWhatItSawOfAnUnknownDirectory) {
  LogDirectory logs;
  const std::string at = logs.path() + ": is a directory without a known ";
  EXPECT_EQ(litmus_of(read::open_history(logs.path(), {})),
            at + "history: it holds no files");
  for (const std::string name : {"d", "c", "b", "a"}) logs.write(name, "x");
  EXPECT_EQ(litmus_of(read::open_history(logs.path(), {})),
            at + "history: it holds a, b, c, ...");
}

TEST(Detection, AForcedFormatMustFitFileOrDirectory) {
  LogDirectory logs;
  logs.write("h", "w 1 2\n");
  EXPECT_EQ(
      litmus_of(read::open_history(logs.path(), {read::Format::Awdit, false})),
      logs.path() + ": is a directory, but awdit histories are files");
  EXPECT_EQ(litmus_of(read::open_history(logs.path() + "/h",
                                         {read::Format::Cobra, false})),
            logs.path() + "/h: is a file, but cobra histories are directories");
  EXPECT_EQ(
      litmus_of(read::open_history(logs.path(), {read::Format::Viper, false})),
      logs.path() + ": is a directory without a known history: it holds h");
  EXPECT_EQ(litmus_of(read::open_history(logs.path() + "/h", {})),
            "init 1=none\n1: [w(1,2)]\n");
  EXPECT_EQ(litmus_of(read::open_history(logs.path() + "/none", {})),
            logs.path() + "/none: cannot be opened: No such file or directory");
}

TEST(Detection, NamesAndAliasesDenoteFormats) {
  for (const auto& [text, format] :
       std::vector<std::pair<std::string, read::Format>>{
           {"jsonl", read::Format::Jsonl},
           {"polysi", read::Format::Plume},
           {"plume", read::Format::Plume},
           {"dbcop-hist", read::Format::DbcopHist},
           {"edn", read::Format::Edn}}) {
    const auto parsed = read::parse_format(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, format);
  }
  const auto unknown = read::parse_format("yaml");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "unknown history format 'yaml'");
}

}  // namespace
}  // namespace txscope
