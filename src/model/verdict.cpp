#include "model/verdict.h"

namespace txscope {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Holds: return "holds";
    case Outcome::Violated: return "violated";
    case Outcome::Undecided: return "undecided";
  }
  return "";
}

}  // namespace txscope
