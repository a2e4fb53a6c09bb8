#pragma once

#include <string>
#include <string_view>

#include "model/history.h"

namespace txscope {

/// A history in a few characters.  One line per session (a session may have
/// several), transactions in brackets, operations between blanks:
///
///     init x=5 y=null        registers not named here start as 0
///     init *=none            ... or as this; `none` equals no value at all
///     judge aborted          reads of aborted transactions count
///     s1: [w(x,1)] [r(x,1) w(y,1)]
///     s2: [r(y,1) r(x,0)]!   ! aborted, ? outcome unknown
///     s3: [a(l,1)] [r(l,[1 2])] [r(l,[])]     appends and list reads
///     s4: t1:[10..25: w(x,2)] [30..: r(x,2)]? a name; start and end times
///     # a comment
///
/// l(l,1,2) is another way to write r(l,[1 2]).  Keys, values, names: integers,
/// words, "quoted strings", :keywords, null.  Throws std::invalid_argument,
/// with the line, if the text is not like this.
[[nodiscard]] History litmus(std::string_view text);

/// The same notation for any history; litmus() reads it back.
[[nodiscard]] std::string to_litmus(const History& history);

}  // namespace txscope
