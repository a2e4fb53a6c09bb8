#pragma once

#include <string>

namespace txscope {

/// What people call a violation.
struct Anomaly {
  std::string id;     ///< Adya's name: "G-single-realtime"
  std::string words;  ///< the plain word: "read skew"; may be empty
};

}  // namespace txscope
