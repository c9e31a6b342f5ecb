// A CUDA C++ program: its source, and the compiled program on a device.
#pragma once

#include "frontend/cuda/compiled_program.h"
#include "frontend/cuda/options.h"
#include "runtime/device.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::program {

/// A program's source and options.
struct ProgramSource {
  std::string text;
  std::string file; ///< file name in messages
  cudacpp::Options options;
  std::vector<std::string> expressions; ///< names of template instances to compile as kernels
};

struct LoadedProgram {
  cudacpp::CompiledProgram compiled; ///< without the module, which the device owns
  std::shared_ptr<Module> module;
};

/// Stack size for a thread that calls `compileAndLoad`: enough for Clang's recursion on deeply nested expressions.
/// Pages are committed on first touch.
constexpr size_t compilerStackBytes = size_t(128) << 20;

/// Compiles a program for a device and loads it. Throws CompileError.
LoadedProgram compileAndLoad(const ProgramSource &source, Device &device);

/// Resource usage of a kernel on its device, with CUDA's names.
struct Attributes {
  uint32_t maxThreadsPerBlock = 0;
  uint32_t sharedBytes = 0; ///< static, per block
  uint32_t constantBytes = 0;
  uint32_t localBytes = 0; ///< per thread
  uint32_t registers = 0;  ///< per thread; 0 on the CPU
  uint32_t maxDynamicSharedBytes = 0;
};
Attributes kernelAttributes(const Device &device, const Kernel &kernel);

} // namespace heddle::program
