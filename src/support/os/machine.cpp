#include "support/os/machine.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace heddle::os {

namespace {

/// Reads the first number in a file; returns `fallback` if there is none ("max" in a control group's limit).
uint64_t readNumberFromFile(const char *path, uint64_t fallback) {
  std::ifstream file(path);
  uint64_t value;
  return file >> value ? value : fallback;
}

Memory systemMemory() {
  Memory m;
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line) && !(m.total && m.available)) {
    std::istringstream fields(line);
    std::string name;
    uint64_t kilobytes = 0;
    fields >> name >> kilobytes;
    if (name == "MemTotal:")
      m.total = kilobytes << 10;
    else if (name == "MemAvailable:")
      m.available = kilobytes << 10;
  }
  if (!m.total) {
    uint64_t page = sysconf(_SC_PAGESIZE);
    m.total = uint64_t(sysconf(_SC_PHYS_PAGES)) * page;
    m.available = m.total;
  }
  return m;
}

std::string trimSpaces(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  size_t end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

} // namespace

Memory usableMemory() {
  Memory m = systemMemory();
  // Limits of the container (control groups, version 2 then 1).
  uint64_t limit = readNumberFromFile("/sys/fs/cgroup/memory.max", 0);
  uint64_t used = readNumberFromFile("/sys/fs/cgroup/memory.current", 0);
  if (!limit) {
    limit = readNumberFromFile("/sys/fs/cgroup/memory/memory.limit_in_bytes", 0);
    used = readNumberFromFile("/sys/fs/cgroup/memory/memory.usage_in_bytes", 0);
  }
  if (limit && limit < m.total) {
    m.total = limit;
    m.available = std::min(m.available, limit > used ? limit - used : 0);
  }
  return m;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    size_t colon = line.find(':');
    if (colon != std::string::npos && trimSpaces(line.substr(0, colon)) == "model name") {
      std::string name = trimSpaces(line.substr(colon + 1));
      if (!name.empty() && name != "unknown")
        return name;
    }
  }
  return llvm::sys::getHostCPUName().str();
}

std::string machineId() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  file >> id;
  bool valid = id.size() == 32 &&
               std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isxdigit(c); });
  return valid ? id : std::string(32, '0');
}

uint64_t lastLevelCacheBytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  for (int level : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (long bytes = sysconf(level); bytes > 0)
      return bytes;
#endif
  return 0;
}

uint64_t clockKilohertz() {
  if (uint64_t khz = readNumberFromFile("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 0))
    return khz;
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.rfind("cpu MHz", 0) == 0)
      if (size_t colon = line.find(':'); colon != std::string::npos)
        return uint64_t(std::strtod(line.c_str() + colon + 1, nullptr) * 1000);
  return 0;
}

#if defined(__x86_64__)
// MXCSR after reset: all exceptions masked, round to nearest (Intel SDM vol. 1, 10.2.3). Reading MXCSR is much cheaper
// than writing it.
constexpr unsigned defaultControl = 0x1F80;
DefaultFloatEnvironment::DefaultFloatEnvironment() : saved_(_mm_getcsr()) {
  if (saved_ != defaultControl)
    _mm_setcsr(defaultControl);
}
DefaultFloatEnvironment::~DefaultFloatEnvironment() {
  if (_mm_getcsr() != saved_)
    _mm_setcsr(unsigned(saved_));
}
#elif defined(__aarch64__)
DefaultFloatEnvironment::DefaultFloatEnvironment() {
  asm volatile("mrs %0, fpcr" : "=r"(saved_));
  if (saved_)
    asm volatile("msr fpcr, %0" ::"r"(uint64_t(0)));
}
DefaultFloatEnvironment::~DefaultFloatEnvironment() {
  if (saved_)
    asm volatile("msr fpcr, %0" ::"r"(saved_));
}
#else
DefaultFloatEnvironment::DefaultFloatEnvironment() : saved_(fegetround()) {
  fesetround(FE_TONEAREST);
}
DefaultFloatEnvironment::~DefaultFloatEnvironment() { fesetround(int(saved_)); }
#endif

} // namespace heddle::os
