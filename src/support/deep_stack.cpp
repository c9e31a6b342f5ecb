#include "support/deep_stack.h"

#include "support/os/threads.h"

#include <climits>
#include <exception>

namespace heddle {

bool stackHasRoom(size_t bytes) {
  char here;
  return &here - os::currentStack().low >= ptrdiff_t(bytes);
}

void runOnDeepStack(size_t bytes, const std::function<void()> &work) {
  std::exception_ptr thrown;
  os::Thread thread("heddle compile", bytes, [&] {
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
