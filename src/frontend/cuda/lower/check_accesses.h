#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cudacpp {

/// Checks loads, stores, atomics and copies against the bounds of the memory that the pointer was derived from: the
/// memory of a kernel's pointer parameter (its bounds come from the launch), a shared, local or module variable, or
/// dynamic shared memory.
///
///     before                                after
///       %p = getelementptr float, %a, %i      %p = getelementptr float, %a, %i
///       load float, %p                        %offset = shl %i, 2
///                                             call void @simt.check.index(7, %offset, %offset, 0, %before, %after - 3)
///                                             load float, %p
///
/// Run twice: for locals before they are promoted to registers, because LLVM then drops out-of-bounds accesses, and for
/// other memory when pointers are in registers.
///
/// If the program selects one of several pointers, as in `w ? a : b`, the pass selects their bounds in the same way.
/// The bounds of a null pointer are empty. A pointer that is or may be loaded from memory is not checked.
///
/// Needs: device functions are inlined.
struct CheckAccesses : llvm::PassInfoMixin<CheckAccesses> {
  enum Of { Locals, Others };
  explicit CheckAccesses(Of of) : of(of) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  Of of;
};

} // namespace heddle::cudacpp
