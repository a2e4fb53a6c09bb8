#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_viper(const Sample&) { return Match::No; }

Result<History> read_viper(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "viper is not supported yet", "",
               ""};
}

std::unique_ptr<HistorySource> open_viper(Opened opened) {
  return one_history(Format::Viper, std::move(opened), read_viper);
}

}  // namespace

const FormatEntry kViperFormat{Format::Viper,
                               "viper",
                               "a directory of Viper's J*.log",
                               {},
                               {},
                               looks_like_viper,
                               open_viper,
                               true};

}  // namespace txscope
