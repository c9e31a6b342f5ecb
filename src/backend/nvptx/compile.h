// Compiles a SIMT module to PTX. Needs no GPU and no toolkit.
#pragma once

#include "simt/compile_options.h"
#include "simt/thread_order.h"

#include "llvm/IR/Module.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle::nvptx {

/// The target of a compilation to PTX.
struct Target {
  unsigned sm = 75;         ///< 10 * major + minor of the compute capability; at least 75
  unsigned ptxVersion = 63; ///< 10 * major + minor of the PTX ISA
  /// The code uses instructions that only this architecture has: the target is sm_90a, say.
  bool isExact = false;
};

/// The target for a GPU of this compute capability with this driver (CUDA's encoding: 13000 for 13.0): the GPU's
/// architecture if LLVM and the driver support it, else the newest compatible one. Throws CompileError (Lowering) for a
/// GPU older than sm_75 or a driver older than CUDA 10.0.
Target targetFor(std::pair<int, int> capability, int driverVersion);

/// The target for a capability without a driver: uses the oldest PTX ISA that supports it.
Target targetFor(std::pair<int, int> capability);

/// The newest PTX ISA that this back end writes; it needs the newest driver.
unsigned newestPtxVersion();

/// The supported compute capabilities, each 10 * major + minor, in ascending order.
std::vector<unsigned> supportedCapabilities();

/// A kernel in the PTX.
struct KernelCode {
  std::string name;
  /// The number of threads that one thread of the coarsened form replaces (see coarsen_threads.h); 1 if there is no
  /// coarsened form.
  unsigned coarsening = 1;
  /// Name of the coarsened form. It has one more i32 parameter, the grid's x extent from the launch.
  std::string coarsened;
  /// The size of each parameter, which takes one or more slots of 8 bytes; 1 for those of one slot. Empty if all take one.
  std::vector<uint32_t> parameterBytes;
  bool cooperative = false; ///< has a grid barrier: needs a cooperative launch
  bool recursive = false;   ///< can reach a recursive function: stack use is unknown
  /// Order of the block's axes (simt::launchExtents).
  simt::ThreadOrder order = simt::ThreadOrder::AlongX;
};

struct Ptx {
  std::string text;
  std::vector<KernelCode> kernels;
  /// Optimization remarks for the user, one sentence with a source line each.
  std::vector<std::string> remarks;
  /// The PTX contains compare-and-swap loops and must be assembled at -O1. At -O2 and -O3, ptxas 13.0 assumes that
  /// lanes reconverge after these loops, and keeps values in registers that the lanes share, but does not enforce
  /// reconvergence. A kernel then accessed a wrong address. Forcing reconvergence would make other kernels hang, at -O1
  /// and above.
  bool hasAtomicLoops = false;
  bool reportsErrors =
      false; ///< contains the variables of error_record.h, which the loader must initialize
};

/// Lowers every operation of `module` (see README.md for the passes), optimizes it and writes PTX. Kernels keep their
/// names and parameters. Device functions with the attribute "simt.export" are visible by name. Throws CompileError
/// (Unsupported, Lowering) for code that this back end cannot run.
Ptx compileToPtx(llvm::Module &module, const CompileOptions &options, const Target &target);

/// Lowers and optimizes `module`, and returns the input of code generation as LLVM IR text.
std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options,
                            const Target &target);

} // namespace heddle::nvptx
