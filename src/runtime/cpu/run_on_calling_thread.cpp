#include "runtime/cpu/run_on_calling_thread.h"

#include "runtime/cpu/blocks/block_runner.h"
#include "runtime/cpu/code/module.h"

namespace heddle::cpu {

bool runOnCallingThread(Kernel &kernel, const LaunchShape &shape, const uint64_t *arguments) {
  auto &mine = static_cast<CpuKernel &>(kernel);
  const KernelEntry &entry = mine.findOrCompileEntry(shape);
  if (entry.needsDeepStack || entry.waitsForBlocks())
    return false;
  BlockRunner *runner = BlockRunner::ofThisThreadIfIdle();
  if (!runner || !runner->stackHasRoom())
    return false;
  KernelRun run(mine, entry, shape, arguments);
  runner->run(run, 0, shape.grid.count());
  if (run.interrupted())
    throw Interrupted(/*stillRuns=*/false);
  if (std::shared_ptr<const KernelError> error = run.error())
    throw *error;
  return true;
}

} // namespace heddle::cpu
