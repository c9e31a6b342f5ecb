// Interprets one launch of a kernel in SIMT IR.
#pragma once

#include "simt/ir/sites.h"
#include "simt_interpreter/failure.h"

#include "llvm/IR/Module.h"

#include <array>
#include <map>
#include <vector>

namespace heddle::interpreter {

using Extents = std::array<uint32_t, 3>;
using Buffer = std::vector<uint8_t>; ///< global memory

/// A kernel argument: the value of its slot, or the address of byte `value` in a buffer.
struct Argument {
  uint64_t value = 0;
  std::optional<size_t> buffer = {};
};

struct Launch {
  std::string kernel; ///< may be empty if the module has exactly one kernel
  Extents grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  std::vector<Argument> arguments;
  uint64_t seed = 0; ///< for the interleaving, and for undefined values
  uint64_t maxSteps = 100'000'000;
};

struct Error {
  Failure failure;
  std::optional<simt::SiteInfo> site = {};
  std::optional<Extents> block = {}, thread = {}; ///< nullopt if no single thread is responsible
  std::string file = {};                          ///< of the instruction, if known
  unsigned line = 0, column = 0;
};

struct Outcome {
  std::optional<Error> error = {}; ///< the first error, which ends the launch
  std::string output = {};         ///< text of simt.print
  uint64_t steps = 0;              ///< executed instructions
  uint64_t undefinedReads = 0;     ///< see computeWarpResult
};

/// Runs the launch on `buffers`. `variables` maps names of module variables to their contents before the launch;
/// afterwards it holds the final contents of all. The module must be SIMT IR (simt::verify). Errors in the kernel are
/// returned in the outcome.
Outcome interpret(const llvm::Module &module, const Launch &launch, std::vector<Buffer> &buffers,
                  std::map<std::string, Buffer> &variables);

} // namespace heddle::interpreter
