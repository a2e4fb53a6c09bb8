// Each malformed file is refused with the place and the words that the list
// beside it names.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "read/histories/history_source.h"
#include "support/paths.h"

namespace txscope {
namespace {

std::string refusal(const std::string& path) {
  auto source = read::open_history(path, {});
  if (!source)
    return to_string(source.error().where) + "\t" + source.error().what;
  auto history = (*source)->next();
  if (!history)
    return to_string(history.error().where) + "\t" + history.error().what;
  return "accepted";
}

TEST(MalformedJepsen, IsRefusedAtItsPlace) {
  const std::string folder = test::source_dir() + "/tests/malformed/jepsen/";
  std::ifstream list(folder + "expected.tsv");
  std::size_t files = 0;
  for (std::string line; std::getline(list, line); ++files) {
    std::istringstream fields(line);
    std::string file, place, what;
    std::getline(fields, file, '\t');
    std::getline(fields, place, '\t');
    std::getline(fields, what, '\t');
    const std::string path = folder + file;
    const std::string found = refusal(path);
    if (place == "*")
      EXPECT_EQ(found.substr(0, path.size()), path);
    else
      EXPECT_EQ(found, path + (place.empty() ? "" : ":" + place) + "\t" + what);
  }
  EXPECT_GT(files, 20u);
}

}  // namespace
}  // namespace txscope
