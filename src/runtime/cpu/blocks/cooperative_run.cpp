#include "runtime/cpu/blocks/cooperative_run.h"

#include "runtime/cpu/blocks/block_runner.h"

#include <new>

namespace heddle::cpu {

namespace {

std::shared_ptr<const KernelError> outOfMemory(const KernelRun &run, size_t blocks) {
  simt::SiteInfo site{.kind = "MemoryError", .function = run.kernel.name()};
  const uint32_t nobody[3] = {};
  return std::make_shared<KernelError>(
      run.kernel.name(), site,
      "no memory for a cooperative launch of " + std::to_string(run.shape.grid.count()) +
          " blocks: there was enough for " + std::to_string(blocks),
      nobody, nobody);
}

} // namespace

void runTogether(KernelRun &run) noexcept {
  std::vector<std::unique_ptr<BlockRunner>> waiting;
  uint64_t blocks = run.shape.grid.count();
  try {
    waiting.reserve(blocks);
    for (uint64_t block = 0; block < blocks && !run.stop; ++block) {
      auto runner = std::make_unique<BlockRunner>();
      if (runner->start(run, block))
        waiting.push_back(std::move(runner));
    }
  } catch (const std::bad_alloc &) {
    run.failWith([&] { return outOfMemory(run, waiting.size()); });
  }
  while (!waiting.empty() && !run.stop)
    std::erase_if(waiting, [&](const auto &runner) { return run.stop || !runner->resume(run); });
}

} // namespace heddle::cpu
