// What is and is not SIMT IR.
#pragma once

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace heddle::simt {

/// The function attribute that marks a kernel; other defined functions are device functions.
inline constexpr const char *kernelAttribute = "simt.kernel";
/// The function attribute of a device function that code outside the module calls by name.
inline constexpr const char *exportAttribute = "simt.export";
/// The attribute of a pointer parameter from which indices of elements of so many bytes, or more, are below 2^31.
inline constexpr const char *fewElementsAttribute = "simt.few-elements-of";

/// Whether an intrinsic of LLVM's may be called in SIMT IR (docs/simt_ir.md, "What a front end guarantees").
bool isAllowedIntrinsic(llvm::Intrinsic::ID id);

/// A variable that the host reaches by its name (docs/simt_ir.md, "A module").
bool isModuleVariable(const llvm::GlobalVariable &g);

/// A block by which a loop of `f` is entered besides its header; null when control flow is reducible.
const llvm::BasicBlock *enteredBesidesHeader(const llvm::Function &f);

/// Every rule of docs/simt_ir.md that `m` breaks, one line each, with the instruction's text; empty for valid SIMT IR.
std::string verify(const llvm::Module &m);

/// `verify` as a pass: throws CompileError (kind Internal) with the text. Changes nothing.
struct VerifySimt : llvm::PassInfoMixin<VerifySimt> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
