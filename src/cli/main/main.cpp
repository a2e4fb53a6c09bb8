#include "cli/program.h"

int main(int argc, char** argv) {
  return txscope::cli::run_program(argc, argv);
}
