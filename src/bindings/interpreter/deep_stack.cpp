#include "bindings/interpreter/deep_stack.h"

#include "bindings/interpreter/gil.h"
#include "support/deep_stack.h"

#include <algorithm>

namespace heddle {

constexpr size_t threadBytes = size_t(16) << 20;

void withDeepStack(const std::function<void()> &work, size_t bytes) {
  if (stackHasRoom(bytes)) {
    work();
    return;
  }
  WithoutGil release;
  runOnDeepStack(std::max(threadBytes, bytes), [&] {
    WithGil gil;
    if (gil)
      work();
  });
}

} // namespace heddle
