// A program in CUDA C++: its source, and the program compiled and loaded on a device.
#pragma once

#include "frontend/cuda/compiled_program.h"
#include "frontend/cuda/options.h"
#include "runtime/device.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::program {

/// A program as its author gives it.
struct ProgramSource {
  std::string text;
  std::string file; ///< what messages call it
  cudacpp::Options options;
  std::vector<std::string>
      expressions; ///< names of templates' instances that are to be kernels, too
};

struct LoadedProgram {
  cudacpp::CompiledProgram compiled; ///< without its module, which the device has
  std::shared_ptr<Module> module;
};

/// Stack for `load`: Clang's walks over an expression of the greatest length. A page is taken when it is first used.
constexpr size_t compilerStackBytes = size_t(128) << 20;

/// Compiles a program for a device and loads it. Throws CompileError.
LoadedProgram load(const ProgramSource &source, Device &device);

/// What a kernel needs on its device, by CUDA's names.
struct Attributes {
  uint32_t maxThreadsPerBlock = 0;
  uint32_t sharedBytes = 0; ///< of a block, static
  uint32_t constantBytes = 0;
  uint32_t localBytes = 0; ///< of a thread
  uint32_t registers = 0;  ///< of a thread; 0 on the CPU
  uint32_t maxDynamicSharedBytes = 0;
};
Attributes attributesOf(const Device &device, const Kernel &kernel);

} // namespace heddle::program
