// The host processor as LLVM describes it, or an older one named by $HEDDLE_CPU.

#include "codegen/host_target.h"

#include "support/diagnostic.h"
#include "support/os/processor_features.h"

#include "llvm/ADT/bit.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cpu {

using namespace llvm;

namespace {

/// LLVM's names of features, with a sign: "+avx2", "-avx512f".
using Features = std::vector<std::string>;

/// Host properties, determined once per process.
struct Host {
  Triple triple;
  std::string processor;
  std::string features;
  const Target *target = nullptr;
  unsigned vectorRegisterBits = 0; ///< of a vector register; 0 if threads are not grouped
  unsigned scalableBits = 0;       ///< of a scalable vector register (SVE)
};

bool hasAllFeatures(const Features &features, ArrayRef<StringRef> wanted) {
  return all_of(wanted, [&](StringRef feature) { return is_contained(features, feature); });
}

/// The features of a processor that LLVM knows by name, such as "+avx2"; empty if it is unknown.
Features defaultFeaturesOfProcessor(StringRef processor, const Triple &triple) {
  if (triple.isAArch64()) {
    std::vector<StringRef> names;
    if (std::optional<AArch64::CpuInfo> known = AArch64::parseCpu(processor))
      AArch64::getExtensionFeatures(known->getImpliedExtensions(), names);
    return Features(names.begin(), names.end());
  }
  SmallVector<StringRef> names;
  if (triple.getArch() == Triple::x86_64 &&
      X86::parseArchX86(processor, /*Only64Bit=*/true) != X86::CK_None)
    X86::getFeaturesForCPU(processor, names, /*NeedPlus=*/true);
  return Features(names.begin(), names.end());
}

/// The features of the processor named by $HEDDLE_CPU, which the machine must have.
Features checkedFeaturesOfProcessor(StringRef processor, const Triple &triple,
                                    const Features &machine) {
  const char *examples = triple.isAArch64() ? "generic, neoverse-n1 or neoverse-v1"
                                            : "x86-64, x86-64-v2, x86-64-v3 or x86-64-v4";
  auto reject = [&](const std::string &why) {
    throw CompileError(ErrorKind::Value, "HEDDLE_CPU=" + processor.str() + ": " + why +
                                             "\n  hint: set HEDDLE_CPU to " + examples +
                                             ", or unset it");
  };
  Features features = defaultFeaturesOfProcessor(processor, triple);
  if (features.empty())
    reject("LLVM knows no such processor");
  for (const std::string &feature : features)
    if (is_contained(machine, "-" + feature.substr(1)))
      reject("this machine lacks " + feature.substr(1));
  llvm::sort(features);
  return features;
}

/// The size of vector registers in bits; 0 on processors for which kernels are not vectorized.
unsigned vectorRegisterBits(const Triple &triple, const Features &features, unsigned scalableBits) {
  constexpr unsigned neon = 128, largest = 512;
  if (triple.isAArch64())
    return std::clamp(llvm::bit_floor(scalableBits), neon, largest);
  if (triple.getArch() != Triple::x86_64)
    return 0;
  if (hasAllFeatures(features, {"+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"}))
    return 512;
  return hasAllFeatures(features, {"+avx2"}) ? 256 : 128;
}

/// Turns off 52-bit multiplication (IFMA): LLVM 22 makes it of other multiplications, and crashes if the function
/// prefers vectors of 256 bits to those of 512.
void turnOffUnsafeFeatures(Features &features) {
  for (std::string &feature : features)
    if (feature == "+avx512ifma" || feature == "+avxifma")
      feature[0] = '-';
}

const Host &detectedHost() {
  static const Host found = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Host h;
    h.triple = Triple(sys::getProcessTriple());
    h.processor = sys::getHostCPUName().str();
    Features features = os::hostFeatures();
    if (const char *named = std::getenv("HEDDLE_CPU"); named && *named) {
      features = checkedFeaturesOfProcessor(named, h.triple, features);
      h.processor = named;
    }
    turnOffUnsafeFeatures(features);
    h.features = join(features, ",");
    h.scalableBits = is_contained(features, "+sve") ? os::hostScalableVectorBits() : 0;
    h.vectorRegisterBits = vectorRegisterBits(h.triple, features, h.scalableBits);
    std::string error;
    h.target = TargetRegistry::lookupTarget(h.triple, error);
    if (!h.target)
      throw CompileError(ErrorKind::Internal, "no code generator for this host: " + error);
    return h;
  }();
  return found;
}

} // namespace

std::unique_ptr<TargetMachine> createHostTargetMachine(bool optimize) {
  const Host &h = detectedHost();
  TargetOptions options;
  // Generated code is nounwind; the runtime leaves a stopped block without unwinding.
  options.ExceptionModel = ExceptionHandling::None;
  std::unique_ptr<TargetMachine> machine(h.target->createTargetMachine(
      h.triple, h.processor, h.features, options, Reloc::PIC_, CodeModel::Small,
      optimize ? CodeGenOptLevel::Default : CodeGenOptLevel::Less, /*JIT=*/true));
  if (!machine)
    throw CompileError(ErrorKind::Internal, "LLVM has no target machine for " + h.processor);
  return machine;
}

std::string describeHostTarget() {
  const Host &h = detectedHost();
  return h.triple.str() + " " + h.processor + " " + h.features + " " +
         std::to_string(h.scalableBits);
}

unsigned scalableVectorBits() { return detectedHost().scalableBits; }

unsigned lanesPerHostRegister() { return std::max(detectedHost().vectorRegisterBits / 32, 1u); }

} // namespace heddle::cpu
