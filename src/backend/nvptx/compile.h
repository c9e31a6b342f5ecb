// From a SIMT module to PTX. Needs no GPU and no toolkit.
#pragma once

#include "simt/compile_options.h"
#include "simt/thread_order.h"

#include "llvm/IR/Module.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle::nvptx {

/// What PTX is made for.
struct Target {
  unsigned sm = 75;         ///< 10 * major + minor of the compute capability: at least 75
  unsigned ptxVersion = 63; ///< 10 * major + minor of the PTX ISA
};

/// The target for a GPU of this compute capability under a driver of this version (CUDA's number: 13000 for 13.0):
/// the device's own architecture where this LLVM and the driver know it, else the newest that the driver can assemble
/// for it. Throws CompileError (Lowering) for a GPU older than sm_75.
Target targetFor(std::pair<int, int> capability, int driverVersion);

/// The target for a capability when there is no driver to ask: the oldest PTX ISA that has it.
Target targetFor(std::pair<int, int> capability);

/// The compute capabilities that PTX can be made for, each 10 * major + minor, in order.
std::vector<unsigned> computeCapabilities();

/// A kernel in the PTX.
struct KernelCode {
  std::string name;
  /// Threads' work in one thread of the coarsened form of the kernel (see coarsen_threads.h); 1 where there is none.
  unsigned coarsening = 1;
  /// Name of that form: the same parameters, then one i32, the grid's extent along x as the user gave it.
  std::string coarsened;
  bool cooperative = false; ///< waits for the whole grid: needs a cooperative launch
  bool recursive = false;   ///< can reach a recursion: what stack it needs is not known
  /// Which block to launch (simt::launched).
  simt::ThreadOrder order = simt::ThreadOrder::AlongX;
};

struct Ptx {
  std::string text;
  std::vector<KernelCode> kernels;
  /// What the back end decided that a user may want to know, one sentence with its source line each.
  std::vector<std::string> remarks;
  /// To be assembled at level 1. After a loop of exchanges ptxas 13.0 at level 2 and 3 takes it that the lanes go on
  /// together, shares registers among them, and does not see to it: a kernel read a wrong address. To have the lanes wait
  /// for each other there makes other kernels wait for ever, from level 1 on.
  bool hasAtomicLoops = false;
  bool reportsErrors = false; ///< has the variables of error_record.h, which the loader must fill
};

/// Lowers every operation of `module` (see README.md for the passes and their order), optimises, writes PTX. Kernels
/// keep their names and parameters. Device functions with the attribute "simt.export" are visible by name.
/// Throws CompileError (Unsupported, Lowering) for what this back end cannot run, before it changes anything.
Ptx compileToPtx(llvm::Module &module, const CompileOptions &options, const Target &target);

/// What the code generator would make PTX of, as text.
std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options,
                            const Target &target);

} // namespace heddle::nvptx
