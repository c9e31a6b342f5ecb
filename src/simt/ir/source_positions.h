// Source positions of a module's code, from its debug information.
#pragma once

#include "support/diagnostic.h"

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Instruction.h"

#include <string>

namespace heddle::simt {

/// A position in the user's source. `line` and `column` start at 1; 0 means unknown.
struct SourcePosition {
  std::string file, function;
  unsigned line = 0, column = 0;
};

SourcePosition sourcePositionOf(const llvm::Instruction &i);
/// The line of the function's declaration.
SourcePosition sourcePositionOf(const llvm::Function &f);

/// The prefix "line 12: " for a message about an instruction; empty if the line is unknown or the instruction is null.
std::string linePrefix(const llvm::Instruction *i);

/// The location for code that a pass adds to `f` and that has no source position: the function's declaration.
llvm::DebugLoc artificialLocation(const llvm::Function &f);

/// Creates an error at a line of the user's source.
CompileError makeErrorAt(const SourcePosition &position, ErrorKind kind, std::string message,
                         std::string hint = {});

} // namespace heddle::simt
