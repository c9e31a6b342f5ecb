// Files that several processes share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::os {

/// Where this user's caches go: $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle. Not created.
/// Empty when the environment names no place at all.
std::string cacheDirectory();

/// Makes a directory and its parents, readable by the user alone; whether it is there and writable now.
bool makeDirectory(const std::string &path);

/// Writes a file that other processes see whole or not at all: a temporary file in the same directory, then a rename.
/// Whether it worked; a failure leaves nothing behind.
bool replaceFile(const std::string &path, std::string_view bytes);

/// All of a regular file; nothing when it cannot be read.
std::optional<std::string> readFile(const std::string &path);

/// Whether the file was there and no longer is.
bool removeFile(const std::string &path);

/// A regular file in a directory.
struct FileInDirectory {
  std::string name;
  uint64_t bytes = 0;
  int64_t written = 0; ///< last; seconds since the epoch
};
/// Those of a directory; none when it cannot be read. (Where memory runs out, std::filesystem ends the process.)
std::vector<FileInDirectory> filesIn(const std::string &directory);

/// Where the program or shared library is that holds this code; empty when that is not known.
std::string codeDirectory();

/// Changes when the program or shared library that holds this code changes: its size and modification time.
std::string codeStamp();

/// Marks a file as just used (its modification time).
void touchFile(const std::string &path);

/// A lock between processes, held while the object lives: `held` says whether this process got it. Never waits.
class FileLock {
public:
  explicit FileLock(const std::string &path);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  bool held() const { return descriptor_ >= 0; }

private:
  int descriptor_ = -1;
};

} // namespace heddle::os
