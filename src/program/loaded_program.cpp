#include "program/loaded_program.h"

#include "frontend/cuda/compile.h"
#include "support/compile_progress.h"

#include <algorithm>

namespace heddle::program {

LoadedProgram compileAndLoad(const ProgramSource &source, Device &device) {
  CompileProgress progress([&] { return source.file + " for " + std::string(device.name()); });
  LoadedProgram loaded;
  cudacpp::Options options = source.options;
  options.backEnd.bounds = options.backEnd.bounds && device.usesHostMemory();
  loaded.compiled = cudacpp::compile(source.text, source.file, options, source.expressions,
                                     device.architecture());
  loaded.module = device.load(std::move(loaded.compiled.code), source.options.backEnd);
  return loaded;
}

Attributes kernelAttributes(const Device &device, const Kernel &kernel) {
  Attributes a;
  a.maxThreadsPerBlock = kernel.maxThreadsPerBlock();
  a.sharedBytes = kernel.staticSharedBytes();
  a.constantBytes = kernel.constantBytes();
  a.localBytes = kernel.localBytes();
  a.registers = kernel.registers();
  uint32_t most = device.limits().maxSharedBytesPerBlock;
  a.maxDynamicSharedBytes = most - std::min(most, a.sharedBytes);
  return a;
}

} // namespace heddle::program
