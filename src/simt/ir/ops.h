// C++ access to ops.def: properties of SIMT IR operations, and functions to call and recognize them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace heddle::simt {

enum class Op : unsigned {
#define SIMT_OP(id, ...) id,
#include "simt/ir/ops.def"
};

/// The operations with the property Warp, so that a switch can be exhaustive. Sources with such a switch turn -Wswitch
/// into an error: a new operation does not compile until each of them handles it.
enum class WarpOp : unsigned {
#define SIMT_OP(...)
#define SIMT_WARP_OP(id, ...) id = unsigned(Op::id),
#include "simt/ir/ops.def"
};

enum Property : unsigned {
  None = 0,
  Pure = 1,
  Convergent = 2,
  NoReturn = 4,
  ArgMemory = 8,
  Site = 16,
  Warp = 32,
  Check = 64,
  Commutes = 128,
  Idempotent = 256,
  Uniform = 512,
  Arithmetic = 1024,
  Mark = 2048,
};

/// A row of ops.def.
struct OpInfo {
  Op op;
  llvm::StringRef name;
  llvm::StringRef result;
  llvm::StringRef operands;
  llvm::StringRef overloads;
  uint64_t bound;
  unsigned properties;
  llvm::StringRef meaning;

  bool has(Property p) const { return properties & p; }
  bool overloaded() const { return !overloads.empty(); }
};

/// Scope operand of the atomics.
enum class Scope : unsigned { Block = 0, Device = 1, System = 2 };

/// Named barriers per block (PTX ISA 9.0, "bar, barrier").
inline constexpr unsigned namedBarriers = 16;

/// Address spaces, as in NVPTX. A thread's own stack (`alloca`) is Generic.
enum AddressSpace : unsigned { Generic = 0, Global = 1, Shared = 3, Constant = 4, Local = 5 };

const OpInfo &info(Op op);
llvm::ArrayRef<OpInfo> allOps();

/// The operation whose function has this name, overload suffixes included; nullopt for other functions.
std::optional<Op> opNamed(llvm::StringRef name);

/// The operation that `v` calls directly; nullopt if `v` is anything else.
std::optional<Op> calledOp(const llvm::Value *v);
/// Returns true for a call of a warp operation: a shuffle, a vote, a match, ...
bool isWarpOperation(const llvm::Instruction &i);
bool isNamedBarrier(Op op);
/// Returns true for an instruction that computes its result from its operands: arithmetic, casts, comparisons, selects,
/// addresses, parts of vectors, intrinsics without memory, and operations with the property Arithmetic.
bool computesFromOperands(const llvm::Instruction &i);
/// Converts an operation with the property Warp.
WarpOp toWarpOp(Op op);

/// Declares the function of `op` in `m` with the row's attributes. `overload` is T, `pointer` is P's type; null if the
/// row does not use them. The caller guarantees that T is among the row's overloads.
llvm::Function *declare(llvm::Module &m, Op op, llvm::Type *overload = nullptr,
                        llvm::Type *pointer = nullptr);

/// The types that select an overload; null if the row does not use them.
struct Overload {
  llvm::Type *type = nullptr;    ///< T
  llvm::Type *pointer = nullptr; ///< P
};

/// Determines the overload from the operand types of a call or declaration; `result` is used if no operand has type T.
Overload overloadOf(const OpInfo &row, llvm::ArrayRef<llvm::Type *> operands,
                    llvm::Type *result = nullptr);

/// Emits a call of `op`. The overload follows from the operands.
llvm::CallInst *call(llvm::IRBuilderBase &b, Op op, llvm::ArrayRef<llvm::Value *> operands);

} // namespace heddle::simt
