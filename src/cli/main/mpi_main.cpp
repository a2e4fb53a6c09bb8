// txscope-mpi: the program as one rank of many, `mpirun -n 64 txscope-mpi model
// Spec.tla`, or `explore big.txn`.  Rank 0 tells the answer; of other verbs it
// is the only one.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "base/big_thread.h"
#include "cli/program.h"
#include "mpi_transport.h"
#include "transport/outside.h"

namespace {

/// What ranks other than 0 print is what rank 0 prints.
void be_silent() {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

int run(int argc, char** argv) {
  int allowed = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &allowed);
  if (allowed < MPI_THREAD_FUNNELED) {
    std::fputs("txscope-mpi: this MPI does not support other threads\n",
               stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  txscope::cli::MpiTransport transport(MPI_COMM_WORLD);
  txscope::transport::set_outside(&transport);
  int status = 0;
  const std::string_view verb = argc > 1 ? argv[1] : "";
  const bool is_shared = verb == "model" || verb == "explore";
  if (transport.rank() == 0) {
    status = txscope::cli::run_program(argc, argv);
  } else if (is_shared) {
    be_silent();
    (void)txscope::cli::run_program(argc, argv);
  }
  std::fflush(nullptr);
  MPI_Finalize();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  // Evaluation is deep, and MPI wants all calls from one thread.
  txscope::BigThread thread([&] { status = run(argc, argv); });
  thread.join();
  return status;
}
