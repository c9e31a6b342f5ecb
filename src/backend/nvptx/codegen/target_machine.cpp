#include "backend/nvptx/codegen/target_machine.h"

#include "backend/nvptx/operations/device_code.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"

#include <algorithm>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace heddle::nvptx {

using namespace llvm;

namespace {

struct Architecture {
  unsigned sm;
  unsigned ptxVersion; ///< the first version that supports it
};

// PTX ISA 9.0, "PTX Release History". In ascending order. PTX 7.0 supports sm_80 without mbarrier.test_wait.parity.
constexpr Architecture architectures[] = {
    {75, 63},  {80, 71},  {86, 71},  {87, 74},  {88, 90},  {89, 78},  {90, 78},
    {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88},
};

struct Release {
  int driverVersion;
  unsigned ptxVersion;
};

// PTX ISA 9.0, "PTX Release History": the newest ISA of each CUDA release, newest first. Drivers are backward
// compatible; LLVM 22 writes no newer ISA than the first row's.
constexpr Release releases[] = {
    {13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84},
    {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}, {11070, 77},
    {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71},
    {11000, 70}, {10020, 65}, {10010, 64}, {10000, 63},
};

std::string formatVersion(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// The newest architecture that runs on compute capability `capability` and that `ptxVersion` supports.
const Architecture &newestArchitectureFor(unsigned capability, unsigned ptxVersion) {
  if (capability < architectures[0].sm)
    throw CompileError(ErrorKind::Lowering, "this GPU has compute capability " +
                                                formatVersion(int(capability)) +
                                                "; the oldest that heddle compiles for is " +
                                                formatVersion(int(architectures[0].sm)));
  const Architecture *best = &architectures[0];
  for (const Architecture &a : architectures)
    if (a.sm <= capability && a.ptxVersion <= ptxVersion)
      best = &a;
  return *best;
}

unsigned encodeCapability(std::pair<int, int> capability) {
  return unsigned(capability.first * 10 + capability.second);
}

const llvm::Target &nvptxTarget() {
  static const llvm::Target *found = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    const llvm::Target *t = TargetRegistry::lookupTarget(Triple("nvptx64-nvidia-cuda"), error);
    if (!t)
      throw CompileError(ErrorKind::Internal, "no code generator for NVIDIA GPUs: " + error);
    return t;
  }();
  return *found;
}

/// Checks the combination, because LLVM exits if it is invalid.
void checkArchitectureAndPtxVersion(const Target &target) {
  const auto *a = find_if(architectures, [&](const Architecture &x) { return x.sm == target.sm; });
  if (a == std::end(architectures))
    throw CompileError(ErrorKind::Value,
                       "heddle does not compile for sm_" + std::to_string(target.sm));
  if (target.ptxVersion < a->ptxVersion)
    throw CompileError(ErrorKind::Value, "PTX ISA " + formatVersion(int(target.ptxVersion)) +
                                             " does not support sm_" + std::to_string(target.sm) +
                                             "; the first version that does is " +
                                             formatVersion(int(a->ptxVersion)));
  if (none_of(releases, [&](const Release &r) { return r.ptxVersion == target.ptxVersion; }))
    throw CompileError(ErrorKind::Value,
                       "heddle does not write PTX ISA " + formatVersion(int(target.ptxVersion)));
}

} // namespace

std::vector<unsigned> supportedCapabilities() {
  std::vector<unsigned> found;
  for (const Architecture &a : architectures)
    found.push_back(a.sm);
  return found;
}

Target targetFor(std::pair<int, int> capability, int driverVersion) {
  const auto *release =
      find_if(releases, [&](const Release &r) { return r.driverVersion <= driverVersion; });
  if (release == std::end(releases))
    throw CompileError(ErrorKind::Lowering,
                       "the NVIDIA driver is for CUDA " + std::to_string(driverVersion / 1000) +
                           "." + std::to_string(driverVersion % 1000 / 10) +
                           "; compiling for a GPU needs one for CUDA 10.0 or later");
  return {newestArchitectureFor(encodeCapability(capability), release->ptxVersion).sm,
          release->ptxVersion};
}

Target targetFor(std::pair<int, int> capability) {
  const Architecture &a =
      newestArchitectureFor(encodeCapability(capability), releases[0].ptxVersion);
  return {a.sm, a.ptxVersion};
}

unsigned newestPtxVersion() { return releases[0].ptxVersion; }

Target specializeTarget(Target target, const llvm::Module &module) {
  constexpr unsigned hopper = 90, ptxVersionOfWideAtomics = 84; // PTX ISA 9.0, atom
  if (usesWideAtomics(module))
    target.ptxVersion = std::max(target.ptxVersion, ptxVersionOfWideAtomics);
  if (target.sm >= hopper)
    target.ptxVersion = std::max(target.ptxVersion, findPtxVersionOfHopperInstructions(module));
  target.isExact |= target.sm == hopper && usesInstructionsOfExactHopper(module);
  return target;
}

std::unique_ptr<TargetMachine> makeTargetMachine(const Target &target, bool optimize) {
  checkArchitectureAndPtxVersion(target);
  TargetOptions options;
  // Fuse only where fast-math flags allow it. libdevice contains explicit FMAs; with further fusion its gamma function
  // errs by 8 ulp instead of 2.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  // Emit no code after calls that do not return.
  options.NoTrapAfterNoreturn = true;
  // Aggressive adds another GVN, which takes 4 % of the compile time of published kernels and changes little code.
  CodeGenOptLevel level = optimize ? CodeGenOptLevel::Default : CodeGenOptLevel::None;
  std::unique_ptr<TargetMachine> machine(nvptxTarget().createTargetMachine(
      Triple("nvptx64-nvidia-cuda"),
      "sm_" + std::to_string(target.sm) + (target.isExact ? "a" : ""),
      "+ptx" + std::to_string(target.ptxVersion), options, Reloc::PIC_, std::nullopt, level));
  if (!machine)
    throw CompileError(ErrorKind::Internal,
                       "LLVM has no target machine for sm_" + std::to_string(target.sm));
  return machine;
}

} // namespace heddle::nvptx
