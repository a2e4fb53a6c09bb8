#pragma once

namespace txscope::cli {

/// What `main` does with the arguments of the command line; returns the exit
/// status.
int run_program(int argc, const char* const* argv);

}  // namespace txscope::cli
