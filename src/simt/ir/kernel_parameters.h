// The parameters of kernels in SIMT IR (docs/simt_ir.md, "A module"), which a launch passes in slots of 8 bytes.
#pragma once

#include "llvm/IR/Function.h"

#include <cstdint>

namespace heddle::simt {

inline constexpr uint64_t slotBytes = 8;

/// An attribute of a kernel's parameter `ptr`: the size in bytes, in decimal, of a structure that lies in consecutive
/// slots, and that the kernel only reads.
inline constexpr const char *structureAttribute = "simt.structure";

/// The size in bytes of the structure to which a kernel's parameter points; 0 for other parameters.
uint64_t structureBytesOf(const llvm::Argument &parameter);

/// The number of slots of a kernel's parameter.
uint64_t countSlots(const llvm::Argument &parameter);

} // namespace heddle::simt
