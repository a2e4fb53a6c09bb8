// The installed package: its headers stand alone, without one of src/, and a
// program that knows nothing but the package runs every verb.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/paths.h"
#include "support/run_command.h"

namespace {

using namespace txscope;
using namespace txscope::test;
namespace fs = std::filesystem;

class Package : public testing::Test {
 protected:
  void SetUp() override {
    const Ran installed = in_directory(
        "cmake --install " + fs::path(binary()).parent_path().string() +
        " --prefix \"$PWD/there\" > log 2>&1 || cat log");
    ASSERT_EQ(installed.status, 0) << installed.output;
    ASSERT_TRUE(fs::exists(fs::path(directory_.path()) / "there/include"))
        << installed.output;
  }
  Ran in_directory(const std::string& command) const {
    return run_command(command, directory_.path());
  }
  static std::string with_package(const std::string& arguments) {
    return "export PKG_CONFIG_PATH=$(dirname $(find there -name txscope.pc)); "
           "g++ -std=c++20 " +
           arguments;
  }
  TemporaryDirectory directory_;
};

TEST_F(Package, EveryHeaderCompilesByItself) {
  int headers = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(directory_.path()) /
                                                  "there/include/txscope")) {
    if (entry.path().extension() != ".h") continue;
    ++headers;
    const std::string name = entry.path().filename().string();
    directory_.write("one.cpp", "#include <txscope/" + name +
                                    ">\nint main() { return 0; }\n");
    const Ran ran = in_directory(
        with_package("-fsyntax-only one.cpp $(pkg-config --cflags txscope)"));
    EXPECT_EQ(ran.status, 0) << name << ": " << ran.output;
  }
  EXPECT_GE(headers, 14);
  // Those of src/ that are public as they stand, and no other.
  const Ran all = in_directory(
      "cd there/include/txscope && find . -mindepth 2 "
      "-name '*.h' | sort | tr '\\n' ' '");
  EXPECT_EQ(all.output, "./base/budget.h ./base/result.h ./model/outcome.h ");
}

TEST_F(Package, AProgramRunsEveryVerb) {
  const std::string example = source_dir() + "/examples/library/main.cpp";
  const Ran built = in_directory(with_package(
      "-o verbs " + example + " $(pkg-config --cflags --libs txscope)"));
  ASSERT_EQ(built.status, 0) << built.output;
  const Ran ran =
      in_directory("mkdir out && ./verbs " + source_dir() + "/examples out");
  EXPECT_EQ(ran.status, 0) << ran.output;
  for (const char* verb :
       {"explore", "verify", "robust", "generate", "check", "convert", "record",
        "audit", "model", "analyze", "replay", "race", "explain"})
    EXPECT_NE(ran.output.find(verb), std::string::npos) << verb;
}

TEST_F(Package, CmakeFindsIt) {
  const Ran ran =
      in_directory("cmake -S " + source_dir() +
                   "/examples/library -B b -DCMAKE_PREFIX_PATH=\"$PWD/there\"");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

}  // namespace
