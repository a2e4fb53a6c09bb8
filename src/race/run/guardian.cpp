#include "race/run/guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <string>

#include "race/wire/sockets.h"

extern char** environ;

namespace txscope::race {
namespace {

// "+7" and "-7": a group begins, a group has ended.
constexpr const char* kGuard =
    "groups=' '\n"
    "while read -r line; do\n"
    "  number=${line#?}\n"
    "  case $line in\n"
    "    +*) groups=\"$groups$number \";;\n"
    "    -*) groups=\"${groups%% $number *} ${groups#* $number }\";;\n"
    "  esac\n"
    "done\n"
    "for group in $groups; do kill -KILL -- \"-$group\"; done 2> /dev/null\n";

/// The pipe to the shell, which is started when first needed.
class Guardian {
 public:
  void tell(char sign, pid_t group) {
    const std::lock_guard lock(mutex_);
    if (!is_started_) start();
    if (!pipe_.is_open()) return;
    const std::string line = sign + std::to_string(group) + "\n";
    if (::send(pipe_.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0)
      pipe_.close();
  }

 private:
  void start() {
    is_started_ = true;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      return;
    const Descriptor reading(ends[0]);
    pipe_ = Descriptor(ends[1]);
    std::array<std::string, 3> words = {"/bin/sh", "-c", kGuard};
    std::array<char*, 4> arguments = {words[0].data(), words[1].data(),
                                      words[2].data(), nullptr};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, reading.get(), 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    // Of its own: Ctrl-C is not for it.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    pid_t process = -1;
    if (::posix_spawn(&process, words[0].c_str(), &actions, &attributes,
                      arguments.data(), environ) != 0)
      pipe_.close();
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  std::mutex mutex_;
  bool is_started_ = false;
  Descriptor pipe_;
};

Guardian& guardian() {
  static Guardian one;
  return one;
}

}  // namespace

void guard_group(pid_t group) { guardian().tell('+', group); }
void release_group(pid_t group) { guardian().tell('-', group); }

}  // namespace txscope::race
