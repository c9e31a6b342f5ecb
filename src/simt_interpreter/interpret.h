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

/// A kernel's parameter: the value of its slot, or the address of a buffer's byte `value`.
struct Argument {
  uint64_t value = 0;
  std::optional<size_t> buffer = {};
};

struct Launch {
  std::string kernel; ///< may be empty where the module has one kernel
  Extents grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  std::vector<Argument> arguments;
  uint64_t seed = 0; ///< of the interleaving, and of everything that is undefined
  uint64_t maxSteps = 100'000'000;
};

struct Error {
  Failure failure;
  std::optional<simt::SiteInfo> site = {};
  std::optional<Extents> block = {}, thread = {}; ///< none where no thread is to blame
  std::string file = {};                          ///< of the instruction, as far as it is known
  unsigned line = 0, column = 0;
};

struct Outcome {
  std::optional<Error> error = {}; ///< the first one; the launch ends there
  std::string output = {};         ///< of simt.print
  uint64_t steps = 0;              ///< instructions
  uint64_t undefinedReads = 0;     ///< warpResult's
};

/// Runs the launch on `buffers`. `variables` are contents of module variables by name: those given are set before, and all
/// are there after. The module must be SIMT IR (simt::verify). Never throws for what a kernel does.
Outcome interpret(const llvm::Module &module, const Launch &launch, std::vector<Buffer> &buffers,
                  std::map<std::string, Buffer> &variables);

} // namespace heddle::interpreter
