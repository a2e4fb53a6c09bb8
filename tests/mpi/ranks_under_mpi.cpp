// One rank of many: searches random models and programs together with the
// others.  Rank 0 compares with what it finds alone, and ends all at the first
// difference.
//     mpirun -n 4 ranks_under_mpi SEED SPECIFICATIONS PROGRAMS
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "base/big_thread.h"
#include "cli/main/mpi_transport.h"
#include "explore/explore.h"
#include "read/txn/txn.h"
#include "support/random_program.h"
#include "support/random_spec.h"
#include "support/ranks.h"
#include "support/run_command.h"
#include "transport/outside.h"

namespace txscope::test {
namespace {

/// Each search has a communicator of its own, so that what an earlier one left
/// behind is not taken for part of it.
void with_ranks(const std::function<void(transport::Transport&)>& search) {
  MPI_Comm ranks{};
  MPI_Comm_dup(MPI_COMM_WORLD, &ranks);
  cli::MpiTransport transport(ranks);
  transport::set_outside(&transport);
  search(transport);
  transport::set_outside(nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
}

void end_at_a_difference(unsigned rank) {
  if (rank != 0 || !::testing::Test::HasFailure()) return;
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

unsigned rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return static_cast<unsigned>(rank);
}

/// The directory of rank 0: all ranks read the same files, as they do on a
/// cluster.
std::string common(std::string directory) {
  directory.resize(4096);
  MPI_Bcast(directory.data(), static_cast<int>(directory.size()), MPI_CHAR, 0,
            MPI_COMM_WORLD);
  return directory.c_str();
}

void check_model_together(Random& random, const std::string& directory) {
  const std::string module = RandomSpec(random).make();
  const std::string config = random_config(random);
  ModelRequest request;
  request.spec = directory + "/Spec.tla";
  if (rank_here() == 0) {
    std::ofstream(request.spec)
        << "---- MODULE Spec ----\n" + module + "\n====\n";
    std::ofstream(directory + "/Spec.cfg") << config;
  }
  with_ranks([&](transport::Transport& transport) {
    MPI_Barrier(MPI_COMM_WORLD);  // the files are there
    const auto together = on_ranks(request, {transport.size(), false});
    if (transport.rank() != 0) return;
    transport::set_outside(nullptr);
    expect_same_answer(check_model(request, Budget::unlimited()), together,
                       module);
    end_at_a_difference(transport.rank());
  });
}

void explore_together(Random& random) {
  const auto text = testing::random_program(random, {}).text();
  const auto program = read::read_txn("p.txn", text);
  ASSERT_TRUE(program) << text;
  explore::ExploreOptions options;
  options.levels = {Base::ReadCommitted, Base::ReadAtomic, Base::Causal,
                    Base::SnapshotIsolation, Base::Serializable};
  options.all = true;
  options.explains = false;
  with_ranks([&](transport::Transport& transport) {
    transport::Group group(transport);
    explore::ExploreOptions shared = options;
    shared.ranks = &group;
    const auto together =
        explore::explore(*program, shared, Budget::unlimited());
    MPI_Barrier(MPI_COMM_WORLD);  // nobody waits for rank 0 any more
    transport.leave();
    if (transport.rank() != 0) return;
    const auto alone = explore::explore(*program, options, Budget::unlimited());
    for (std::size_t i = 0; i < options.levels.size(); ++i)
      expect_same_counts((*alone)[i], (*together)[i], text);
    end_at_a_difference(transport.rank());
  });
}

int run(int argc, char** argv) {
  int allowed = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &allowed);
  if (argc != 4) return 2;
  Random random(std::strtoull(argv[1], nullptr, 10));
  const int specifications = std::atoi(argv[2]);
  const int programs = std::atoi(argv[3]);
  std::optional<TemporaryDirectory> own;
  if (rank_here() == 0) own.emplace();
  const std::string directory = common(own ? own->path() : "");
  for (int i = 0; i < specifications; ++i)
    check_model_together(random, directory);
  for (int i = 0; i < programs; ++i) explore_together(random);
  if (rank_here() == 0)
    std::printf("%d specifications and %d programs agree\n", specifications,
                programs);
  std::fflush(nullptr);
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace txscope::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int status = 0;
  // Evaluation is deep, and MPI wants all calls from one thread.
  txscope::BigThread thread([&] { status = txscope::test::run(argc, argv); });
  thread.join();
  return status;
}
