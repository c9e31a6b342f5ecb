#include "support/os/threads.h"

#include "support/diagnostic.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#else
#include <thread>
#endif

namespace heddle::os {

unsigned cpuCount() {
#if defined(__linux__)
  // A mask for 1024 processors fails with EINVAL on larger machines; grow it until it fits.
  for (int processors = 1024; processors <= (1 << 20); processors *= 2) {
    cpu_set_t *set = CPU_ALLOC(processors);
    size_t bytes = CPU_ALLOC_SIZE(processors);
    if (!set)
      break;
    int failed = sched_getaffinity(0, bytes, set);
    int count = failed ? 0 : CPU_COUNT_S(bytes, set);
    CPU_FREE(set);
    if (count > 0)
      return count;
    if (failed && errno != EINVAL)
      break;
  }
  return 1;
#else
  unsigned n = std::thread::hardware_concurrency();
  return n ? n : 1;
#endif
}

namespace {

StackBounds readStackBounds() {
  StackBounds bounds;
#if defined(__APPLE__)
  bounds.high = static_cast<char *>(pthread_get_stackaddr_np(pthread_self()));
  bounds.low = bounds.high - pthread_get_stacksize_np(pthread_self());
#else
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void *low = nullptr;
    size_t bytes = 0;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    bounds.low = static_cast<char *>(low);
    bounds.high = bounds.low + bytes;
  }
#endif
  if (!bounds.low) {
    char here;
    bounds.high = &here;
    bounds.low = &here - (512 << 10);
  }
  return bounds;
}

} // namespace

StackBounds currentStack() {
  thread_local StackBounds bounds = readStackBounds();
  return bounds;
}

struct Thread::State {
  pthread_t id;
  char *mapping = nullptr;
  size_t mappingBytes = 0;
  std::string name;
  std::function<void()> body;

  static void *runBody(void *state) {
    State *self = static_cast<State *>(state);
#if defined(__APPLE__)
    pthread_setname_np(self->name.c_str());
#else
    pthread_setname_np(pthread_self(), self->name.c_str());
#endif
    self->body();
    return nullptr;
  }
};

Thread::Thread(const char *name, size_t stackBytes, std::function<void()> body) {
  size_t page = sysconf(_SC_PAGESIZE);
  stackBytes = (stackBytes + page - 1) / page * page;
  auto state = std::make_unique<State>();
  state->name = std::string(name).substr(0, 15); // Linux's limit for thread names
  state->body = std::move(body);
  state->mappingBytes = stackBytes + page;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined(__linux__)
  flags |= MAP_NORESERVE | MAP_STACK;
#endif
  void *mapping = mmap(nullptr, state->mappingBytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapping == MAP_FAILED)
    throw CompileError(ErrorKind::Memory, "cannot map a worker thread's stack of " +
                                              std::to_string(stackBytes) + " bytes");
  state->mapping = static_cast<char *>(mapping);
  mprotect(mapping, page, PROT_NONE);

  // Block signals: a handler must not run on a stack that a kernel may have exhausted.
  sigset_t all, before;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, state->mapping + page, stackBytes);
  int failed = pthread_create(&state->id, &attributes, State::runBody, state.get());
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed) {
    munmap(mapping, state->mappingBytes);
    throw CompileError(ErrorKind::Memory,
                       std::string("the system gives no further thread: ") + std::strerror(failed));
  }
  state_ = state.release();
}

Thread &Thread::operator=(Thread &&other) noexcept {
  if (this != &other) {
    abandon();
    state_ = other.state_;
    other.state_ = nullptr;
  }
  return *this;
}

Thread::~Thread() { abandon(); }

bool Thread::join(unsigned milliseconds) {
  if (!state_)
    return true;
#if defined(__linux__)
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += long(milliseconds % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    ++until.tv_sec;
  }
  if (pthread_timedjoin_np(state_->id, nullptr, &until) != 0)
    return false;
#else
  if (pthread_join(state_->id, nullptr) != 0)
    return false;
#endif
  munmap(state_->mapping, state_->mappingBytes);
  delete state_;
  state_ = nullptr;
  return true;
}

void atFork(void (*prepare)(), void (*parent)(), void (*child)()) {
  pthread_atfork(prepare, parent, child);
}

void atExitWithStatus([[maybe_unused]] void (*handler)(int status)) {
#if defined(__GLIBC__)
  ::on_exit([](int status, void *called) { reinterpret_cast<void (*)(int)>(called)(status); },
            reinterpret_cast<void *>(handler));
#endif
}

void endProcess(int status) {
  std::fflush(nullptr);
  ::_exit(status);
}

} // namespace heddle::os
