// Finds the memory accesses in SIMT IR that `heddle check` checks.
#pragma once

#include "simt/check/checked_access.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// A memory access. An instruction that copies memory has two.
struct MemoryAccess {
  llvm::Instruction *by;
  llvm::Value *address;
  llvm::Value *bytes; ///< i64
  CheckedAccess access;
};

/// Returns the argument, variable or other instruction from which an address is derived.
const llvm::Value *underlyingObjectOf(const llvm::Value &address);
/// Returns true for volatile and atomic loads and stores, including those of CUDA's __ldcv and __stwt.
bool isVolatileOrAtomic(const llvm::Instruction &i);
/// Marks a volatile load or store that is atomic in the program: it synchronizes threads, like a flag.
void markAtomic(llvm::Instruction &i);
bool isMarkedAtomic(const llvm::Instruction &i);
/// Marks an access by which malloc or free manages the heap of CUDA C++.
void markHeapManagement(llvm::Instruction &i);
/// Returns true for the variable that holds the heap of malloc and free in CUDA C++.
bool isHeapVariable(const llvm::Value &object);
/// Returns the constant that a lock has while it is free (compare-and-swap), or while a thread holds it (exchange), if
/// the atomic may take a lock; else null.
const llvm::ConstantInt *findLockValue(const llvm::CallInst &atomic);
/// Appends the accesses of an instruction, except direct accesses to a stack variable inside its bounds and accesses to
/// constant memory: checks of these cannot fail. Sets all members of `access` except isFlag. May insert a conversion of
/// a copy's length before the instruction.
void collectAccesses(llvm::Instruction &i, llvm::SmallVectorImpl<MemoryAccess> &accesses);

} // namespace heddle::simt
