#include "db/keeper.h"

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

extern char** environ;

namespace txscope::db {
namespace {

/// What mkdtemp replaces.
const std::string kUnique(6, 'X');

/// Room for a server and some copies of a small database.
constexpr std::uint64_t kEnoughMemory = std::uint64_t{1} << 30;

std::string temporary_directory(DataPlace place) {
  struct statvfs memory {};
  if (place == DataPlace::Memory && ::access("/dev/shm", W_OK) == 0 &&
      ::statvfs("/dev/shm", &memory) == 0 &&
      memory.f_bavail * memory.f_frsize >= kEnoughMemory)
    return "/dev/shm";
  const char* directory = std::getenv("TMPDIR");
  return directory != nullptr && *directory != '\0' ? directory : "/tmp";
}

Result<std::string> make_directory(const std::string& name,
                                   const std::string& user, DataPlace place) {
  std::string path = temporary_directory(place);
  const std::string own = "/txscope-" + name + "-" + kUnique;
  path += own;
  // The address of a socket has at most 107 bytes.
  if (path.size() > 80) path = "/tmp" + own;
  if (::mkdtemp(path.data()) == nullptr)
    return failure("cannot create the directory " + path);
  ::chmod(path.c_str(), 0755);
  if (::getuid() != 0) return path;
  const passwd* owner = ::getpwnam(user.c_str());
  if (owner == nullptr ||
      ::chown(path.c_str(), owner->pw_uid, owner->pw_gid) != 0) {
    ::rmdir(path.c_str());
    return failure("there is no user " + user);
  }
  return path;
}

constexpr const char* kShell = R"sh(
cd "$dir" || exit 1
exec 3<&0 < /dev/null > "$dir/log" 2>&1
)sh";
constexpr const char* kShellEnd = R"sh(
echo $server > "$dir/pid"
read -r line <&3
kill -$stop $server
wait $server
rm -rf "$dir"
)sh";

/// Whether the process is gone or a zombie.
bool is_dead(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  if (!std::getline(file, text)) return true;
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size() ||
         text[name_end + 2] == 'Z';
}

}  // namespace

// What clients' libraries say ends in a line break, and may have more lines.
Error failure(std::string what, std::string hint) {
  while (!what.empty() && what.back() == '\n') what.pop_back();
  for (std::size_t at = 0; (at = what.find('\n', at)) != std::string::npos;)
    what.replace(at, what.find_first_not_of("\n\t ", at) - at, "; ");
  return Error{{}, std::move(what), std::move(hint), {}, 0};
}

Result<Keeper> Keeper::start(const std::string& name, const std::string& user,
                             const std::string& stop_signal,
                             const std::string& script, DataPlace place) {
  auto directory = make_directory(name, user, place);
  if (!directory) return directory.error();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failure("cannot make a pipe");
  const std::string text = "dir='" + *directory + "'\nstop=" + stop_signal +
                           "\n" + kShell + script + kShellEnd;
  const std::vector<const char*> words = {"sh", "-c", text.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // What a terminal sends to all its processes shall not reach the shell.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t process = -1;
  const int error =
      ::posix_spawn(&process, "/bin/sh", &actions, &attributes,
                    const_cast<char* const*>(words.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(ends[0]);
  if (error != 0) {
    ::close(ends[1]);
    return failure("cannot start a shell");
  }
  return Keeper(*std::move(directory), ends[1], process);
}

Keeper::Keeper(Keeper&& other) noexcept
    : directory_(std::move(other.directory_)),
      pipe_(std::exchange(other.pipe_, -1)),
      process_(std::exchange(other.process_, -1)) {}

Keeper::~Keeper() {
  if (pipe_ < 0) return;
  ::close(pipe_);
  int status = 0;
  ::waitpid(process_, &status, 0);
  // After a failed start the shell has left the directory, for log().
  if (::access(directory_.c_str(), F_OK) == 0) {
    const std::string command = "rm -rf '" + directory_ + "'";
    [[maybe_unused]] const int result = std::system(command.c_str());
  }
}

bool Keeper::has_ended() const {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(process_), &info,
               WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == process_)
    return true;
  std::ifstream file(directory_ + "/pid");
  std::string server;
  return std::getline(file, server) && is_dead(server);
}

std::string Keeper::log() const {
  std::ifstream file(directory_ + "/log");
  std::stringstream text;
  text << file.rdbuf();
  std::string result = text.str();
  if (result.size() > 1000) result.erase(0, result.size() - 1000);
  return result;
}

std::string as_user(const std::string& user) {
  if (::getuid() != 0) return "";
  return "setpriv --reuid=" + user + " --regid=" + user + " --init-groups ";
}

}  // namespace txscope::db
