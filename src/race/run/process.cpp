#include "race/run/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "db/keeper.h"
#include "race/run/guardian.h"

extern char** environ;

namespace txscope::race {
namespace {

constexpr std::size_t kMostPrinted = std::size_t{1} << 20;

// They would lead a client past the address that it is given; and lib/pq ends
// when it sees the first one at all.
constexpr auto kLeadElsewhere =
    std::to_array<std::string_view>({"PGHOSTADDR", "PGSERVICE"});

std::vector<std::string> merged(const Process::Environment& additional) {
  std::vector<std::string> result;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text(*one);
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced =
        std::any_of(additional.begin(), additional.end(),
                    [&](const auto& other) { return other.first == name; });
    const bool is_left_out =
        std::find(kLeadElsewhere.begin(), kLeadElsewhere.end(), name) !=
        kLeadElsewhere.end();
    if (!is_replaced && !is_left_out) result.emplace_back(text);
  }
  for (const auto& [name, value] : additional)
    result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// A file without a name for standard error: nobody has to read it in time.
Descriptor nameless_file() {
  return Descriptor(::memfd_create("txscope-stderr", MFD_CLOEXEC));
}

/// "socket:[INODE]" of all TCP sockets of this machine that listen.
std::set<std::string> listening_sockets() {
  constexpr std::string_view kListen = "0A";
  std::set<std::string> result;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);  // the names of the columns
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::vector<std::string> columns;
      for (std::string word; words >> word;) columns.push_back(word);
      if (columns.size() > 9 && columns[3] == kListen)
        result.insert("socket:[" + columns[9] + "]");
    }
  }
  return result;
}

}  // namespace

Result<Process> Process::start(const std::vector<std::string>& command,
                               const std::string& directory,
                               const Environment& environment) {
  Process process;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return db::failure("cannot make a pipe");
  process.output_ = Descriptor(ends[0]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Descriptor writing(ends[1]);
  process.complaints_ = nameless_file();

  std::vector<std::string> words = command;
  std::vector<std::string> variables = merged(environment);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, writing.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, process.complaints_.get(), 2);
  if (!directory.empty())
    ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A group of its own: what it starts ends with it, and Ctrl-C is ours.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int error =
      ::posix_spawnp(&process.process_, words[0].c_str(), &actions, &attributes,
                     pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    process.process_ = -1;
    return db::failure("cannot run '" + command[0] +
                       "': " + std::strerror(error));
  }
  guard_group(process.process_);
  process.end_ = Descriptor(
      static_cast<int>(::syscall(SYS_pidfd_open, process.process_, 0)));
  return process;
}

Process::Process(Process&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      end_(std::move(other.end_)),
      output_(std::move(other.output_)),
      complaints_(std::move(other.complaints_)),
      printed_(std::move(other.printed_)),
      complained_(std::move(other.complained_)),
      status_(other.status_) {}

Process::~Process() {
  if (process_ < 0) return;
  ::kill(-process_, SIGKILL);
  if (!status_) {
    int status = 0;
    ::waitpid(process_, &status, 0);
    // Its children may still hold a port.
    for (int i = 0; i < 500 && ::kill(-process_, 0) == 0; ++i) ::usleep(2'000);
  }
  release_group(process_);
}

void Process::read_output() {
  std::array<char, 4096> buffer;
  while (output_.is_open()) {
    const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
    if (count < 0) return;
    if (count == 0) {
      output_.close();
      return;
    }
    if (printed_.size() < kMostPrinted)
      printed_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void Process::advance() {
  read_output();
  if (status_) return;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  read_output();
  output_.close();
  end_.close();
}

void Process::ask_to_end(int milliseconds) {
  if (status_) return;
  ::kill(-process_, SIGTERM);
  for (int i = 0; i < milliseconds / 5 && !status_; ++i) {
    ::usleep(5'000);
    advance();
  }
}

std::string Process::complaint() {
  std::string text(4096, '\0');
  const off_t size = ::lseek(complaints_.get(), 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - 4096);
  const ssize_t count =
      ::pread(complaints_.get(), text.data(), text.size(), from);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

Activity Process::activity() const { return activity_of(group()); }

std::vector<pid_t> Process::group() const {
  namespace fs = std::filesystem;
  std::vector<pid_t> result;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto number = static_cast<pid_t>(std::atoi(name.c_str()));
    if (number == process_ || ::getpgid(number) == process_)
      result.push_back(number);
  }
  return result;
}

bool Process::is_listening() const {
  const std::set<std::string> sockets = listening_sockets();
  namespace fs = std::filesystem;
  for (const pid_t member : group()) {
    std::error_code error;
    const std::string files = "/proc/" + std::to_string(member) + "/fd";
    for (const auto& entry : fs::directory_iterator(files, error)) {
      std::error_code gone;
      const std::string target = fs::read_symlink(entry.path(), gone).string();
      if (sockets.count(target) == 1) return true;
    }
  }
  return false;
}

}  // namespace txscope::race
