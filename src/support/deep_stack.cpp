#include "support/deep_stack.h"

#include "support/os/threads.h"

#include <algorithm>
#include <climits>
#include <exception>

namespace heddle {

namespace {

constexpr size_t minThreadBytes = size_t(16) << 20; // pages take memory only when touched

bool stackHasRoom(size_t bytes) {
  char here;
  return &here - os::currentStack().low >= ptrdiff_t(bytes);
}

} // namespace

void runWithStack(size_t bytes, const std::function<void()> &work) {
  if (stackHasRoom(bytes))
    return work();
  std::exception_ptr thrown;
  os::Thread thread("heddle compile", std::max(minThreadBytes, bytes), [&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  while (!thread.join(UINT_MAX)) {
  }
  if (thrown)
    std::rethrow_exception(thrown);
}

} // namespace heddle
