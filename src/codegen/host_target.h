// The processor that code is written for.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace heddle::cpu {

/// Creates a target machine for the host processor, or the one named by $HEDDLE_CPU, as the JIT uses it. Each compiling
/// thread needs its own. Throws CompileError (Value) if the machine cannot run that processor's code; so do the next
/// two functions.
std::unique_ptr<llvm::TargetMachine> hostTargetMachine(bool optimize);

/// The host processor's name and features: part of every cache key.
std::string hostDescription();

/// 32-bit lanes of the widest vector register whose masks are cheap; 1 if vectors do not pay.
unsigned lanesPerHostRegister();

} // namespace heddle::cpu
