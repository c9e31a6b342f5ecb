// Compiled kernels on disk, shared by every process of the user.
//
// One file per entry, named by its key. A file is written under another name and renamed, so a reader sees all of it or
// none, whatever happens to the writer. It starts with a header that carries the payload's length and hash: a file that
// does not match is removed and counts as a miss. Reading an entry marks it as used; now and then, after a write, the
// entries used longest ago are removed until the total is below the limit ($HEDDLE_CACHE_MAXSIZE bytes, or with a
// suffix K, M, G; default 1 GiB). Nothing here throws: a cache that does not work is a cache that is always empty.
//
// Entries are machine code. One is used only if nobody but the user and root can have written it or exchanged it
// (os::PrivateDirectory).
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
  struct Entry {
    std::string key;
    uint64_t bytes = 0;
    int64_t lastUsed = 0; ///< seconds since 1970
  };

  /// A cache in `directory`, which is made at the first write.
  explicit DiskCache(std::string directory, uint64_t maxBytes = configuredLimit());

  /// The cache of compiled kernels, in os::cacheDirectory()/kernels. Follows the environment as it is now.
  static DiskCache kernels();
  static uint64_t configuredLimit();

  const std::string &directory() const { return directory_; }
  uint64_t maxBytes() const { return maxBytes_; }
  /// Whether an entry can be written now; tries it.
  bool writable() const;
  /// Names what other users can change on the way to the directory, so that it is not used; empty if nothing.
  std::string problem() const;

  /// `key`: letters and digits.
  std::optional<std::string> read(const std::string &key) const;
  /// Whether it was stored.
  bool write(const std::string &key, std::string_view payload) const;

  /// All entries, the last used first.
  std::vector<Entry> list() const;
  /// Removes every entry; returns how many.
  size_t clear() const;
  /// Removes the entries used longest ago until at most `bytes` remain, and temporary files that a killed process left.
  void sweep(uint64_t bytes) const;

  /// Why entries of any cache were not used although they may be there: each reason once in a process, for a warning.
  static std::vector<std::string> takeRefusals();

private:
  using IfMissing = os::PrivateDirectory::IfMissing;
  os::PrivateDirectory opened(IfMissing ifMissing) const;

  std::string directory_;
  uint64_t maxBytes_;
};

} // namespace heddle
