#include "bindings/interpreter/deep_stack.h"

#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/serialized_scope.h"
#include "support/deep_stack.h"

namespace heddle {

// The deepest tree takes 1 MiB, twice that with sanitizers.
constexpr size_t bytesOfDeepestTree = size_t(3) << 20;

void runWithDeepStack(const std::function<void()> &work) {
  WithoutGil release; // the thread that runs the work, which may be another one, acquires the GIL
  runWithStack(bytesOfDeepestTree, [&] {
    WithGil gil;
    if (!gil)
      return;
    SerializedScope scope;
    work();
  });
}

} // namespace heddle
