// The processor that host code is compiled for.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace heddle::cpu {

/// Creates a target machine for the JIT: for the processor named by $HEDDLE_CPU, else the host's. Each compiling thread
/// needs a separate one. Throws CompileError (Value) if the machine cannot run code for that processor, as do the
/// next functions.
std::unique_ptr<llvm::TargetMachine> createHostTargetMachine(bool optimize);

/// The size of scalable vectors (SVE) in bits; 0 on processors without.
unsigned scalableVectorBits();

/// The processor's target triple, name, features and size of scalable vectors: part of every cache key.
std::string describeHostTarget();

/// The number of 32-bit lanes per vector register that kernels use; 1 if kernels are not vectorized on this processor.
unsigned lanesPerHostRegister();

} // namespace heddle::cpu
