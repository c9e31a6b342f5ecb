// Functions of newer C libraries, for wheels that also run with older ones (cmake/OlderGlibc.cmake). They replace
// glibc's for LLVM, the C++ runtime and Heddle.

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef DLFO_EH_SEGMENT_TYPE
namespace {

/// A part of the program, as _dl_find_object describes it.
struct FoundObject {
  const char *address = nullptr;
  dl_find_object object = {};
};

bool containsAddress(const dl_find_object &object, const void *address) {
  return object.dlfo_map_start <= address && address < object.dlfo_map_end;
}

int findSegmentsOfObject(dl_phdr_info *info, size_t, void *found) {
  auto *wanted = static_cast<FoundObject *>(found);
  dl_find_object object = {};
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    char *begin = reinterpret_cast<char *>(info->dlpi_addr + segment.p_vaddr);
    if (segment.p_type == PT_LOAD) {
      if (!object.dlfo_map_start)
        object.dlfo_map_start = begin;
      object.dlfo_map_end = begin + segment.p_memsz;
    } else if (segment.p_type == DLFO_EH_SEGMENT_TYPE) {
      object.dlfo_eh_frame = begin;
    }
  }
  if (!containsAddress(object, wanted->address))
    return 0;
  wanted->object = object;
  return 1;
}

bool findLoadedObject(const void *address, dl_find_object &result) {
  FoundObject found = {static_cast<const char *>(address)};
  if (!dl_iterate_phdr(findSegmentsOfObject, &found) || !found.object.dlfo_eh_frame)
    return false;
  result = found.object;
  return true;
}

/// This module. Exceptions nearly always cross only its frames, which are found without the dynamic linker's lock.
const dl_find_object thisModule = [] {
  dl_find_object object = {};
  findLoadedObject(reinterpret_cast<const void *>(&findSegmentsOfObject), object);
  return object;
}();

} // namespace

// glibc 2.35. The unwinder calls it for each frame of an exception.
extern "C" int _dl_find_object(void *address, dl_find_object *result) noexcept {
  if (containsAddress(thisModule, address)) {
    *result = thisModule;
    return 0;
  }
  return findLoadedObject(address, *result) ? 0 : -1;
}
#endif

namespace {

using WaitUntil = int(pthread_cond_t *, pthread_mutex_t *, clockid_t, const timespec *);
WaitUntil *const waitOfLibrary =
    reinterpret_cast<WaitUntil *>(dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"));

int64_t readNanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

/// Waits on the real-time clock, which can be set while it waits. Returns 0 before the time: a spurious wakeup.
int waitOnRealTime(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                   const timespec *until) {
  int64_t end = int64_t(until->tv_sec) * 1000000000 + until->tv_nsec;
  int64_t realEnd = readNanoseconds(CLOCK_REALTIME) + (end - readNanoseconds(clock));
  timespec real = {time_t(realEnd / 1000000000), long(realEnd % 1000000000)};
  int failed = pthread_cond_timedwait(condition, mutex, &real);
  return failed == ETIMEDOUT && readNanoseconds(clock) < end ? 0 : failed;
}

} // namespace

extern "C" {

// glibc 2.30
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const timespec *until) {
  return (waitOfLibrary ? waitOfLibrary : waitOnRealTime)(condition, mutex, clock, until);
}

// glibc 2.32. Zero: the C++ runtime counts references with atomics.
char __libc_single_threaded = 0;

// glibc 2.30
pid_t gettid() noexcept { return pid_t(syscall(SYS_gettid)); }

// glibc 2.36
uint32_t arc4random() noexcept {
  uint32_t bits;
  if (getentropy(&bits, sizeof bits))
    abort();
  return bits;
}

#if __GLIBC_PREREQ(2, 33)
// glibc 2.33. The older function counts with ints.
struct mallinfo2 mallinfo2() noexcept {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo old = mallinfo();
#pragma GCC diagnostic pop
  auto widen = [](int count) { return size_t(unsigned(count)); };
  return {widen(old.arena),    widen(old.ordblks), widen(old.smblks),  widen(old.hblks),
          widen(old.hblkhd),   widen(old.usmblks), widen(old.fsmblks), widen(old.uordblks),
          widen(old.fordblks), widen(old.keepcost)};
}
#endif

// glibc 2.33: before, they were inline functions in programs. Linux fills the structure as programs see it.
int fstatat(int folder, const char *path, struct stat *to, int flags) noexcept {
  return int(syscall(SYS_newfstatat, folder, path, to, flags));
}
int stat(const char *path, struct stat *to) noexcept { return fstatat(AT_FDCWD, path, to, 0); }
int lstat(const char *path, struct stat *to) noexcept {
  return fstatat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat *to) noexcept { return int(syscall(SYS_fstat, file, to)); }
int stat64(const char *path, struct stat64 *to) noexcept {
  return stat(path, reinterpret_cast<struct stat *>(to));
}
int lstat64(const char *path, struct stat64 *to) noexcept {
  return lstat(path, reinterpret_cast<struct stat *>(to));
}
int fstat64(int file, struct stat64 *to) noexcept {
  return fstat(file, reinterpret_cast<struct stat *>(to));
}
int mknod(const char *path, mode_t mode, dev_t device) noexcept {
  return int(syscall(SYS_mknodat, AT_FDCWD, path, mode, unsigned(device)));
}
}
