// The host processor as LLVM describes it, or an older one named by $HEDDLE_CPU.

#include "codegen/host_target.h"

#include "support/diagnostic.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cstdlib>

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Host properties, determined once per process.
struct Host {
  Triple triple;
  std::string processor;
  std::string features;
  const Target *target = nullptr;
  unsigned lanes = 1; ///< 32-bit lanes per register; 1 if threads are not grouped
};

using Features = std::vector<std::string>; // "+avx2", "-avx512f"

bool hasAll(const Features &features, ArrayRef<StringRef> wanted) {
  return all_of(wanted, [&](StringRef feature) { return is_contained(features, feature); });
}

Features featuresOfMachine() {
  SubtargetFeatures found;
  for (const auto &feature : sys::getHostCPUFeatures())
    found.AddFeature(feature.first(), feature.second);
  Features features = found.getFeatures();
  llvm::sort(features); // hash table order must not reach cache keys
  return features;
}

/// The features of the processor named by $HEDDLE_CPU, which the machine must have.
Features featuresOfProcessor(StringRef processor, const Triple &triple, const Features &machine) {
  auto reject = [&](const std::string &why) {
    throw CompileError(ErrorKind::Value,
                       "HEDDLE_CPU is '" + processor.str() + "', but " + why +
                           ": use x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, or leave it out");
  };
  if (triple.getArch() != Triple::x86_64)
    reject("this machine is no x86-64");
  if (X86::parseArchX86(processor, /*Only64Bit=*/true) == X86::CK_None)
    reject("LLVM knows no such processor");
  SmallVector<StringRef> names;
  X86::getFeaturesForCPU(processor, names, /*NeedPlus=*/true);
  Features features;
  for (StringRef name : names) {
    if (is_contained(machine, "-" + name.drop_front().str()))
      reject("this machine lacks " + name.drop_front().str());
    features.push_back(name.str());
  }
  llvm::sort(features);
  return features;
}

unsigned lanesPerRegister(const Triple &triple, const Features &features) {
  if (triple.getArch() != Triple::x86_64)
    return 1;
  if (hasAll(features, {"+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"}))
    return 16;
  return hasAll(features, {"+avx2"}) ? 8 : 4;
}

const Host &detectedHost() {
  static const Host found = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Host h;
    h.triple = Triple(sys::getProcessTriple());
    h.processor = sys::getHostCPUName().str();
    Features features = featuresOfMachine();
    if (const char *named = std::getenv("HEDDLE_CPU"); named && *named) {
      features = featuresOfProcessor(named, h.triple, features);
      h.processor = named;
    }
    h.features = join(features, ",");
    h.lanes = lanesPerRegister(h.triple, features);
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
  return h.triple.str() + " " + h.processor + " " + h.features;
}

unsigned lanesPerHostRegister() { return detectedHost().lanes; }

} // namespace heddle::cpu
