#include "bindings/interpreter/deep_stack.h"

#include "bindings/interpreter/gil.h"
#include "support/deep_stack.h"

namespace heddle {

// The deepest tree takes a megabyte, twice that in a build with sanitizers.
constexpr size_t bytesOfDeepestTree = size_t(3) << 20;

void withDeepStack(const std::function<void()> &work) {
  WithoutGil release; // the thread that does the work, maybe another one, takes it
  withStack(bytesOfDeepestTree, [&] {
    WithGil gil;
    if (gil)
      work();
  });
}

} // namespace heddle
