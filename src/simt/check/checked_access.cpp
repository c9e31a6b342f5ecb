#include "simt/check/checked_access.h"

#include "llvm/ADT/bit.h"

namespace heddle::simt {

uint32_t CheckedAccess::encode() const {
  return uint32_t(kind) | uint32_t(scope) << 2 | uint32_t(isCas) << 4 | uint32_t(isFlag) << 5 |
         uint32_t(isGuess) << 6 | uint32_t(isLocal) << 7 | uint32_t(hasValue) << 8 |
         uint32_t(llvm::countr_zero(alignment)) << 9 | uint32_t(isHeap) << 24 |
         uint32_t(isHeapMark) << 25 | uint32_t(takesLock) << 26 | uint32_t(isIndirect) << 27 |
         uint32_t(memory) << 28 | uint32_t(isInFlight) << 30;
}

CheckedAccess CheckedAccess::decode(uint32_t bits) {
  return {.kind = AccessKind(bits & 3),
          .scope = Scope(bits >> 2 & 3),
          .isCas = (bits >> 4 & 1) != 0,
          .isFlag = (bits >> 5 & 1) != 0,
          .isGuess = (bits >> 6 & 1) != 0,
          .isLocal = (bits >> 7 & 1) != 0,
          .hasValue = (bits >> 8 & 1) != 0,
          .isHeap = (bits >> 24 & 1) != 0,
          .isHeapMark = (bits >> 25 & 1) != 0,
          .takesLock = (bits >> 26 & 1) != 0,
          .isIndirect = (bits >> 27 & 1) != 0,
          .isInFlight = (bits >> 30 & 1) != 0,
          .memory = AccessMemory(bits >> 28 & 3),
          .alignment = uint32_t(1) << (bits >> 9 & 15)};
}

} // namespace heddle::simt
