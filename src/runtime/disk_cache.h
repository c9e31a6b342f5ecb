// A disk cache of compiled kernels, shared by all processes of the user.
//
// One file per entry, named by its key. Files are written under a temporary name and renamed, so readers never see a
// partial file. A header holds the length of the label and the length and hash of label and payload; a file that does
// not match is removed and counts as a miss. Reading an entry marks it as used. After some writes, the least recently
// used entries are removed until the total is below the limit ($HEDDLE_CACHE_MAXSIZE bytes, or with a suffix K, M, G;
// default 1 GiB). No function throws: a cache that does not work behaves as an empty cache.
//
// Entries contain machine code. An entry is used only if no one except the user and root could have written or replaced
// it (os::PrivateDirectory).
#pragma once

#include "support/os/private_directory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

class DiskCache {
public:
  /// The origin of an entry, for listings.
  struct Label {
    std::vector<std::string> functions; ///< symbols of the kernels or of the host function
    std::string target;                 ///< "cpu", or a GPU architecture, "sm_90"
  };
  struct Entry {
    std::string key;
    uint64_t bytes = 0;
    int64_t lastUsed = 0; ///< seconds since 1970
  };

  /// A cache in `directory`, which is created at the first write.
  explicit DiskCache(std::string directory, uint64_t maxBytes = configuredMaxBytes());

  /// The cache of compiled kernels, in os::cacheDirectory()/kernels. Reads the environment at each call.
  static DiskCache forKernels();
  static uint64_t configuredMaxBytes();

  const std::string &directory() const { return directory_; }
  uint64_t maxBytes() const { return maxBytes_; }
  /// True if an entry can be written now; tries to write one.
  bool isWritable() const;
  /// Describes the part of the path that other users can change, which disables the cache; empty if there is none.
  std::string problem() const;

  /// `key` consists of letters and digits.
  std::optional<std::string> read(const std::string &key) const;
  /// Returns false if the entry was not stored.
  bool write(const std::string &key, std::string_view payload, const Label &label = {}) const;

  /// All entries, most recently used first.
  std::vector<Entry> list() const;
  /// The label of an entry, with demangled names; empty if the entry is damaged.
  Label readLabelOfEntry(const std::string &key) const;
  /// Removes all entries and returns the number removed.
  size_t clear() const;
  /// Removes the least recently used entries until at most `bytes` remain, and temporary files of killed processes.
  void shrinkTo(uint64_t bytes) const;

  /// Reasons why existing entries were not used, for warnings. Each reason is returned once per process.
  static std::vector<std::string> takeCacheWarnings();

private:
  using IfMissing = os::PrivateDirectory::IfMissing;
  os::PrivateDirectory openDirectory(IfMissing ifMissing) const;

  std::string directory_;
  uint64_t maxBytes_;
};

} // namespace heddle
