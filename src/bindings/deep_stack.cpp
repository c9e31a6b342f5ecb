#include "bindings/deep_stack.h"

#include "bindings/gil.h"
#include "support/os/threads.h"

#include <algorithm>
#include <climits>
#include <exception>

namespace heddle {

namespace {

constexpr size_t threadBytes = size_t(16) << 20;

ptrdiff_t room() {
  char here;
  return &here - os::currentStack().low;
}

} // namespace

void withDeepStack(const std::function<void()> &work, size_t bytes) {
  if (room() >= ptrdiff_t(bytes)) {
    work();
    return;
  }
  std::exception_ptr thrown;
  {
    WithoutGil release;
    os::Thread thread("heddle compile", std::max(threadBytes, bytes), [&] {
      WithGil gil;
      try {
        if (gil)
          work();
      } catch (...) {
        thrown = std::current_exception();
      }
    });
    while (!thread.join(UINT_MAX)) {
    }
  }
  if (thrown)
    std::rethrow_exception(thrown);
}

} // namespace heddle
