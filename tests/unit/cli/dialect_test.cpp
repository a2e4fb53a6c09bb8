// `--dialect NAME` and `--@ dialect: NAME`: whose SQL a text is that could be
// either's.

#include <gtest/gtest.h>

#include <string>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

// 7 / 2 is 3 in PostgreSQL; in MySQL it is 3.5000, which the column rounds to 4.
constexpr char kHalf[] =
    "CREATE TABLE acc (id int PRIMARY KEY, n int NOT NULL);\n"
    "INSERT INTO acc VALUES (1, 7);\n"
    "--@ session a: START TRANSACTION; UPDATE acc SET n = n / 2; COMMIT;\n"
    "--@ session b: START TRANSACTION; SELECT n FROM acc; COMMIT;\n"
    "--@ assert p: (SELECT n FROM acc) = 4\n";

class DialectOption : public testing::Test {
 protected:
  DialectOption() { directory_.write("half.sql", kHalf); }
  Ran run(const std::string& arguments) const {
    return run_command("txscope " + arguments + " 2>&1", directory_.path());
  }

  TemporaryDirectory directory_;
};

TEST_F(DialectOption, DecidesWhatDivisionMeans) {
  const std::string level = " --level mariadb:repeatable-read";
  EXPECT_EQ(run("explore half.sql" + level).status, 1);
  EXPECT_EQ(run("explore half.sql --dialect postgresql" + level).status, 1);
  for (const std::string name : {"mysql", "mariadb"}) {
    const Ran ran = run("explore half.sql --dialect " + name + level);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_TRUE(ran.said("read in MySQL's syntax")) << ran.output;
  }
}

TEST_F(DialectOption, ALineOfTheFileSaysTheSame) {
  directory_.write("said.sql", "--@ dialect: mysql\n" + std::string(kHalf));
  EXPECT_EQ(run("explore said.sql --level mariadb:repeatable-read").status, 0);
  const Ran other = run("explore said.sql --dialect postgresql");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(other.said("names a dialect other than")) << other.output;
}

TEST_F(DialectOption, EveryVerbOfSqlHasIt) {
  for (const std::string verb : {"explore", "robust", "analyze"}) {
    const Ran ran = run(verb + " half.sql --dialect mysql");
    EXPECT_TRUE(ran.status == 0 || ran.status == 1) << verb << ran.output;
  }
  // MySQL's division is decimal, which is not encoded.
  const Ran verify = run("verify half.sql --dialect mysql");
  EXPECT_EQ(verify.status, 2) << verify.output;
  EXPECT_TRUE(verify.said("half.sql:3:")) << verify.output;
}

TEST_F(DialectOption, PostgresqlIsNotReadAsAnotherDialect) {
  directory_.write("mysql.sql",
                   "CREATE TABLE `acc` (id int PRIMARY KEY);\n" +
                       std::string(kHalf));
  const Ran ran = run("explore mysql.sql --dialect postgresql");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("mysql.sql:1:")) << ran.output;
}

TEST_F(DialectOption, UnknownNamesAreRefused) {
  const Ran option = run("explore half.sql --dialect klingon");
  EXPECT_EQ(option.status, 2);
  EXPECT_TRUE(option.said("there is no dialect 'klingon'")) << option.output;
  directory_.write("said.sql", std::string(kHalf) + "--@ dialect: klingon\n");
  const Ran said = run("explore said.sql");
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(said.said("said.sql:6:1: this dialect is not known"))
      << said.output;
  directory_.write("p.txn", "var x = 0\ntxn t { write x = 1 }\nsession { t }\n");
  EXPECT_EQ(run("explore p.txn --dialect mysql").status, 2);
}

}  // namespace
}  // namespace txscope
