#include "read/input.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace txscope {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

struct Lines {
  std::vector<std::string> lines;
  std::optional<Error> error;
};

Lines lines_of(std::string text, std::size_t limit = read::Input::kMaxLine) {
  read::Input input = read::Input::of_text("f", std::move(text));
  static_cast<void>(input.head());
  input.expect_text();
  Lines result;
  for (std::string_view line; input.next_line(line, limit);) {
    result.lines.emplace_back(line);
    EXPECT_EQ(input.line(), result.lines.size());
  }
  result.error = input.error();
  return result;
}

using Strings = std::vector<std::string>;

TEST(Input, GivesLinesWithoutTheirEnds) {
  EXPECT_EQ(lines_of("a\nbc\r\n\nd").lines, (Strings{"a", "bc", "", "d"}));
  EXPECT_EQ(lines_of("a\n").lines, (Strings{"a"}));
  EXPECT_EQ(lines_of("").lines, Strings{});
}

TEST(Input, SkipsAByteOrderMark) {
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a\nb")
                .lines,
            (Strings{"a", "b"}));
}

TEST(Input, LinesLongerThanAChunkArriveWhole) {
  const std::string longer(3'000'000, 'x');
  const Lines read = lines_of("a\n" + longer + "\nb\n");
  EXPECT_EQ(read.lines, (Strings{"a", longer, "b"}));
}

TEST(Input, RefusesALineOverItsLimit) {
  const Lines read = lines_of("ab\n" + std::string(2'000'000, 'x'), 1000);
  EXPECT_EQ(read.lines, Strings{"ab"});
  ASSERT_TRUE(read.error);
  EXPECT_EQ(read.error->where.line, 2u);
  EXPECT_EQ(read.error->what, "the line is longer than 1000 bytes");
}

TEST(Input, ReadsGzipAndZstdAsTheyWereWritten) {
  std::string text;
  for (long i = 0; i < 300'000; ++i) text += std::to_string(i * 7919) + "\n";
  const Lines plain = lines_of(text);
  ASSERT_EQ(plain.lines.size(), 300'000u);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const Lines read = lines_of(packed);
    EXPECT_FALSE(read.error) << read.error->what;
    EXPECT_EQ(read.lines.size(), plain.lines.size());
    EXPECT_TRUE(read.lines == plain.lines);
  }
}

// Whether or not another thread unpacks it.
TEST(Input, ALargeArchiveIsReadAheadAsItWouldBe) {
  std::string text;
  for (long i = 0; i < 300'000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string packed = gzip(text);
  const std::string path = testing::TempDir() + "txscope_read_ahead.gz";
  for (const std::size_t size : {packed.size(), packed.size() / 2}) {
    std::ofstream(path, std::ios::binary) << packed.substr(0, size);
    const Lines expected = lines_of(packed.substr(0, size));
    for (const auto ahead :
         {read::Input::Ahead::Compressed, read::Input::Ahead::All}) {
      auto input = read::Input::open_ahead(path, ahead);
      ASSERT_TRUE(input);
      input->expect_text();
      Strings lines;
      for (std::string_view line; input->next_line(line);)
        lines.emplace_back(line);
      EXPECT_TRUE(lines == expected.lines);
      ASSERT_EQ(input->error().has_value(), expected.error.has_value());
      if (expected.error) {
        EXPECT_EQ(input->error()->what, expected.error->what);
        EXPECT_EQ(input->error()->where.offset, expected.error->where.offset);
      }
    }
  }
  std::filesystem::remove(path);
}

TEST(Input, ReadsSeveralGzipMembersAndPadding) {
  const Lines read = lines_of(gzip("a\n") + gzip("b\n") + std::string(9, '\0'));
  EXPECT_EQ(read.lines, (Strings{"a", "b"}));
  EXPECT_FALSE(read.error);
}

TEST(Input, ATruncatedOrDamagedArchiveIsAnErrorWithItsOffset) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const Lines cut = lines_of(packed.substr(0, packed.size() / 2));
    ASSERT_TRUE(cut.error);
    EXPECT_EQ(cut.error->where.offset, packed.size() / 2);
    EXPECT_NE(cut.error->what.find("is cut off in the middle"),
              std::string::npos);
    EXPECT_FALSE(cut.lines.empty());
    std::string damaged = packed;
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 64; ++i)
      damaged[i] = static_cast<char>(~damaged[i]);
    const Lines bad = lines_of(damaged);
    ASSERT_TRUE(bad.error);
    EXPECT_TRUE(bad.error->where.offset);
  }
  const Lines garbage = lines_of(gzip("a\n") + "garbage");
  ASSERT_TRUE(garbage.error);
  EXPECT_NE(garbage.error->what.find("damaged gzip data"), std::string::npos);
}

TEST(Input, InvalidUtf8IsAnErrorWhereItStands) {
  const Lines read = lines_of("ab\n\xc3\xa4\xff\n");
  EXPECT_EQ(read.lines, Strings{"ab"});
  ASSERT_TRUE(read.error);
  EXPECT_EQ(to_string(read.error->where), "f:2:2");
  EXPECT_EQ(read.error->what, "byte 0xff is not valid UTF-8 here");
  EXPECT_EQ(read.error->source_line, "\xc3\xa4");
}

TEST(Input, EveryKindOfBrokenUtf8IsFound) {
  for (const std::string bad :
       {"\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf0\x9f\x98", "\x80", "\xfe"})
    for (const std::string after : {"", "\n", "xyz\n"}) {
      const Lines read = lines_of("ok\nab" + bad + after);
      ASSERT_TRUE(read.error) << bad << after;
      EXPECT_EQ(to_string(read.error->where), "f:2:3");
    }
}

TEST(Input, ACharacterMayCrossThePiecesThatAreFetched) {
  for (std::size_t before = 524'280; before < 524'292; ++before) {
    const std::string line = std::string(before, 'x') + "\xf0\x9f\x98\x80";
    const Lines read = lines_of(line + "\n" + line);
    EXPECT_FALSE(read.error);
    EXPECT_EQ(read.lines, (Strings{line, line}));
  }
}

TEST(Input, AZeroByteIsAnErrorWhereItStands) {
  const Lines read = lines_of(std::string("a\nbc\0d\n", 7));
  EXPECT_EQ(read.lines, Strings{"a"});
  ASSERT_TRUE(read.error);
  EXPECT_EQ(to_string(read.error->where), "f:2:3");
  EXPECT_EQ(read.error->what, "a zero byte in a text file");
}

TEST(Input, ErrorsShowTheLineAroundThePlace) {
  read::Input input = read::Input::of_text(
      "f", "short\n" + std::string(5000, 'x') + "!" + std::string(5000, 'y'));
  input.expect_text();
  std::string_view line;
  ASSERT_TRUE(input.next_line(line));
  const Error near = input.error_at(line.data() + 2, "what", "hint");
  EXPECT_EQ(to_string(near.where), "f:1:3");
  EXPECT_EQ(near.source_line, "short");
  EXPECT_EQ(near.caret, 0u);
  ASSERT_TRUE(input.next_line(line));
  const Error far = input.error_at(line.data() + 5000, "what");
  EXPECT_EQ(to_string(far.where), "f:2:5001");
  EXPECT_LT(far.source_line.size(), 150u);
  EXPECT_EQ(far.source_line[far.caret - 1], '!');
}

TEST(Input, TakesBytesAndKnowsTheirOffset) {
  read::Input input = read::Input::of_text("f", std::string("\0\1\2\3\4", 5));
  EXPECT_EQ(input.take(2), std::string_view("\0\1", 2));
  EXPECT_EQ(input.offset(), 2u);
  EXPECT_EQ(input.take(9).size(), 3u);
  EXPECT_EQ(input.take(9).size(), 0u);
  EXPECT_EQ(to_string(input.error_at_offset(3, "x").where), "f: byte 3");
}

TEST(Input, WorkOnTheWindowKeepsLinesAndColumns) {
  std::string text = "\n";
  for (int i = 0; i < 400'000; ++i) text += "\xc3\xa4,";
  read::Input input = read::Input::of_text("f", text + "?");
  input.expect_text();
  input.line_begins(0);
  while (!input.window().empty() || input.more()) {
    if (input.window()[0] == '?') break;
    const bool is_newline = input.window()[0] == '\n';
    input.consume(1);
    if (is_newline) input.line_begins(0);
  }
  const Error error = input.error_at(input.window().data(), "what");
  EXPECT_EQ(to_string(error.where), "f:2:800001");
  EXPECT_EQ(error.source_line.back(), '?');
}

TEST(Input, AMissingFileIsAnError) {
  const auto input = read::Input::open("/nowhere/at/all");
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().what, "cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace txscope
