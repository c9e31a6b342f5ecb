// Variables for debuggers: what of a function's values has a name in the source.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Where an assignment stands among a function's instructions.
struct AssignmentPlace {
  const VariableAssignment *assignment;
  llvm::BasicBlock *block;
  llvm::Instruction *after; ///< null at the block's start
};

/// Describes parameters, and variables where they are assigned and where several of their values meet (in loops, after
/// branches), by their names, types and places. The function's instructions are complete. Only for modules with debug
/// information.
void describeVariables(Emitter &e, llvm::ArrayRef<AssignmentPlace> assigned);

} // namespace heddle::python
