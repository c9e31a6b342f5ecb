#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cudacpp {

/// Checks what loads, stores, atomics and copies access against the memory that their pointer came from: a kernel's pointer
/// parameter, of which the launch tells the extents, a shared, local or module variable, dynamic shared memory.
///
///     before                                after
///       %p = getelementptr float, %a, %i      %p = getelementptr float, %a, %i
///       load float, %p                        %offset = shl %i, 2
///                                             call void @simt.check.index(7, %offset, %offset, 0, %before, %after - 3)
///                                             load float, %p
///
/// Locals are checked before they become registers, when LLVM drops what is outside of them; Others when pointers are in
/// registers.
///
/// Of a pointer that the program chooses from several, as `w ? a : b`, the bounds are chosen with it: a select or phi of
/// each. A null pointer's memory has no bytes. A pointer that is, or may be, loaded from memory is not checked.
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
