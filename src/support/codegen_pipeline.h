// Sets up LLVM's code generation pipeline, including options that LLVM has only as global flags.
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// Tells whether LLVM moves instructions into later blocks.
enum class Sinking { On, Off };

/// Adds the code generation passes for a file of type `type`. Returns false if the target does not support it.
///
/// Disables loop strength reduction, because it does not help. On a GPU each pointer that it increments costs two
/// registers, whereas ptxas folds constant offsets into accesses: with the pass, the naive 4096 x 4096 float32 matrix
/// product takes 29.5 ms on an H200, without it 25.2 ms. x86 addressing modes add and scale, so no kernel in
/// benchmarks/ runs faster with the pass. The pass takes an eighth of the compile time of a small kernel.
///
/// Limits the loads and stores per block whose dependences the scheduler tracks, because its time is quadratic in their
/// number (5000 stores to array elements: 8 s without the limit, 3 s with it). Also limits region splitting in the
/// register allocator.
bool addCodeGeneration(llvm::legacy::PassManager &passes, llvm::TargetMachine &target,
                       llvm::raw_pwrite_stream &out, llvm::CodeGenFileType type,
                       Sinking sinking = Sinking::On);

} // namespace heddle
