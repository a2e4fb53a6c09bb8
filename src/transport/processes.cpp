#include "transport/processes.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <thread>

#include "transport/sockets.h"

namespace txscope::transport {
namespace {

// Exit statuses of the other ranks, for rank 0 to read.
constexpr int kDone = 0;
constexpr int kFailed = 70;
constexpr int kNoMemory = 71;

/// How long the others may take to end after rank 0 has.
constexpr std::chrono::seconds kPatience{5};

/// All pairs of sockets, each known to two ranks.
class SocketPairs {
 public:
  explicit SocketPairs(unsigned size)
      : ends_(size, std::vector<int>(size, -1)) {
    for (unsigned a = 0; a < size; ++a)
      for (unsigned b = 0; b < a; ++b) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
          throw Lost{std::string("no socket pair for the processes: ") +
                     std::strerror(errno)};
        ends_[a][b] = pair[0];
        ends_[b][a] = pair[1];
      }
  }
  ~SocketPairs() { close_all(); }
  SocketPairs(const SocketPairs&) = delete;
  SocketPairs& operator=(const SocketPairs&) = delete;
  /// Those of one rank; all others are closed.
  std::vector<int> keep(unsigned rank) {
    std::vector<int> mine = std::move(ends_[rank]);
    close_all();
    return mine;
  }

 private:
  void close_all() {
    for (const auto& row : ends_)
      for (const int end : row)
        if (end >= 0) close(end);
    ends_.clear();
  }
  std::vector<std::vector<int>> ends_;
};

void allow_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

[[noreturn]] void be_rank(unsigned rank, SocketPairs& pairs, pid_t parent,
                          const std::function<void(Transport&)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kFailed);
  // The terminal's signals go to the whole group; rank 0 tells the others.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM})
    std::signal(signal, SIG_IGN);
  std::set_terminate([] { _exit(kFailed); });
  int status = kFailed;
  try {
    Sockets transport(rank, pairs.keep(rank));
    body(transport);
    status = kDone;
  } catch (const std::bad_alloc&) {
    status = kNoMemory;
  } catch (...) {
  }
  _exit(status);  // neither buffers nor atexit() of the other process
}

/// The processes of the other ranks, which do not outlive this.
class Children {
 public:
  ~Children() { end(std::chrono::seconds(0)); }

  void add(pid_t child) { children_.push_back({child, false, 0}); }

  /// Waits for them; those that do not end in time are killed.
  void end(std::chrono::seconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!look() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (Child& child : children_) {
      if (child.has_ended) continue;
      kill(child.id, SIGKILL);
      while (waitpid(child.id, &child.status, 0) < 0 && errno == EINTR) {
      }
      child.has_ended = true;
    }
  }

  /// Of those that ended by themselves, the one to blame and why.
  std::string blame(const std::string& otherwise) {
    // A rank that noticed the loss of another ends, too; give the first a
    // moment to be seen.
    for (int i = 0; i < 100 && !look(); ++i) {
      if (const std::string first = first_cause(); !first.empty()) return first;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const std::string first = first_cause();
    return first.empty() ? otherwise : first;
  }

 private:
  struct Child {
    pid_t id;
    bool has_ended;
    int status;
  };

  bool look() {
    bool have_all_ended = true;
    for (Child& child : children_) {
      if (!child.has_ended)
        child.has_ended = waitpid(child.id, &child.status, WNOHANG) == child.id;
      have_all_ended = have_all_ended && child.has_ended;
    }
    return have_all_ended;
  }

  [[nodiscard]] std::string first_cause() const {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      const Child& child = children_[i];
      if (!child.has_ended) continue;
      const std::string who = "rank " + std::to_string(i + 1) + " (process " +
                              std::to_string(child.id) + ") ";
      if (WIFSIGNALED(child.status))
        return who + "was killed by signal " +
               std::to_string(WTERMSIG(child.status)) + " (" +
               strsignal(WTERMSIG(child.status)) + ")";
      if (WIFEXITED(child.status) && WEXITSTATUS(child.status) == kNoMemory)
        return who + "ran out of memory";
    }
    return {};
  }

  std::vector<Child> children_;
};

}  // namespace

void run_processes(unsigned size, const std::function<void(Transport&)>& body) {
  allow_descriptors();
  SocketPairs pairs(size);
  Children children;
  const pid_t parent = getpid();
  for (unsigned rank = 1; rank < size; ++rank) {
    const pid_t child = fork();
    if (child < 0)
      throw Lost{std::string("no process for a rank: ") + std::strerror(errno)};
    if (child == 0) be_rank(rank, pairs, parent, body);
    children.add(child);
  }
  try {
    Sockets transport(0, pairs.keep(0));
    body(transport);
  } catch (const Lost& lost) {
    const std::string why = children.blame(lost.what);
    children.end(std::chrono::seconds(0));
    throw Lost{why};
  }
  children.end(kPatience);
}

}  // namespace txscope::transport
