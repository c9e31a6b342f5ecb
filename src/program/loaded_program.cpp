#include "program/loaded_program.h"

#include "frontend/cuda/compile.h"
#include "support/diagnostic.h"

#include <algorithm>

namespace heddle::program {

LoadedProgram load(const Source &source, Device &device) {
  auto [major, minor] = device.computeCapability();
  LoadedProgram loaded;
  loaded.source = cudacpp::compile(source.text, source.file, source.options, source.expressions,
                                   unsigned(major * 10 + minor));
  loaded.module = device.load(std::move(loaded.source.module), source.options.backEnd);
  loaded.source.context.reset();
  return loaded;
}

void checkBounds(const cudacpp::KernelInfo &kernel, const LaunchShape &shape) {
  if (kernel.maxThreads && shape.block.count() > kernel.maxThreads)
    throw CompileError(ErrorKind::Value, "kernel " + kernel.name + ": a block of " +
                                             std::to_string(shape.block.count()) +
                                             " threads; __launch_bounds__ promised at most " +
                                             std::to_string(kernel.maxThreads));
}

Attributes attributesOf(const Device &device, const Kernel &kernel,
                        const cudacpp::KernelInfo &info) {
  Attributes a;
  a.maxThreadsPerBlock = kernel.maxThreadsPerBlock();
  if (info.maxThreads)
    a.maxThreadsPerBlock = std::min(a.maxThreadsPerBlock, info.maxThreads);
  a.sharedBytes = kernel.staticSharedBytes();
  a.constantBytes = kernel.constantBytes();
  a.localBytes = kernel.localBytes();
  a.registers = kernel.registers();
  uint32_t most = device.limits().maxSharedBytesPerBlock;
  a.maxDynamicSharedBytes = most - std::min(most, a.sharedBytes);
  return a;
}

} // namespace heddle::program
