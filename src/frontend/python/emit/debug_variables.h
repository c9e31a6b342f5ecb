// Debug information for the variables of a function.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The position of an assignment among the instructions of a function.
struct AssignmentPlace {
  const VariableAssignment *assignment;
  llvm::BasicBlock *block;
  llvm::Instruction *after; ///< null at the start of the block
};

/// Describes parameters and variables to debuggers: name, type and location. Variables are described where they are
/// assigned and where their values merge (in loops, after branches). Needs: complete function bodies and a module with
/// debug information.
void describeVariables(Emitter &e, llvm::ArrayRef<AssignmentPlace> assigned);

} // namespace heddle::python
