// The user's own database: never changed without --in-place, and put back with
// it.

#include <gtest/gtest.h>

#include "db/address.h"
#include "db/postgresql.h"
#include "support/run_command.h"
#include "unit/race/scripts.h"

namespace txscope::race {
namespace {

using namespace scripts;

/// A server that plays the user's, with a shop in it.
class RaceInPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = db::start_postgresql();
    ASSERT_TRUE(server) << server.error().what;
    server_ = *std::move(server);
    auto session = server_->connect();
    ASSERT_TRUE(session);
    session_ = *std::move(session);
    ask("CREATE TABLE product (id serial PRIMARY KEY, quantity int NOT NULL)");
    ask("INSERT INTO product (quantity) VALUES (5)");
    ask("CREATE ROLE clerk LOGIN; GRANT ALL ON SCHEMA public TO clerk;"
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk;"
        "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO clerk;"
        "GRANT ALL ON DATABASE postgres TO clerk");
  }
  std::string ask(const std::string& sql) {
    const db::Answer answer = session_->execute(sql);
    EXPECT_TRUE(answer.is_ok()) << answer.message;
    return answer.rows.empty() ? "" : answer.rows[0][0].value_or("");
  }
  [[nodiscard]] db::Address address(const std::string& user) const {
    return *db::Address::parse(
        "postgresql://" + user + "@/postgres?host=" + server_->host(), false);
  }
  static Result<Findings> race_on(Copies& copies) {
    const test::TemporaryDirectory place;
    const std::string buy =
        "SELECT quantity FROM product WHERE id = 1 \\gset\n"
        "INSERT INTO product (quantity) VALUES (0);\n"
        "UPDATE product SET quantity = :quantity - 3 WHERE id = 1;\n";
    const Plan plan = plan_of({"", {buy, buy}, {}}, place);
    return search(plan, copies, {}, Budget::unlimited());
  }

  std::unique_ptr<db::Server> server_;
  std::unique_ptr<db::Session> session_;
};

TEST_F(RaceInPlace, ACopyHasTheSettingsOfTheDatabase) {
  ask("ALTER DATABASE postgres SET default_transaction_isolation ="
      " 'repeatable read'");
  ask("ALTER ROLE clerk SET app.tenant = 'a \\ b'");
  ask("CREATE SCHEMA shop; CREATE TABLE shop.seat (no int);"
      "GRANT ALL ON SCHEMA shop TO clerk; GRANT ALL ON shop.seat TO clerk");
  ask("ALTER DATABASE postgres SET search_path = shop, \"$user\"");
  auto copies = Copies::from_database(address("clerk"));
  ASSERT_TRUE(copies) << copies.error().what;
  const test::TemporaryDirectory place;
  const Plan plan =
      plan_of({"",
               {"SHOW transaction_isolation;\nSHOW app.tenant;\nTABLE seat;\n",
                "INSERT INTO seat VALUES (1);\n"},
               {}},
              place);
  const auto found = search(plan, **copies, {}, Budget::unlimited());
  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->outcomes.size(), 2u);
  const std::string settings = "repeatable read\na \\ b";
  EXPECT_EQ(found->outcomes[0].requests[0].printed, settings);
  EXPECT_EQ(found->outcomes[1].requests[0].printed, settings + "\n1");
}

TEST_F(RaceInPlace, ACopyHasTheRightsOfWhoConnects) {
  ask("CREATE ROLE teller LOGIN; CREATE TABLE secret (id int);"
      "CREATE TABLE note (id int PRIMARY KEY, reader text);"
      "INSERT INTO note VALUES (1, 'teller'), (2, 'clerk');"
      "ALTER TABLE note ENABLE ROW LEVEL SECURITY;"
      "CREATE POLICY own ON note USING (reader = current_user);"
      "GRANT SELECT ON note TO teller");
  auto copies = Copies::from_database(address("postgres"));
  ASSERT_TRUE(copies) << copies.error().what;
  const test::TemporaryDirectory place;
  Plan plan = plan_of(
      {"",
       {"SELECT current_user;\nSELECT id FROM note;\nSELECT id FROM secret;\n",
        "SELECT current_user;\n"},
       {}},
      place);
  plan.requests[0].command.insert(plan.requests[0].command.end(),
                                  {"-U", "teller"});
  const auto found = search(plan, **copies, {}, Budget::unlimited());
  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->outcomes.size(), 1u);
  const RequestEnd& end = found->outcomes[0].requests[0];
  EXPECT_EQ(end.printed, "teller\n1");
  EXPECT_EQ(end.last_error, "42501");
  // Who says nothing is who the address is of.
  EXPECT_EQ(found->outcomes[0].requests[1].printed, "postgres");
}

TEST_F(RaceInPlace, TheContentsAreAsBefore) {
  {
    auto copies = Copies::in_place(address("postgres"));
    ASSERT_TRUE(copies) << copies.error().what;
    const auto found = race_on(**copies);
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_TRUE(found->has_anomaly());
    EXPECT_TRUE(found->is_complete);
  }
  EXPECT_EQ(ask("SELECT string_agg(id || ':' || quantity, ',') FROM product"),
            "1:5");
  EXPECT_EQ(ask("SELECT last_value FROM product_id_seq"), "1");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'txs%'"),
            "0");
}

TEST_F(RaceInPlace, WhoMayNotPutBackIsRefusedBeforeAnythingHappens) {
  auto copies = Copies::in_place(address("clerk"));
  ASSERT_TRUE(copies) << copies.error().what;
  const auto found = race_on(**copies);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("cannot be put back"), std::string::npos)
      << found.error().what;
  EXPECT_EQ(ask("SELECT quantity FROM product"), "5");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'txs%'"),
            "0");
}

TEST_F(RaceInPlace, WhatAnEarlierRunLeftIsNotOverwritten) {
  ask("CREATE SCHEMA txscope_saved");
  auto copies = Copies::in_place(address("postgres"));
  ASSERT_TRUE(copies);
  const auto found = race_on(**copies);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("txscope_saved"), std::string::npos);
  EXPECT_EQ(ask("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'txs%'"),
            "1");
}

TEST_F(RaceInPlace, ACopyLeavesTheDatabaseAlone) {
  auto copies = Copies::from_database(address("postgres"));
  ASSERT_TRUE(copies) << copies.error().what;
  const auto found = race_on(**copies);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->has_anomaly());
  EXPECT_EQ(ask("SELECT quantity FROM product"), "5");
  EXPECT_EQ(ask("SELECT last_value FROM product_id_seq"), "1");
}

TEST_F(RaceInPlace, ACopyThatMayNotBeReadSaysWhich) {
  ask("CREATE TABLE secret (id int)");
  const auto copies = Copies::from_database(address("clerk"));
  ASSERT_FALSE(copies);
  EXPECT_NE(copies.error().what.find("cannot be copied"), std::string::npos);
  EXPECT_NE(copies.error().what.find("secret"), std::string::npos)
      << copies.error().what;
}

}  // namespace
}  // namespace txscope::race
