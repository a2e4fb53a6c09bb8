#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace txscope::db {

/// Something about a server, which has no place in a file.
[[nodiscard]] Error failure(std::string what, std::string hint = "");

/// Where a server of ours keeps its files: with other temporary files, or, if
/// the machine has that, in memory, which makes copies of databases quick.
enum class DataPlace : std::uint8_t { Disk, Memory };

/// Runs a server in a fresh temporary directory of its own and removes both
/// when this object goes, or when this process ends in whatever way: a shell
/// waits for the end of a pipe that only we hold open.
class Keeper {
 public:
  /// `script` starts the server in the background, leaves its process id in
  /// $server and sees the directory as $dir; `stop_signal` ends the server. The
  /// directory belongs to `user` if we are root.
  static Result<Keeper> start(const std::string& name, const std::string& user,
                              const std::string& stop_signal,
                              const std::string& script,
                              DataPlace place = DataPlace::Disk);
  Keeper(Keeper&& other) noexcept;
  Keeper& operator=(Keeper&& other) = delete;
  ~Keeper();

  [[nodiscard]] const std::string& directory() const { return directory_; }
  /// Whether the server could not be started or has ended.
  [[nodiscard]] bool has_ended() const;
  /// The last lines that the server wrote.
  [[nodiscard]] std::string log() const;

 private:
  Keeper(std::string directory, int pipe, int process)
      : directory_(std::move(directory)), pipe_(pipe), process_(process) {}

  std::string directory_;
  int pipe_ = -1;
  int process_ = -1;
};

/// What runs a command as `user` if we are root, nothing if not.
[[nodiscard]] std::string as_user(const std::string& user);

}  // namespace txscope::db
