// Building LLVM's code generation pipeline where its options are global.
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// Adds to `passes` what turns IR into a file of type `type`; false when the target cannot write such files.
///
/// Without LLVM's reduction of loops' addresses to running sums, which only a global option turns off. On a GPU each sum
/// costs two registers, where ptxas folds a constant offset into the access: on an H200 the naive float32 matrix product
/// of 4096 x 4096 takes 29.5 ms with sums, 25.2 without. On x86, whose accesses add and scale, no kernel of benchmarks/ is
/// faster with them, and they take an eighth of the time that compiling a small kernel does.
///
/// In blocks of very many loads and stores the scheduler keeps only some of them apart: it takes time that grows with the
/// square of their number (8 s for 5000 statements that write elements of an array, 3 s so).
bool addCodeGeneration(llvm::legacy::PassManager &passes, llvm::TargetMachine &target,
                       llvm::raw_pwrite_stream &out, llvm::CodeGenFileType type);

} // namespace heddle
