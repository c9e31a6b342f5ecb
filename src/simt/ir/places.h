// Where in the user's source a module's code comes from, by its debug information.
#pragma once

#include "support/diagnostic.h"

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Instruction.h"

#include <string>

namespace heddle::simt {

/// A place in the user's source. `line` is 0 where nothing is known; `column` counts from 1.
struct SourcePlace {
  std::string file, function;
  unsigned line = 0, column = 0;
};

SourcePlace placeOf(const llvm::Instruction &i);
/// Where the function is written.
SourcePlace placeOf(const llvm::Function &f);

/// The location of code that a pass adds to `f` and that stands for none of the user's: where the function is written.
llvm::DebugLoc locationIn(const llvm::Function &f);

/// An error in the user's source.
CompileError errorAt(const SourcePlace &place, ErrorKind kind, std::string message,
                     std::string hint = {});

} // namespace heddle::simt
