#include "bindings/deep_stack.h"

#include "bindings/gil.h"
#include "support/os/threads.h"

#include <climits>
#include <exception>

namespace heddle {

namespace {

/// A tree of the greatest depth takes a megabyte; twice that in a build with sanitizers.
constexpr ptrdiff_t neededBytes = ptrdiff_t(3) << 20;
constexpr size_t threadBytes = size_t(16) << 20;

ptrdiff_t room() {
  char here;
  return &here - os::currentStack().low;
}

} // namespace

void withDeepStack(const std::function<void()> &work) {
  if (room() >= neededBytes) {
    work();
    return;
  }
  std::exception_ptr thrown;
  {
    WithoutGil release;
    os::Thread thread("heddle compile", threadBytes, [&] {
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
