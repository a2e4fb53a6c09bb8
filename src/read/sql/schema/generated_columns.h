#pragma once

namespace txscope::sql {

/// The name of the trigger that makes generated columns, after all that have
/// names.
inline constexpr const char* kGeneratesColumns = "\x7f generated columns";

}  // namespace txscope::sql
