// The rules of SIMT IR.
#pragma once

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace heddle::simt {

/// The function attribute that marks a kernel; other defined functions are device functions.
inline constexpr const char *kernelAttribute = "simt.kernel";
/// The function attribute of a device function that code outside the module may call by name.
inline constexpr const char *exportAttribute = "simt.export";
/// An attribute of a pointer parameter: an element size, in decimal. Indices of elements of at least this size are
/// below 2^31.
inline constexpr const char *fewElementsAttribute = "simt.few-elements-of";

/// Returns true if SIMT IR may call this LLVM intrinsic (docs/simt_ir.md, "What a front end guarantees").
bool isAllowedIntrinsic(llvm::Intrinsic::ID id);

/// Returns true for a variable that the host accesses by name (docs/simt_ir.md, "A module").
bool isModuleVariable(const llvm::GlobalVariable &g);

/// Returns an entry block of an irreducible loop, which has several entries; null if control flow is reducible.
const llvm::BasicBlock *findIrreducibleEntry(const llvm::Function &f);

/// Lists the violations of the rules in docs/simt_ir.md, one line each, with the instruction; empty for valid SIMT IR.
std::string verify(const llvm::Module &m);

/// A pass that runs `verify` and throws CompileError (kind Internal) with its text if there are violations. Changes
/// nothing.
struct VerifySimt : llvm::PassInfoMixin<VerifySimt> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
