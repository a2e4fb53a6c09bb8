// Calls as new users type them, and what they are told.

#include <gtest/gtest.h>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::run_command;
using test::TemporaryDirectory;

class Misread : public testing::Test {
 protected:
  Misread() {
    directory_.write("a.sql", "SELECT 1;");
    directory_.write("b.sql", "SELECT 1;");
    directory_.write("M.tla", "---- MODULE M ----\n====\n");
  }
  std::string told(const std::string& arguments) const {
    const test::Ran ran =
        run_command("txscope " + arguments, directory_.path());
    EXPECT_EQ(ran.status, 2) << ran.output;
    return ran.output;
  }
  TemporaryDirectory directory_;
};

TEST_F(Misread, OneFileAtATime) {
  for (const char* verb : {"explore", "verify", "robust"}) {
    const std::string said = told(std::string(verb) + " a.sql b.sql");
    EXPECT_NE(said.find("'" + std::string(verb) +
                        "' reads one file, and 'b.sql' is another"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("\\ir NAME"), std::string::npos) << said;
  }
}

TEST_F(Misread, ADirectoryIsNoFile) {
  for (const char* verb : {"explore", "verify", "robust"}) {
    const std::string said = told(std::string(verb) + " .");
    EXPECT_NE(said.find(".: this is a directory"), std::string::npos) << said;
    const test::Ran help = run_command(
        "txscope " + std::string(verb) + " --help", directory_.path());
    EXPECT_EQ(help.output.find("directory to read"), std::string::npos);
  }
}

TEST_F(Misread, WordsAreToldInTheirOrder) {
  EXPECT_NE(told("model M.tla --one two --three")
                .find("these arguments were not expected: --one two --three"),
            std::string::npos);
}

TEST_F(Misread, FlagsOfTlcHaveOursBesideThem) {
  EXPECT_NE(told("model M.tla -workers 4").find("write --jobs N"),
            std::string::npos);
  EXPECT_NE(told("model -deadlock M.tla").find("write --no-deadlock"),
            std::string::npos);
  EXPECT_NE(told("model -config M.cfg M.tla").find("write --config FILE"),
            std::string::npos);
  EXPECT_NE(told("model -simulate M.tla").find("write --simulate N"),
            std::string::npos);
}

TEST_F(Misread, AnEmptyValueIsNoValue) {
  EXPECT_NE(told("model M.tla --config ''").find("--config is empty"),
            std::string::npos);
}

}  // namespace
}  // namespace txscope
