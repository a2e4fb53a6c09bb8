#include "read/histories/form/form_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "read/input.h"

namespace txscope {
namespace {

// A form in a canonical notation of its own: kinds are visible, collections
// are bracketed.
std::string shown(read::Form::Cursor c) {
  const auto inside = [&](std::string open, const char* close) {
    for (read::Form::Cursor e = c.first(); e.is_inside(); e = e.next())
      open += (open.size() > 1 ? " " : "") + shown(e);
    return open + close;
  };
  switch (c.kind()) {
    case read::FormKind::Nil: return "nil";
    case read::FormKind::Bool: return std::string(c.text());
    case read::FormKind::Integer:
      return c.node().is_unsigned
                 ? std::to_string(static_cast<std::uint64_t>(c.node().integer))
                 : std::to_string(c.node().integer);
    case read::FormKind::Number: return "number:" + std::string(c.text());
    case read::FormKind::String: return "'" + std::string(c.text()) + "'";
    case read::FormKind::Character: return "char:" + std::string(c.text());
    case read::FormKind::Keyword: return ":" + std::string(c.text());
    case read::FormKind::Symbol: return "symbol:" + std::string(c.text());
    case read::FormKind::Map: return inside("{", "}");
    case read::FormKind::Vector: return inside("[", "]");
    case read::FormKind::List: return inside("(", ")");
    case read::FormKind::Set: return inside("<", ">");
  }
  return "";
}

std::string described(const Error& error) {
  return to_string(error.where) + ": " + error.what;
}

// All elements of a text, one per line, or the error that ended it.
std::string read_forms(std::string text) {
  read::Input input = read::Input::of_text("h", std::move(text));
  input.expect_text();
  read::FormReader reader(input);
  std::string all;
  for (;;) {
    const Result<bool> has_more = reader.next_element();
    if (!has_more) return all + described(has_more.error());
    if (!*has_more) return all;
    all += shown(reader.form().root()) + "\n";
  }
}

TEST(FormReader, ReadsEveryKindOfScalar) {
  EXPECT_EQ(read_forms("nil true false 7 -3 +4 0 12N \"a b\" :x :a/b sym \\a"),
            "nil\ntrue\nfalse\n7\n-3\n4\n0\n12\n'a b'\n:x\n:a/b\nsymbol:sym\n"
            "char:a\n");
}

TEST(FormReader, ReadsIntegersAtTheEdgesOf64Bits) {
  EXPECT_EQ(read_forms("-9223372036854775808 9223372036854775807 "
                       "18446744073709551615 9223372036854775808"),
            "-9223372036854775808\n9223372036854775807\n"
            "18446744073709551615\n9223372036854775808\n");
  EXPECT_EQ(
      read_forms("-9223372036854775809 18446744073709551616 99999999999999"
                 "9999999999999N"),
      "number:-9223372036854775809\nnumber:18446744073709551616\n"
      "number:999999999999999999999999999N\n");
}

TEST(FormReader, TellsFractionsFromIntegers) {
  EXPECT_EQ(read_forms("1.5 -2e10 3.0E-2 1/3 4.5M 6M ##NaN 1."),
            "number:1.5\nnumber:-2e10\nnumber:3.0E-2\nnumber:1/3\n"
            "number:4.5M\nnumber:6M\nnumber:##NaN\nnumber:1.\n");
}

TEST(FormReader, RefusesMalformedNumbers) {
  EXPECT_EQ(read_forms("12x"), "h:1:1: malformed number '12x'");
  EXPECT_EQ(read_forms(" 007"), "h:1:2: malformed number '007'");
  EXPECT_EQ(read_forms("[1 -3e]"), "1\nh:1:4: malformed number '-3e'");
  EXPECT_EQ(read_forms("1/"), "h:1:1: malformed number '1/'");
}

TEST(FormReader, ReadsEscapesInStrings) {
  EXPECT_EQ(read_forms(R"("a\tb\n\"\\" "A\u00e9\ud83d\ude00" "\101")"),
            "'a\tb\n\"\\'\n'A\xc3\xa9\xf0\x9f\x98\x80'\n'A'\n");
}

TEST(FormReader, RefusesMalformedEscapes) {
  EXPECT_EQ(read_forms(R"("ab\q")"), "h:1:4: unknown escape in a string");
  EXPECT_EQ(read_forms(R"("\u12g4")"),
            "h:1:2: malformed \\u escape in a string");
  EXPECT_EQ(read_forms(R"("\ud83d x")"),
            "h:1:2: malformed \\u escape in a string");
  EXPECT_EQ(read_forms(R"("\udc00")"),
            "h:1:2: malformed \\u escape in a string");
}

TEST(FormReader, ReadsDelimitersAsCharacters) {
  EXPECT_EQ(read_forms("[\\( \\newline \\u0041 \\, :x]{}"),
            "char:(\nchar:newline\nchar:u0041\nchar:,\n:x\n"
            "h:1:27: text after the end of the history");
}

TEST(FormReader, ReadsNestedCollections) {
  EXPECT_EQ(read_forms("{:a [1 (2 #{3}) {}], :b {nil []}}"),
            "{:a [1 (2 <3>) {}] :b {nil []}}\n");
}

TEST(FormReader, TreatsCommasAndCommentsAsBlanks) {
  EXPECT_EQ(read_forms("; a file\n{:a 1,,:b\n; inside }\n2}\n;end"),
            "{:a 1 :b 2}\n");
}

TEST(FormReader, SkipsTagsAndDiscardedValues) {
  EXPECT_EQ(read_forms("#jepsen.history.Op{:at #inst \"2020\"}"),
            "{:at '2020'}\n");
  EXPECT_EQ(read_forms("[1 #_2 3]"), "1\n3\n");
  EXPECT_EQ(read_forms("{:a #_ #_ 1 [2 3] 4}"), "{:a 4}\n");
  EXPECT_EQ(read_forms("#_{:a 1} {:b #_#tag x 2} #_ 3"), "{:b 2}\n");
  EXPECT_EQ(read_forms("#x.History [#x.Op {:a 1} #x.Op {:b 2}]"),
            "{:a 1}\n{:b 2}\n");
  EXPECT_EQ(read_forms("{:e #object[a.B 0x1f \"b\"]}"),
            "{:e [symbol:a.B number:0x1f 'b']}\n");
  EXPECT_EQ(read_forms("{:re #\"a+\"}"), "{:re 'a+'}\n");
}

TEST(FormReader, GivesTheElementsOfOneVectorOrList) {
  EXPECT_EQ(read_forms("[{:a 1}\n {:b 2}]\n"), "{:a 1}\n{:b 2}\n");
  EXPECT_EQ(read_forms("({:a 1})"), "{:a 1}\n");
  EXPECT_EQ(read_forms("{:a 1} [2]"), "{:a 1}\n[2]\n");
  EXPECT_EQ(read_forms("[]"), "");
  EXPECT_EQ(read_forms(""), "");
}

TEST(FormReader, SaysWhereABracketIsWrong) {
  EXPECT_EQ(read_forms("{:a 1}\n{:b [1 2}\n"),
            "{:a 1}\nh:2:9: expected ']', found '}'");
  EXPECT_EQ(read_forms("{:a 1}}"), "{:a 1}\nh:1:7: unexpected '}'");
  EXPECT_EQ(read_forms("{:a}"), "h:1:4: the last key of the map has no value");
  EXPECT_EQ(read_forms("{:a #_}"), "h:1:7: nothing follows the '#_'");
  EXPECT_EQ(read_forms("{:a #t}"), "h:1:7: a tag without a value");
  EXPECT_EQ(read_forms("[1 #t]"), "1\nh:1:6: a tag without a value");
  EXPECT_EQ(read_forms("{:a #(f)}"), "h:1:5: expected a tag after '#'");
  EXPECT_EQ(read_forms("{: 1}"), "h:1:2: a keyword needs a name after its ':'");
}

TEST(FormReader, SaysWhereAFileIsCutOff) {
  EXPECT_EQ(read_forms("{:a 1}\n{:b\n [1 2\n\n"),
            "{:a 1}\nh:3:6: the file ends inside a vector");
  EXPECT_EQ(read_forms("[{:a 1}\n{:b 2}\n"),
            "{:a 1}\n{:b 2}\nh:3:1: the file ends before the ']' that closes "
            "it");
  EXPECT_EQ(read_forms("{:a \"xy\nz"), "h:1:5: the string is never closed");
  EXPECT_EQ(read_forms("{:a \\"), "h:1:5: expected a character after '\\'");
  EXPECT_EQ(read_forms("{:a 1} #tag"), "{:a 1}\nh:1:12: a tag without a value");
}

TEST(FormReader, CountsColumnsInCharacters) {
  EXPECT_EQ(read_forms("{:\xc3\xa9 \"\xe2\x82\xac\" 1x}"),
            "h:1:9: malformed number '1x'");
}

TEST(FormReader, RefusesInvalidUtf8WithItsPlace) {
  EXPECT_EQ(read_forms("{:a 1}\n{:b \xff}"),
            "{:a 1}\nh:2:5: byte 0xff is not valid UTF-8 here");
}

TEST(FormReader, RefusesDeepNestingWithoutRecursion) {
  EXPECT_EQ(read_forms("{:a " + std::string(1000000, '[')),
            "h:1:516: values are nested more than 512 deep");
  EXPECT_EQ(read_forms("{:a " + std::string(1000000, '#')).substr(0, 3), "h:1");
  const std::string deep = std::string(500, '[') + std::string(500, ']');
  EXPECT_EQ(read_forms("{:a " + deep + "}"), "{:a " + deep + "}\n");
}

// Every value crosses the border between two pieces of the input somewhere.
TEST(FormReader, ReadsAFileThatIsLongerThanItsWindow) {
  std::string text;
  std::string expected;
  for (int i = 0; text.size() < 3000000; ++i) {
    const std::string n = std::to_string(i);
    text += "{:index " + n + ", ; " + n + "\n :s \"a\\n" + n + "\" #_[x] :v [" +
            n + " nil]}\n";
    expected += "{:index " + n + " :s 'a\n" + n + "' :v [" + n + " nil]}\n";
  }
  EXPECT_EQ(read_forms(text), expected);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_EQ(read_forms(text + "}").substr(expected.size()),
            "h:" + std::to_string(lines + 1) + ":1: unexpected '}'");
}

TEST(FormReader, ReadsAValueThatIsLongerThanTheWindow) {
  std::string elements;
  for (int i = 0; elements.size() < 2000000; ++i)
    elements += (i == 0 ? "" : " ") + std::to_string(i);
  EXPECT_EQ(read_forms("{:a [" + elements + "]}"), "{:a [" + elements + "]}\n");
}

}  // namespace
}  // namespace txscope
