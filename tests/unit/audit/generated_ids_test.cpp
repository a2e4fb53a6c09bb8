// Ids that the database generated and that only later answers show: symbols
// that are one number each, whichever.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

const std::string kNotes =
    R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
    R"x("CREATE TABLE note (id SERIAL PRIMARY KEY, body TEXT, n INT)",)x"
    R"x("CREATE TABLE tag (k INT PRIMARY KEY, note INT REFERENCES note)",)x"
    R"x("CREATE TABLE plain (id SERIAL PRIMARY KEY, v INT)",)x"
    R"x("CREATE PROCEDURE add_note(b TEXT) LANGUAGE plpgsql AS $$ BEGIN )x"
    R"x(INSERT INTO note (body) VALUES (b); END $$"]})x"
    "\n";

std::string id_txn(const std::string& id, const std::string& statements) {
  return R"x({"session":")x" + id.substr(0, 1) + R"x(","id":")x" + id +
         R"x(","status":"committed","statements":[)x" + statements + "]}\n";
}
std::string add_note(const std::string& body) {
  return R"x({"sql":"INSERT INTO note (body) VALUES ($1)","params":[")x" +
         body + R"x("],"count":1})x";
}
std::string shows_rows(const std::string& sql, const std::string& rows) {
  return R"x({"sql":")x" + sql + R"x(","rows":[)x" + rows + "]}";
}
std::string sees_notes(const std::string& rows) {
  return shows_rows("SELECT id, body FROM note ORDER BY id", rows);
}

std::string verdict_with_ids(const std::string& lines,
                             const std::string& level) {
  audit::AuditOptions options;
  options.certify = true;
  const auto report = test::audit_text_log(kNotes + lines, level, options);
  if (!report) return report.error().what;
  const audit::AuditResult& result = report->results[0];
  if (result.found.answer == Outcome::Holds) {
    EXPECT_NE(result.certified.find("were run again"), std::string::npos)
        << result.certified;
  }
  return test::verdict_of(result.found);
}

TEST(AuditIds, AnIdIsTheSameForEverybodyWhoSeesIt) {
  for (const std::string level :
       {"serializable", "snapshot-isolation", "postgresql:read-committed",
        "read-committed"}) {
    SCOPED_TRACE(level);
    const std::string one = id_txn("a1", add_note("x"));
    const std::string nine = id_txn("b1", sees_notes(R"([9,"x"])"));
    EXPECT_EQ(verdict_with_ids(one + nine, level), "holds");
    EXPECT_EQ(verdict_with_ids(
                  one + nine + id_txn("b2", sees_notes(R"([9,"x"])")), level),
              "holds");
    EXPECT_EQ(verdict_with_ids(
                  one + nine + id_txn("b2", sees_notes(R"([8,"x"])")), level),
              "violated");
  }
}

TEST(AuditIds, TwoRowsHaveTwoIdsInWhateverOrder) {
  const std::string two =
      id_txn("a1", add_note("x")) + id_txn("b1", add_note("y"));
  const std::string level = "serializable";
  EXPECT_EQ(verdict_with_ids(
                two + id_txn("c1", sees_notes(R"([3,"y"],[7,"x"])")), level),
            "holds");
  EXPECT_EQ(verdict_with_ids(
                two + id_txn("c1", sees_notes(R"([7,"x"],[7,"y"])")), level),
            "violated");
  // What refers to it names it.
  const std::string tag =
      R"x({"sql":"INSERT INTO tag VALUES (1, 7)","count":1})x";
  EXPECT_EQ(
      verdict_with_ids(
          two + id_txn("c1", tag + "," +
                                 shows_rows("SELECT body FROM note JOIN tag "
                                            "ON note.id = tag.note",
                                            R"(["y"])")),
          level),
      "holds");
  EXPECT_EQ(
      verdict_with_ids(id_txn("a1", add_note("x")) +
                           id_txn("c1", tag + "," + sees_notes(R"([8,"x"])")),
                       level),
      "violated");
}

TEST(AuditIds, ACallDrawsThemToo) {
  const std::string call = R"x({"sql":"CALL add_note('x')"})x";
  EXPECT_EQ(verdict_with_ids(
                id_txn("a1", call) + id_txn("b1", sees_notes(R"([9,"x"])")),
                "serializable"),
            "holds");
  EXPECT_EQ(verdict_with_ids(id_txn("a1", call) +
                                 id_txn("b1", sees_notes(R"([9,"x"])")) +
                                 id_txn("b2", sees_notes(R"([8,"x"])")),
                             "serializable"),
            "violated");
}

// Nobody asks for these, so they stand in the way of no answer.
TEST(AuditIds, WhatNobodyAsksForMayBeAnything) {
  const std::string add_plain =
      R"x({"sql":"INSERT INTO plain (v) VALUES (5)","count":1})x";
  EXPECT_EQ(verdict_with_ids(
                id_txn("a1", add_plain) +
                    id_txn("b1", shows_rows("SELECT sum(v) FROM plain", "[6]")),
                "serializable"),
            "violated");
}

}  // namespace
