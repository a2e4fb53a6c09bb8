#pragma once

namespace txscope {

/// The user wants the program to end (Ctrl-C, SIGTERM).  Every Budget is spent
/// from then on, so that engines stop and what they found can be told.  May be
/// called by a signal handler.
void request_interrupt(int signal) noexcept;

/// The signal that asked for the end; 0 if none did.
[[nodiscard]] int interrupted() noexcept;

}  // namespace txscope
