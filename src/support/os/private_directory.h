// A directory in which only this user and root can write, for files such as compiled code that this process maps.
//
// Every directory and symbolic link on the path must belong to the user or to root, and nobody else may be able to
// write to it. Directories with the sticky bit (/tmp) are accepted, because others cannot rename or remove the user's
// entries there. Each component is opened relative to its parent without following links, and the check uses the opened
// descriptor. Nobody can therefore replace a component between check and use.
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

  /// Opens a directory. IfMissing::Create creates it and its parents with access for the user only.
  PrivateDirectory(const std::string &path, IfMissing ifMissing);
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory &) = delete;
  PrivateDirectory &operator=(const PrivateDirectory &) = delete;

  /// True if the directory exists, is private, and is open.
  explicit operator bool() const { return descriptor_ >= 0; }
  /// Describes the file or directory that other users can change; empty if none. Set by the constructor and read().
  const std::string &problem() const { return problem_; }
  bool isWritable() const;

  /// The contents of a regular file that is as private as the directory; nullopt if it cannot be read.
  std::optional<std::string> read(const std::string &name);
  /// Writes a file atomically, through a temporary file and a rename. Returns false and leaves no file on failure.
  bool replace(const std::string &name, std::string_view bytes) const;
  /// Removes a file. Returns false if it did not exist or still exists.
  bool remove(const std::string &name) const;
  /// Sets a file's modification time to now, to mark it as recently used.
  void touch(const std::string &name) const;

  /// A regular file.
  struct File {
    std::string name;
    uint64_t bytes = 0;
    int64_t written = 0; ///< time of the last write, in seconds since the epoch
  };
  std::vector<File> files() const;
  /// The regular file of this name, if it exists.
  std::optional<File> findFile(const std::string &name) const;

private:
  friend class FileLock;
  std::string path_;
  std::string problem_;
  int descriptor_ = -1;
};

/// A lock between processes, held while the object lives. The constructor never waits.
class FileLock {
public:
  FileLock(const PrivateDirectory &directory, const std::string &name);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  /// True if this process acquired the lock.
  bool isHeld() const { return descriptor_ >= 0; }

private:
  int descriptor_ = -1;
};

} // namespace heddle::os
