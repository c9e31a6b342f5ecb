// Names of the runtime functions that generated code calls.
#pragma once

#include "backend/cpu/abi/block_context.h"

#include "llvm/ADT/StringRef.h"

#include <cstddef>

namespace heddle::cpu {

/// A function that generated code calls by `name`. Its address is the pointer at byte `offset` of RuntimeEntryPoints.
/// The loader defines all these symbols for each object; objects also refer to libm, memcpy, memmove and memset.
struct RuntimeSymbol {
  const char *name;
  size_t offset;

  void *address(const RuntimeEntryPoints &entries) const {
    return *reinterpret_cast<void *const *>(reinterpret_cast<const char *>(&entries) + offset);
  }
};

inline constexpr RuntimeSymbol allocateFrameSymbol{"heddle_cpu_allocate_frame",
                                                   offsetof(RuntimeEntryPoints, allocateFrame)};
inline constexpr RuntimeSymbol trapSymbol{"heddle_cpu_trap", offsetof(RuntimeEntryPoints, trap)};
inline constexpr RuntimeSymbol trapThreadSymbol{"heddle_cpu_trap_thread",
                                                offsetof(RuntimeEntryPoints, trapThread)};
inline constexpr RuntimeSymbol recordThreadSymbol{"heddle_cpu_note_thread",
                                                  offsetof(RuntimeEntryPoints, recordThread)};
inline constexpr RuntimeSymbol checkLanesSymbol{"heddle_cpu_check_lanes",
                                                offsetof(RuntimeEntryPoints, checkLanes)};
inline constexpr RuntimeSymbol checkLanesOfRangesSymbol{
    "heddle_cpu_check_lanes_of_ranges", offsetof(RuntimeEntryPoints, checkLanesOfRanges)};
inline constexpr RuntimeSymbol stackOverflowSymbol{"heddle_cpu_stack_overflow",
                                                   offsetof(RuntimeEntryPoints, stackOverflow)};
inline constexpr RuntimeSymbol nanosleepSymbol{"heddle_cpu_nanosleep",
                                               offsetof(RuntimeEntryPoints, nanosleep)};
inline constexpr RuntimeSymbol printSymbol{"heddle_cpu_print", offsetof(RuntimeEntryPoints, print)};

inline constexpr RuntimeSymbol checkAccessSymbol{"heddle_cpu_check_access",
                                                 offsetof(RuntimeEntryPoints, checkAccess)};
inline constexpr RuntimeSymbol checkSyncSymbol{"heddle_cpu_check_sync",
                                               offsetof(RuntimeEntryPoints, checkSync)};
inline constexpr RuntimeSymbol checkReportSymbol{"heddle_cpu_check_report",
                                                 offsetof(RuntimeEntryPoints, checkReport)};
inline constexpr RuntimeSymbol checkForgetSymbol{"heddle_cpu_check_forget",
                                                 offsetof(RuntimeEntryPoints, checkForget)};
inline constexpr RuntimeSymbol checkLoadSymbol{"heddle_cpu_check_load",
                                               offsetof(RuntimeEntryPoints, checkLoad)};
inline constexpr RuntimeSymbol checkStoreSymbol{"heddle_cpu_check_store",
                                                offsetof(RuntimeEntryPoints, checkStore)};
inline constexpr RuntimeSymbol checkCopySymbol{"heddle_cpu_check_copy",
                                               offsetof(RuntimeEntryPoints, checkCopy)};
inline constexpr RuntimeSymbol checkUseSymbol{"heddle_cpu_check_use",
                                              offsetof(RuntimeEntryPoints, checkUse)};
inline constexpr RuntimeSymbol checkBlockSymbol{"heddle_cpu_check_block",
                                                offsetof(RuntimeEntryPoints, checkBlock)};

inline constexpr RuntimeSymbol runtimeSymbols[] = {
    allocateFrameSymbol, trapSymbol,       trapThreadSymbol,
    recordThreadSymbol,  checkLanesSymbol, checkLanesOfRangesSymbol,
    stackOverflowSymbol, nanosleepSymbol,  printSymbol,
    checkAccessSymbol,   checkSyncSymbol,  checkReportSymbol,
    checkForgetSymbol,   checkLoadSymbol,  checkStoreSymbol,
    checkCopySymbol,     checkUseSymbol,   checkBlockSymbol};

/// Returns true for functions that stop a thread because of a trap or a failed check, and for recordThread, which
/// precedes the checks.
inline bool isTrapOrCheckFunction(llvm::StringRef name) {
  return name == trapSymbol.name || name == trapThreadSymbol.name ||
         name == recordThreadSymbol.name || name == checkLanesSymbol.name ||
         name == checkLanesOfRangesSymbol.name;
}

} // namespace heddle::cpu
