// What somebody who links txscope writes: nothing but <txscope/...>.
#include <gtest/gtest.h>
#include <txscope/check.h>
#include <txscope/explore.h>
#include <txscope/model.h>

namespace {

using namespace txscope;

History two_increments_of_the_same_value() {
  HistoryBuilder builder("in memory");
  AtomTable& atoms = builder.atoms();
  builder.set_default_initial(atoms.of_int(0));
  const KeyId x = builder.key(atoms.of_string("x"));
  for (const int i : {1, 2}) {
    builder.begin(builder.session(atoms.of_int(i)));
    builder.read(x, atoms.of_int(0));
    builder.write(x, atoms.of_int(i));
    builder.commit();
  }
  return *std::move(builder).finish();
}

TEST(Library, JudgesAHistoryBuiltInMemoryAndCertifiesTheAnswer) {
  const History history = two_increments_of_the_same_value();
  const Budget budget = Budget::unlimited();
  for (const auto& [base, outcome] :
       {std::pair{Base::Causal, Outcome::Holds},
        std::pair{Base::SnapshotIsolation, Outcome::Violated}}) {
    const Verdict verdict = check(history, {base, Order::Session}, budget);
    EXPECT_EQ(verdict.outcome(), outcome);
    EXPECT_TRUE(certify(history, verdict));
  }
}

TEST(Library, ReadsAHistoryFromText) {
  auto source = open_history_text("h.txt", "w(1,1,0,0)\nr(1,1,1,1)\n", {});
  ASSERT_TRUE(source);
  const auto history = (*source)->next();
  ASSERT_TRUE(history && *history);
  EXPECT_EQ((*history)->sessions().size(), 2u);
}

TEST(Library, ExploresAProgram) {
  const auto program =
      read_txn("p.txn",
               "var x\n"
               "session { txn { a = read x\n write x = a + 1 } }\n"
               "session { txn { a = read x\n write x = a + 1 } }\n"
               "invariant x == 2\n");
  ASSERT_TRUE(program) << program.error().what;
  ExploreOptions options;
  options.levels = {Base::Causal, Base::Serializable};
  const auto result = explore(*program, options, Budget::unlimited());
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)[0].outcome, Outcome::Violated);
  EXPECT_EQ((*result)[1].outcome, Outcome::Holds);
}

TEST(Library, ExploresAnApplicationAsADatabaseRunsIt) {
  const auto application = read_sql(
      "n.sql",
      "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
      "INSERT INTO t VALUES (1, 0);\n"
      "--@ session a: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;\n"
      "--@ session b: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;\n"
      "--@ invariant both: (SELECT n FROM t WHERE id = 1) = 2\n");
  ASSERT_TRUE(application) << application.error().what;
  const auto profile = parse_profile("postgresql:read-committed");
  ASSERT_TRUE(profile);
  const auto result =
      engine::explore_profile(*application, **profile, {}, Budget::unlimited());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Holds);
}

TEST(Library, SaysWhichSpecificationIsMissing) {
  ModelRequest request;
  request.spec = "/nowhere/Spec.tla";
  const auto result = check_model(request, Budget::unlimited());
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().where.file.find("Spec.tla"), std::string::npos);
}

}  // namespace
