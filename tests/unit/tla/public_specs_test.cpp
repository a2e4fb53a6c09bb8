#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/tla.h"

// Specifications that others published, with the numbers that TLC reports.
// They are not part of the repository: TXSCOPE_TLA_SPECS names a directory with
// a copy of github.com/TimSoethout/tla-ci in tla-ci, and one of
// github.com/tlaplus/Examples in Examples.
namespace txscope::test {
namespace {

namespace fs = std::filesystem;

struct Expected {
  const char* module;
  const char* transactions;
  const char* resources;
  bool has_symmetry;
  std::uint64_t generated;
  std::uint64_t distinct;
  std::uint32_t depth;
};

/// The published model with other constants, in a directory of its own.
class Copy {
 public:
  Copy(const std::string& from, const std::string& module,
       const std::string& transactions, const std::string& resources,
       const std::string& config_suffix, bool has_symmetry) {
    directory_ = fs::temp_directory_path() /
                 ("txscope-tla-ci-" + std::to_string(getpid()));
    fs::create_directories(directory_);
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.path().extension() == ".tla")
        fs::copy(entry, directory_, fs::copy_options::overwrite_existing);
    spec = (directory_ / (module + ".tla")).string();
    std::string text = read(spec);
    replace_line(text, "mc_transactions == ", transactions);
    replace_line(text, "mc_resources == ", resources);
    std::ofstream(spec) << text;
    std::string config = read(fs::path(from) / (module + ".cfg"));
    if (!has_symmetry) replace_line(config, "SYMMETRY ", "");
    std::ofstream(directory_ / (module + ".cfg")) << config << config_suffix;
  }
  ~Copy() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  std::string spec;

 private:
  /// Replaces what follows `head` on its line; an empty `rest` takes the line.
  static void replace_line(std::string& text, const std::string& head,
                           const std::string& rest) {
    const std::size_t at = text.find(head);
    if (at == std::string::npos) return;
    const std::size_t end = text.find('\n', at);
    text.replace(at, end - at, rest.empty() ? rest : head + rest);
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  fs::path directory_;
};

std::optional<std::string> tla_ci() {
  const auto root = public_specs();
  if (!root || !fs::exists(*root + "/tla-ci/ClientCentric.tla"))
    return std::nullopt;
  return *root + "/tla-ci";
}

TEST(PublicSpecs, PassAllAssumptionsOfThePaperOnClientCentricIsolation) {
  const auto directory = tla_ci();
  if (!directory) GTEST_SKIP() << "TXSCOPE_TLA_SPECS/tla-ci is absent";
  ModelRequest request;
  request.spec = *directory + "/ClientCentricPaperExamples.tla";
  const auto result = check_model(request, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->assumptions, 75u);
}

TEST(PublicSpecs, HaveTheStatesThatTlcCounts) {
  const auto directory = tla_ci();
  if (!directory) GTEST_SKIP() << "TXSCOPE_TLA_SPECS/tla-ci is absent";
  for (const Expected& e : {
           Expected{"ClientCentric2PL_MC", "{t1}", "{r1}", true, 332, 177, 18},
           {"ClientCentric2PL_MC", "{t1}", "{r1,r2}", true, 10117, 3364, 32},
           {"ClientCentric2PL_MC", "{t1,t2}", "{r1}", true, 3038, 1118, 22},
           {"ClientCentric2PL_MC", "{t1,t2,t3}", "{r1}", true, 17295, 4883, 26},
           {"ClientCentric2PL_MC", "{t1,t2}", "{r1,r2}", true, 201051, 49884,
            37},
       }) {
    const Copy copy(*directory, e.module, e.transactions, e.resources, "",
                    e.has_symmetry);
    ModelRequest request;
    request.spec = copy.spec;
    const auto result = check_model(request, Budget::unlimited());
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->outcome, Outcome::Holds);
    EXPECT_EQ(result->generated, e.generated) << e.transactions << e.resources;
    EXPECT_EQ(result->distinct, e.distinct);
    EXPECT_EQ(result->depth, e.depth);
  }
}

TEST(PublicSpecs, FinishUnderFairness) {
  const auto directory = tla_ci();
  if (!directory) GTEST_SKIP() << "TXSCOPE_TLA_SPECS/tla-ci is absent";
  const Copy copy(*directory, "ClientCentric2PL_MC", "{t1,t2}", "{r1}",
                  "\nPROPERTY Termination AllTransactionsFinish\n", false);
  ModelRequest request;
  request.spec = copy.spec;
  const auto result = check_model(request, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 2125u);
}

TEST(PublicSpecs, ShowTheBugOfTwoPhaseLockingInTwentyStates) {
  const auto directory = tla_ci();
  if (!directory) GTEST_SKIP() << "TXSCOPE_TLA_SPECS/tla-ci is absent";
  const Copy copy(*directory, "ClientCentric2PLBug_MC", "{t1,t2,t3}", "{r1,r2}",
                  "", true);
  ModelRequest request;
  request.spec = copy.spec;
  const auto result = check_model(request, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->violation, ModelViolation::Invariant);
  EXPECT_EQ(result->property, "Serializable");
  EXPECT_EQ(result->trace.size(), 20u);
  ASSERT_TRUE(result->history);
  EXPECT_EQ(result->levels.back().verdict.outcome(), Outcome::Violated);
}

// The models of tlaplus/Examples with few states and recorded counts.  What is
// not supported may be refused; what is answered has to be right.
// scripts/tla-share runs them all.
TEST(PublicSpecs, HaveTheStatesThatTheirManifestsRecord) {
  const auto root = public_specs();
  if (!root || !fs::exists(*root + "/Examples/specifications"))
    GTEST_SKIP() << "TXSCOPE_TLA_SPECS/Examples is absent";
  constexpr std::uint64_t kFew = 3000;
  int answered = 0;
  int refused = 0;
  for (const auto& entry :
       fs::directory_iterator(*root + "/Examples/specifications")) {
    std::ifstream file(entry.path() / "manifest.json");
    if (!file) continue;
    const auto manifest = nlohmann::json::parse(file);
    for (const auto& module : manifest["modules"]) {
      if (!module.contains("models")) continue;
      for (const auto& model : module["models"]) {
        if (model["mode"] != "exhaustive search" ||
            model.value("distinctStates", kFew + 1) > kFew)
          continue;
        ModelRequest request;
        request.spec = *root + "/Examples/" + module["path"].get<std::string>();
        request.config =
            *root + "/Examples/" + model["path"].get<std::string>();
        Budget::Limits limits;
        limits.time = std::chrono::seconds(20);
        const auto result = check_model(request, Budget(limits));
        if (!result) {
          ++refused;
          continue;
        }
        if (result->outcome == Outcome::Undecided) continue;
        ++answered;
        EXPECT_EQ(result->distinct, model["distinctStates"]) << model["path"];
        EXPECT_EQ(result->outcome == Outcome::Holds,
                  model["result"] == "success")
            << model["path"];
      }
    }
  }
  EXPECT_GT(answered, 9 * refused);
}

// The tests that come with the modules which many specifications share.  Those
// about sequences, bags and functions ask for TLC's very messages, too.
TEST(PublicSpecs, PassTheTestsOfTheSharedModules) {
  const auto root = public_specs();
  if (!root || !fs::exists(*root + "/CommunityModules/tests"))
    GTEST_SKIP() << "TXSCOPE_TLA_SPECS/CommunityModules is absent";
  for (const char* name :
       {"Bitwise", "Combinatorics", "DyadicRationals", "FiniteSetsExt", "Folds",
        "Graphs", "Relation", "UndirectedGraphs"}) {
    ModelRequest request;
    request.spec = *root + "/CommunityModules/tests/" + name + "Tests.tla";
    request.config = *root + "/CommunityModules/tests/AllTests.cfg";
    const auto result = check_model(request, Budget::unlimited());
    ASSERT_TRUE(result) << name << result.error().what;
    EXPECT_EQ(result->outcome, Outcome::Holds) << name;
  }
}

TEST(PublicSpecs, AreRefusedWhereTlcRefusesThem) {
  const auto directory = tla_ci();
  if (!directory) GTEST_SKIP() << "TXSCOPE_TLA_SPECS/tla-ci is absent";
  for (const char* name : {"/ClientCentric.tla", "/ClientCentric2PL.tla"}) {
    ModelRequest request;
    request.spec = *directory + name;
    EXPECT_FALSE(check_model(request, Budget::unlimited()));
  }
}

}  // namespace
}  // namespace txscope::test
