#include "runtime/disk_cache.h"

#include "support/hash.h"
#include "support/os/files.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace fs = std::filesystem;

namespace heddle {

namespace {

constexpr const char *extension = ".entry";
constexpr char magic[8] = {'h', 'e', 'd', 'd', 'l', 'e', 'c', '1'};
constexpr size_t hashDigits = 40;
constexpr size_t headerBytes = sizeof(magic) + 8 + hashDigits;
constexpr uint64_t defaultLimit = uint64_t(1) << 30;
/// A temporary file this old belongs to no living writer.
constexpr int64_t temporarySeconds = 3600;
/// Writes between two looks at the directory's size.
constexpr unsigned writesPerSweep = 64;

std::string header(std::string_view payload) {
  std::string h(magic, sizeof(magic));
  for (int i = 0; i < 8; ++i)
    h += char(uint64_t(payload.size()) >> (8 * i));
  return h + hashOf(payload);
}

int64_t secondsSinceEpoch(fs::file_time_type t) {
  auto age = fs::file_time_type::clock::now() - t;
  auto then =
      std::chrono::system_clock::now() - std::chrono::duration_cast<std::chrono::seconds>(age);
  return std::chrono::duration_cast<std::chrono::seconds>(then.time_since_epoch()).count();
}

int64_t ageSeconds(const fs::path &path) {
  std::error_code failed;
  auto t = fs::last_write_time(path, failed);
  if (failed)
    return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - t)
      .count();
}

} // namespace

DiskCache::DiskCache(std::string directory, uint64_t maxBytes)
    : directory_(std::move(directory)), maxBytes_(maxBytes) {}

DiskCache DiskCache::kernels() {
  std::string base = os::cacheDirectory();
  return DiskCache(base.empty() ? "" : base + "/kernels");
}

uint64_t DiskCache::configuredLimit() {
  const char *text = std::getenv("HEDDLE_CACHE_MAXSIZE");
  if (!text || !*text)
    return defaultLimit;
  char *end = nullptr;
  double number = std::strtod(text, &end);
  uint64_t unit = 1;
  switch (*end) {
  case 'k':
  case 'K':
    unit = uint64_t(1) << 10;
    break;
  case 'm':
  case 'M':
    unit = uint64_t(1) << 20;
    break;
  case 'g':
  case 'G':
    unit = uint64_t(1) << 30;
    break;
  }
  if (end == text || !(number >= 0) || number * double(unit) > 9e18)
    return defaultLimit;
  return uint64_t(number * double(unit));
}

std::string DiskCache::pathOf(const std::string &key) const {
  return directory_ + "/" + key + extension;
}

bool DiskCache::writable() const {
  if (directory_.empty() || !os::makeDirectory(directory_))
    return false;
  std::string probe = directory_ + "/probe";
  if (!os::replaceFile(probe, "probe"))
    return false;
  std::error_code ignored;
  fs::remove(probe, ignored);
  return true;
}

std::optional<std::string> DiskCache::read(const std::string &key) const {
  if (directory_.empty())
    return std::nullopt;
  std::string path = pathOf(key);
  std::optional<std::string> bytes = os::readFile(path);
  if (!bytes)
    return std::nullopt;
  std::string_view payload = std::string_view(*bytes).substr(std::min(headerBytes, bytes->size()));
  if (bytes->size() < headerBytes || bytes->compare(0, headerBytes, header(payload)) != 0) {
    std::error_code ignored;
    fs::remove(path, ignored);
    return std::nullopt;
  }
  os::touchFile(path);
  bytes->erase(0, headerBytes);
  return bytes;
}

bool DiskCache::write(const std::string &key, std::string_view payload) const {
  if (directory_.empty() || payload.size() + headerBytes > maxBytes_ ||
      !os::makeDirectory(directory_))
    return false;
  std::string bytes = header(payload);
  bytes += payload;
  if (!os::replaceFile(pathOf(key), bytes))
    return false;
  // The first write of a process looks too, so that many short processes do not outgrow the limit together.
  static std::atomic<unsigned> writes{0};
  if (writes++ % writesPerSweep == 0)
    sweep(maxBytes_);
  return true;
}

std::vector<DiskCache::Entry> DiskCache::list() const {
  std::vector<Entry> entries;
  std::error_code failed;
  for (fs::directory_iterator it(directory_, failed), end; !failed && it != end;
       it.increment(failed)) {
    std::error_code gone;
    if (it->path().extension() != extension)
      continue;
    Entry e{it->path().stem().string(), it->file_size(gone), 0};
    if (gone)
      continue;
    auto used = it->last_write_time(gone);
    if (gone)
      continue;
    e.lastUsed = secondsSinceEpoch(used);
    entries.push_back(std::move(e));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::pair(b.lastUsed, std::string_view(a.key)) <
           std::pair(a.lastUsed, std::string_view(b.key));
  });
  return entries;
}

size_t DiskCache::clear() const {
  size_t removed = 0;
  for (const Entry &e : list()) {
    std::error_code failed;
    removed += fs::remove(pathOf(e.key), failed);
  }
  return removed;
}

void DiskCache::sweep(uint64_t bytes) const {
  os::FileLock lock(directory_ + "/sweep.lock");
  if (!lock.held())
    return;
  std::error_code failed;
  std::vector<fs::path> stale;
  for (fs::directory_iterator it(directory_, failed), end; !failed && it != end;
       it.increment(failed))
    if (it->path().filename().string().find(".tmp") != std::string::npos &&
        ageSeconds(it->path()) > temporarySeconds)
      stale.push_back(it->path());
  for (const fs::path &path : stale)
    fs::remove(path, failed);
  uint64_t total = 0;
  for (const Entry &e : list()) {
    total += e.bytes;
    if (total > bytes)
      fs::remove(pathOf(e.key), failed);
  }
}

} // namespace heddle
