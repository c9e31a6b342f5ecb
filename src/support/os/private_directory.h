// A directory of files that only this user can have written, such as compiled code that this process maps.
//
// Everything on the way from / to the directory, symbolic links included, must belong to the user or to root, and nobody
// else may write to it. A directory with the sticky bit (/tmp) may stand on the way: others cannot rename or remove the
// user's entries there. Each step is opened relative to the one before without following links, and the opened
// descriptor is what is checked, so that nobody can exchange a name between the check and the use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::os {

class PrivateDirectory {
public:
  enum class IfMissing { Fail, Create };

  /// Opens a directory. IfMissing::Create makes it and its parents, accessible by the user alone.
  PrivateDirectory(const std::string &path, IfMissing ifMissing);
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory &) = delete;
  PrivateDirectory &operator=(const PrivateDirectory &) = delete;

  /// Whether it is there, is private, and is open.
  explicit operator bool() const { return descriptor_ >= 0; }
  /// Names the file or directory that other users can change, and how; empty if there is none. Opening sets it, and read().
  const std::string &problem() const { return problem_; }
  bool writable() const;

  /// All of a regular file that is as private as the directory; nothing when it cannot be read.
  std::optional<std::string> read(const std::string &name);
  /// Writes a file that other processes see whole or not at all: a temporary file, then a rename. Returns whether it
  /// worked; a failure leaves nothing.
  bool replace(const std::string &name, std::string_view bytes) const;
  /// Whether the file was there and no longer is.
  bool remove(const std::string &name) const;
  /// Marks a file as just used (its modification time).
  void touch(const std::string &name) const;

  /// A regular file.
  struct File {
    std::string name;
    uint64_t bytes = 0;
    int64_t written = 0; ///< last; seconds since the epoch
  };
  std::vector<File> files() const;

private:
  friend class FileLock;
  std::string path_;
  std::string problem_;
  int descriptor_ = -1;
};

/// A lock between processes, held while the object lives. Never waits.
class FileLock {
public:
  FileLock(const PrivateDirectory &directory, const std::string &name);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  /// Whether this process got it.
  bool held() const { return descriptor_ >= 0; }

private:
  int descriptor_ = -1;
};

} // namespace heddle::os
