// This machine's processor, as LLVM describes it.

#include "backend/cpu/compile.h"
#include "support/diagnostic.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

namespace heddle::cpu {

using namespace llvm;

namespace {

/// What does not change while the process runs, found once.
struct Host {
  Triple triple;
  std::string processor;
  std::string features;
  const Target *target = nullptr;
  bool hasMasks = false; ///< for lanes of vectors
};

bool hasMasks(const std::vector<std::string> &features) {
  return all_of(ArrayRef<StringRef>{"+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"},
                [&](StringRef feature) { return is_contained(features, feature); });
}

/// Lanes of 32 bits that fill a register of AVX-512.
constexpr unsigned lanesOfRegister = 16;

const Host &host() {
  static const Host found = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Host h;
    h.triple = Triple(sys::getProcessTriple());
    h.processor = sys::getHostCPUName().str();
    SubtargetFeatures features;
    for (const auto &feature : sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
    std::vector<std::string> sorted = features.getFeatures();
    llvm::sort(sorted); // the order of a hash table is not a key
    h.features = join(sorted, ",");
    h.hasMasks = hasMasks(sorted);
    std::string error;
    h.target = TargetRegistry::lookupTarget(h.triple, error);
    if (!h.target)
      throw CompileError(ErrorKind::Internal, "no code generator for this host: " + error);
    return h;
  }();
  return found;
}

} // namespace

std::unique_ptr<TargetMachine> hostTargetMachine(bool optimize) {
  const Host &h = host();
  TargetOptions options;
  // Generated code is nounwind throughout; the runtime leaves a stopped block without unwinding it.
  options.ExceptionModel = ExceptionHandling::None;
  std::unique_ptr<TargetMachine> machine(h.target->createTargetMachine(
      h.triple, h.processor, h.features, options, Reloc::PIC_, CodeModel::Small,
      optimize ? CodeGenOptLevel::Default : CodeGenOptLevel::Less, /*JIT=*/true));
  if (!machine)
    throw CompileError(ErrorKind::Internal, "LLVM has no target machine for " + h.processor);
  return machine;
}

std::string hostDescription() {
  const Host &h = host();
  return h.triple.str() + " " + h.processor + " " + h.features;
}

GroupRules groupRules(const CompileOptions &options) {
  if (!options.optimize || options.debug)
    return {};
  return {.lanes = options.width     ? options.width
                   : host().hasMasks ? lanesOfRegister
                                     : 1,
          .always = options.width != 0};
}

} // namespace heddle::cpu
