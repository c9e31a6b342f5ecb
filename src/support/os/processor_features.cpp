#include "support/os/processor_features.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#if defined(__linux__) && defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace heddle::os {

using namespace llvm;

#if defined(__linux__) && defined(__aarch64__)

namespace {

/// One feature and the capabilities that it needs.
struct Row {
  const char *feature;
  unsigned long first;      ///< of AT_HWCAP
  unsigned long second = 0; ///< of AT_HWCAP2
};

// Includes features that code generation uses, and omits those that only assembly reaches.
constexpr Row rows[] = {
    {"fp-armv8", HWCAP_FP},
    {"neon", HWCAP_ASIMD},
    {"crc", HWCAP_CRC32},
    {"lse", HWCAP_ATOMICS},
    {"lse2", HWCAP_USCAT},
    {"rdm", HWCAP_ASIMDRDM},
    {"fullfp16", HWCAP_FPHP | HWCAP_ASIMDHP},
    {"fp16fml", HWCAP_ASIMDFHM},
    {"dotprod", HWCAP_ASIMDDP},
    {"rcpc", HWCAP_LRCPC},
    {"rcpc-immo", HWCAP_ILRCPC},
    {"jsconv", HWCAP_JSCVT},
    {"complxnum", HWCAP_FCMA},
    {"flagm", HWCAP_FLAGM},
    {"altnzcv", 0, HWCAP2_FLAGM2},
    {"fptoint", 0, HWCAP2_FRINT},
    {"sha3", HWCAP_SHA3 | HWCAP_SHA512},
    {"bf16", 0, HWCAP2_BF16},
    {"i8mm", 0, HWCAP2_I8MM},
    {"sve", HWCAP_SVE},
    {"sve2", HWCAP_SVE, HWCAP2_SVE2},
};

} // namespace

std::vector<std::string> hostFeatures() {
  unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  std::vector<std::string> features;
  for (const Row &row : rows) {
    bool has = (first & row.first) == row.first && (second & row.second) == row.second;
    features.push_back(std::string(has ? "+" : "-") + row.feature);
  }
  llvm::sort(features);
  return features;
}

unsigned hostScalableVectorBits() {
  int length = getauxval(AT_HWCAP) & HWCAP_SVE ? prctl(PR_SVE_GET_VL) : 0;
  return length > 0 ? 8 * unsigned(length & PR_SVE_VL_LEN_MASK) : 0;
}

#else

std::vector<std::string> hostFeatures() {
  SubtargetFeatures found;
  for (const auto &feature : sys::getHostCPUFeatures())
    found.AddFeature(feature.first(), feature.second);
  std::vector<std::string> features = found.getFeatures();
  llvm::sort(features); // hash table order must not reach cache keys
  return features;
}

unsigned hostScalableVectorBits() { return 0; }

#endif

} // namespace heddle::os
