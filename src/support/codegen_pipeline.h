// Building LLVM's code generation pipeline where its options are global.
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// Adds to `passes` what turns IR into a file of type `type`, with or without the reduction of index arithmetic in loops
/// to running sums (LLVM has no option for that but a global one). False when the target cannot write such files.
bool addCodeGeneration(llvm::legacy::PassManager &passes, llvm::TargetMachine &target,
                       llvm::raw_pwrite_stream &out, llvm::CodeGenFileType type,
                       bool loopStrengthReduction);

} // namespace heddle
