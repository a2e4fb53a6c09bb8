#include "read/txn/txn.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/paths.h"

namespace txscope {
namespace {

Program parse(const std::string& text) {
  auto program = read::read_txn("p.txn", text);
  if (!program) {
    ADD_FAILURE() << to_string(program.error().where) << ": "
                  << program.error().what;
    return {};
  }
  return std::move(*program);
}

/// "line:column: what | hint" of the mistake in a program.
std::string mistake(const std::string& text) {
  const auto program = read::read_txn("p.txn", text);
  if (program) return "no mistake";
  const Error& e = program.error();
  return std::to_string(e.where.line) + ":" + std::to_string(e.where.column) +
         ": " + e.what + (e.hint.empty() ? "" : " | " + e.hint);
}

std::string in_txn(const std::string& body) {
  return "var x\nvar a[3]\nsession { txn {\n" + body + "\n} }\n";
}

TEST(Txn, ReadsEveryProgramOfTheCorpus) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           test::source_dir() + "/tests/programs")) {
    if (entry.path().extension() != ".txn") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const auto program = read::read_txn(entry.path().string(), text.str());
    EXPECT_TRUE(program) << to_string(program.error().where) << ": "
                         << program.error().what;
    ++count;
  }
  EXPECT_GE(count, 60u);
}

TEST(Txn, ARegisterIsATableOfOneRowAndAnArrayOneKeyedByIndex) {
  const Program p = parse("var x = 3\nvar a[2] = {4, 5}\nsession { txn {} }");
  ASSERT_EQ(p.tables.size(), 2u);
  EXPECT_EQ(p.tables[0].key_columns, 0u);
  EXPECT_EQ(p.tables[0].rows, (std::vector<Row>{{std::int64_t{3}}}));
  EXPECT_EQ(p.tables[1].key_columns, 1u);
  EXPECT_EQ(p.tables[1].rows,
            (std::vector<Row>{{std::int64_t{0}, std::int64_t{4}},
                              {std::int64_t{1}, std::int64_t{5}}}));
}

TEST(Txn, DeclarationsMayUseEachOtherInAnyOrder) {
  const Program p = parse(
      "invariant x == K\nsession s { l: put(K) }\n"
      "assert s.l.v == 2\ntxn put(v) { write x = v }\nvar x\nconst K = 2");
  EXPECT_EQ(p.sessions.at(0).calls.at(0).arguments.at(0),
            Value(std::int64_t{2}));
  EXPECT_EQ(p.end_conditions.size(), 2u);
}

TEST(Txn, NamesPropertiesByNumberAndAssertsInTransactionsByLine) {
  const Program p = parse(
      "var x\nsession { txn {\n v = read x\n assert v == 0\n} }\n"
      "invariant x == 0\ninvariant \"n\" x == 1\ninvariant x == 2\n"
      "assert s1.t1.v == 0\ninvariant \"n\" x == 3");
  std::vector<std::string> names;
  for (const Property& row : p.properties) names.push_back(row.name);
  EXPECT_EQ(names, (std::vector<std::string>{"line 4", "1", "n", "3", "a1"}));
}

TEST(Txn, FoldsConstantsLikeC) {
  const auto value = [](const std::string& expression) {
    const Program p =
        parse("const K = " + expression + "\nvar x = K\nsession { txn {} }");
    return std::get<std::int64_t>(p.tables.at(0).rows.at(0).at(0));
  };
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(value("0x7fffffffffffffff"), INT64_MAX);
  EXPECT_EQ(value("1 ? 2 : 1 / 0"), 2);
  EXPECT_EQ(value("0 && 1 / 0"), 0);
  EXPECT_EQ(value("1 || 1 / 0"), 1);
  EXPECT_EQ(value("-7 / 2 * 10 + -7 % 2"), -31);
  EXPECT_EQ(value("6 & 3 == 3"), 0);
  EXPECT_EQ(value("min(\n3, 2) + max(1, 7) + abs(-4)"), 13);
  EXPECT_EQ(value("~0 ^ 5 | 8"), -6);
  EXPECT_EQ(value("-1 >> 63 << 2"), -4);
}

TEST(Txn, BracesAndElseMayFollowNewlines) {
  const Program p = parse(
      "var x\ntxn t(\n a,\n b)\n{\n if a\n {\n write x = 1\n }\n else\n {\n"
      " write x = 2 } }\nsession\n{\n t(1,\n 2) }");
  EXPECT_EQ(p.transactions.at(0).body.size(), 1u);
}

TEST(Txn, StatementsEndAtNewlineSemicolonOrBrace) {
  const Program p = parse(in_txn("v = read x; w = v;; write x = w"));
  EXPECT_EQ(p.transactions.at(0).body.size(), 3u);
  EXPECT_EQ(mistake(in_txn("v = read x w = v")),
            "4:12: expected the end of the statement, found 'w' | statements "
            "end at a newline, ';' or '}'");
  EXPECT_EQ(mistake(in_txn("v = 1 +\n2")),
            "4:8: expected an expression before the end of the line | a "
            "newline ends the statement; put a longer one in parentheses");
}

TEST(Txn, KeepsTheTextOfEachStatement) {
  const Program p = parse(in_txn("if 1 > 0 {\n  write a[1 + 1] = 7\n}"));
  const Statement& s = p.transactions.at(0).body.at(0);
  EXPECT_EQ(p.text(s.at), "if 1 > 0");
  EXPECT_EQ(p.text(std::get<If>(s.what).then.at(0).at), "write a[1 + 1] = 7");
}

TEST(Txn, NamesMayHaveLettersOfAnyLanguage) {
  const Program p = parse(
      "var gr\u00f6\u00dfe = 1\n"
      "txn \u8f49\u5e33(n) { \u03b1 = read gr\u00f6\u00dfe\n"
      "  write gr\u00f6\u00dfe = \u03b1 + n }\n"
      "session zo\u00eb { \u8f49\u5e33(2) }\n");
  ASSERT_EQ(p.tables.size(), 1u);
  EXPECT_EQ(p.tables[0].name, "gr\u00f6\u00dfe");
  EXPECT_EQ(p.transactions.at(0).locals.at(1), "\u03b1");
}

TEST(TxnMistakes, SignsOfAnyLanguageAreNoNames) {
  EXPECT_EQ(mistake(in_txn("v = read x\nw = v \u2264 1")),
            "5:7: unexpected character '\u2264'");
  EXPECT_EQ(mistake(in_txn("v = read x\nw = v \u00d7 1")),
            "5:7: unexpected character '\u00d7'");
  EXPECT_EQ(mistake("var x = 1\u00a0\n"),
            "1:10: unexpected character '\u00a0'");
  // Columns behind a name count its characters.
  EXPECT_EQ(mistake("var gr\u00f6\u00dfe = )\n").substr(0, 5), "1:13:");
}

TEST(TxnMistakes, UnknownNamesComeWithASuggestion) {
  EXPECT_EQ(mistake(in_txn("count = 1\nwrite x = cuont")),
            "5:11: unknown name 'cuont' | did you mean 'count'?");
  EXPECT_EQ(mistake(in_txn("write xx = 1")),
            "4:7: unknown place 'xx' | declare it: var xx");
  EXPECT_EQ(mistake("var total\nsession { txn { write totl = 1 } }"),
            "2:23: unknown place 'totl' | did you mean 'total'?");
  EXPECT_EQ(mistake("txn deposit() {}\nsession { depsit() }"),
            "2:11: unknown transaction 'depsit' | did you mean 'deposit'?");
  EXPECT_EQ(mistake("vra x\nsession { txn {} }"),
            "1:1: expected a declaration, found 'vra' | did you mean 'var'?");
  EXPECT_EQ(mistake(in_txn("wirte x = 1")),
            "4:7: expected '=' after 'wirte', found 'x' | did you mean "
            "'write'?");
}

TEST(TxnMistakes, AMissingBraceIsShownWhereItWasOpened) {
  EXPECT_EQ(mistake("session {\n  txn {\n    abort\n}\n"),
            "1:9: this '{' is never closed | add the missing '}'");
  EXPECT_EQ(mistake("txn t() {\n  abort\nsession { t() }"),
            "3:1: 'session' cannot appear inside a block | is a '}' missing? "
            "the block was opened on line 1");
  EXPECT_EQ(mistake("session { txn {} } }"),
            "1:20: '}' without a '{' before it");
}

TEST(TxnMistakes, AReadNeverStandsInAnExpression) {
  EXPECT_EQ(mistake(in_txn("v = 1 + read x")),
            "4:9: 'read' cannot appear inside an expression | read into a "
            "local first: v = read x");
  EXPECT_EQ(mistake(in_txn("v = read x + 1")),
            "4:12: a read cannot be part of an expression | compute in a "
            "statement of its own: v = v + ...");
  EXPECT_EQ(mistake(in_txn("if x == 0 { abort }")),
            "4:4: the place 'x' cannot appear in an expression | read it into "
            "a local first: v = read x");
}

TEST(TxnMistakes, WhatOtherLanguagesWriteIsTranslated) {
  EXPECT_EQ(mistake(in_txn("v = read x\nif v = 0 { abort }")),
            "5:6: expected '{', found '=' | == compares");
  EXPECT_EQ(mistake(in_txn("v = read x\nwhile v = 0 { abort }")),
            "5:9: expected '{', found '=' | == compares");
  EXPECT_EQ(mistake(in_txn("v = read x\nv += 1")),
            "5:3: there is no '+=' | v = v + ...");
  EXPECT_EQ(mistake(in_txn("v = read x\nv <<= 1")),
            "5:3: there is no '<<=' | v = v << ...");
  EXPECT_EQ(mistake(in_txn("x += 1")),
            "4:3: there is no '+=' | v = read x; write x = v + ...");
  EXPECT_EQ(mistake(in_txn("write x += 1")),
            "4:9: there is no '+=' | v = read x; write x = v + ...");
  EXPECT_EQ(mistake(in_txn("v = read x\nv++")),
            "5:2: there is no '++' | v = v + ...");
  EXPECT_EQ(
      mistake(in_txn("v = read x") + "invariant x = 3\n"),
      "6:13: expected the end of the declaration, found '=' | == compares");
}

TEST(TxnMistakes, CallsNeedTheRightNumberOfArguments) {
  EXPECT_EQ(mistake("txn t(a, b) {}\nsession { t(1) }"),
            "2:11: t takes 2 arguments, not 1 | it is declared as t(a, b)");
  EXPECT_EQ(mistake(in_txn("v = min(1)")), "4:5: min takes 2 arguments, not 1");
}

TEST(TxnMistakes, LabelsSessionsAndNamesAreUnique) {
  EXPECT_EQ(mistake("session { l: txn {}; l: txn {} }"),
            "1:22: the label 'l' is used twice | unlabelled transactions are "
            "called t1, t2, ... by position");
  EXPECT_EQ(mistake("session { t2: txn {}; txn {} }").substr(0, 5), "1:23:");
  EXPECT_EQ(mistake("session s2 {}\nsession {}").substr(0, 4), "2:1:");
  EXPECT_EQ(mistake("var x\nconst x = 1\nsession {}"),
            "2:7: the name 'x' is declared twice");
  EXPECT_EQ(mistake("txn t() {}\ntxn t() {}\nsession {}"),
            "2:5: the transaction 't' is declared twice");
}

TEST(TxnMistakes, AssertsNameSessionLabelAndLocal) {
  const std::string p = "var x\nsession ann { see: txn { v = read x } }\n";
  EXPECT_EQ(mistake(p + "assert an.see.v == 0"),
            "3:8: unknown session 'an' | did you mean 'ann'?");
  EXPECT_EQ(mistake(p + "assert ann.sea.v == 0"),
            "3:12: session 'ann' has no transaction labelled 'sea' | did you "
            "mean 'see'?");
  EXPECT_EQ(mistake(p + "assert ann.see.w == 0"),
            "3:16: transaction 'see' has no local 'w'");
  EXPECT_EQ(mistake(p + "assert y == 0").substr(0, 4), "3:8:");
}

TEST(TxnMistakes, AnIndexThatIsSurelyOutOfRange) {
  EXPECT_EQ(mistake(in_txn("v = read a[3]")),
            "4:12: index 3 is out of range | the elements are a[0] to a[2]");
  EXPECT_EQ(mistake(in_txn("write a[0 - 1] = 1")).substr(0, 7), "4:11: i");
  EXPECT_EQ(mistake(in_txn("v = read a")),
            "4:10: 'a' is an array and needs an index | a[i]");
  EXPECT_EQ(mistake(in_txn("v = read x[0]")), "4:10: 'x' is not an array");
}

TEST(TxnMistakes, ALocalThatNoPathAssignedBefore) {
  EXPECT_EQ(mistake(in_txn("write x = v\nv = 1")),
            "4:11: 'v' is used before it is assigned | a name that a "
            "transaction assigns anywhere is its local everywhere");
  // The second round of the loop has it, so only a run can tell.
  EXPECT_EQ(mistake(in_txn("for i in 0..2 { if i { write x = v }\n v = 1 }")),
            "no mistake");
  EXPECT_EQ(mistake(in_txn("if 1 > 0 { v = 1 }\nwrite x = v")), "no mistake");
}

TEST(TxnMistakes, PlacesAreNoLocals) {
  EXPECT_EQ(mistake(in_txn("x = 1")),
            "4:1: 'x' is a place and cannot be a local | write x = ... stores "
            "into the place");
  EXPECT_EQ(mistake("var x\ntxn t(x) {}\nsession {}").substr(0, 4), "2:7:");
}

// Reserved is a word only where the grammar has it.
TEST(Txn, EveryWordOfTheGrammarMayBeAName) {
  const std::array<std::string, 19> words = {
      "var",   "const",  "txn",  "session", "invariant", "assert", "read",
      "write", "if",     "else", "for",     "in",        "while",  "assume",
      "abort", "exists", "min",  "max",     "abs"};
  for (const std::string& w : words) {
    // A place, also an array, in conditions and in transactions.
    EXPECT_EQ(mistake("var " + w + " = 1\nsession { txn { v = read " + w +
                      "\nwrite " + w + " = v + 1 } }\ninvariant " + w +
                      " == 2 && (\n" + w + "\n> 0)\nexists " + w +
                      " == 2\nassume " + w + " == 1"),
              "no mistake")
        << w;
    EXPECT_EQ(
        mistake("var " + w + "[2]\nsession { txn { v = read " + w +
                "[1]; write " + w + "[v] = 1 } }\ninvariant " + w + "[0] == 1"),
        "no mistake")
        << w;
    // A local, a loop variable, a parameter, a constant.
    const std::string uses =
        w + " = read x\n" + w + " = " + w + " + 1\nif " + w + " > 1 { " + w +
        " = 2 }\n" + w + " = 3\nif " + w + " { write x = " + w +
        " } else { write x = (\n" + w + "\n) }\nwhile " + w + " > 0 { " + w +
        " = " + w + " - 1 }\nassert " + w + " == 0\nassume " + w +
        " == 0\nv = " + w + " ? " + w + " : " + w;
    EXPECT_EQ(mistake("var x\nsession s { t: txn { " + uses +
                      " } }\nassert s.t." + w + " == 0"),
              "no mistake")
        << w;
    EXPECT_EQ(mistake("var x\ntxn t(" + w + ") { write x = " + w +
                      " }\nsession { t(1) }"),
              "no mistake")
        << w;
    EXPECT_EQ(mistake("var x\nsession { txn { for " + w + " in 0.." +
                      "2 { write x = " + w + " } } }"),
              "no mistake")
        << w;
    EXPECT_EQ(mistake("const " + w + " = 3\nvar x = " + w +
                      "\nsession { txn { write x = " + w + " } }"),
              "no mistake")
        << w;
    // A session, a label, a transaction.
    EXPECT_EQ(mistake("var x\nsession " + w + " {\n" + w +
                      ": txn { v = 1 }\n}\nassert " + w + "." + w + ".v == 1"),
              "no mistake")
        << w;
    EXPECT_EQ(mistake("var x\ntxn " + w + "(v) { write x = v }\nsession {\n" +
                      w + "(1)\n" + w + ": " + w + "(2)\n}"),
              "no mistake")
        << w;
  }
}

TEST(Txn, AReadIntoALocalCalledReadIsARead) {
  const auto program = read::read_txn(
      "p",
      "var read = 4\nvar x\nsession { txn { v = read read\nin = v\n"
      "write x = in } }");
  ASSERT_TRUE(program);
  EXPECT_TRUE(std::holds_alternative<ReadRow>(
      program->at(TransactionId(0)).body.at(0).what));
}

TEST(TxnMistakes, NumbersOutOfRangeAndBadOnes) {
  EXPECT_EQ(mistake(in_txn("v = 9223372036854775808")).substr(0, 4), "4:5:");
  EXPECT_EQ(mistake(in_txn("v = 99999999999999999999")).substr(0, 4), "4:5:");
  EXPECT_EQ(mistake(in_txn("v = 0xffffffffffffffff")).substr(0, 4), "4:5:");
  EXPECT_EQ(mistake(in_txn("v = 12ab")).substr(0, 4), "4:5:");
  EXPECT_EQ(mistake("const K = 1 / 0\nsession {}"),
            "1:13: division by zero in a constant expression");
  EXPECT_EQ(mistake("const K = 9223372036854775807 + 1\nsession {}"),
            "1:31: integer overflow in a constant expression");
}

TEST(TxnMistakes, WhatIsNoProgramAtAll) {
  EXPECT_EQ(mistake(""),
            "1:1: the program has no session | session { txn { ... } } runs a "
            "transaction");
  EXPECT_EQ(mistake(std::string("\0\0\1", 3)).substr(0, 4), "1:1:");
  EXPECT_EQ(mistake("// \xff\nsession {}").substr(0, 18), "1:4: invalid UTF-8");
  EXPECT_EQ(mistake("session { txn { assert \"open } }").substr(0, 5), "1:24:");
  EXPECT_EQ(mistake("session { txn {} } { x }").substr(0, 5), "1:20:");
  EXPECT_EQ(mistake("var x\n+ 3\nsession {}").substr(0, 4), "2:1:");
}

TEST(TxnMistakes, NestingIsLimited) {
  const auto repeat = [](const std::string& s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  const std::string deep =
      in_txn("v = " + repeat("(", 100000) + "1" + repeat(")", 100000));
  EXPECT_NE(mistake(deep).find("nested too deeply"), std::string::npos);
  const std::string minus = in_txn("v = " + repeat("-", 100000) + "1");
  EXPECT_NE(mistake(minus).find("nested too deeply"), std::string::npos);
  const std::string blocks =
      in_txn(repeat("if 1 > 0 {", 100000) + repeat("}", 100000));
  EXPECT_NE(mistake(blocks).find("nested too deeply"), std::string::npos);
  const std::string sum = in_txn("u = read x\nv = u" + repeat(" + u", 100000));
  EXPECT_NE(mistake(sum).find("nested too deeply"), std::string::npos);
}

TEST(TxnMistakes, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(mistake(in_txn("assert \"\xc3\xa4\xc3\xb6\" zz")).substr(0, 5),
            "4:13:");
}

TEST(Txn, AQuestionMarkIsKeptForEnginesThatTakeIt) {
  const Program p = parse("var x = ?\ntxn t(a) {}\nsession { t(?) }");
  ASSERT_TRUE(p.arbitrary);
  EXPECT_EQ(p.arbitrary->line, 1u);
  EXPECT_TRUE(std::holds_alternative<Arbitrary>(
      p.sessions.at(0).calls.at(0).arguments.at(0)));
}

}  // namespace
}  // namespace txscope
