// Emits SIMT IR for typed SSA.
#pragma once

#include "frontend/python/emit/arrays/array_expressions.h"
#include "frontend/python/emit/checks.h"
#include "frontend/python/emit/owners.h"
#include "frontend/python/emit/signs.h"
#include "frontend/python/infer/function_instances.h"
#include "frontend/python/rows/indexing.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/launch_facts.h"
#include "simt/architecture.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <set>

namespace heddle::python {

/// The LLVM types of a value's parts, in order.
llvm::SmallVector<llvm::Type *, 4> partTypes(llvm::LLVMContext &context, Type type);

/// The LLVM return type for several parts: void, a single type, or a struct.
llvm::Type *returnTypeOfParts(llvm::LLVMContext &context, llvm::ArrayRef<llvm::Type *> parts);
/// The type of an element in memory. A bool is a byte, a complex number a struct of its parts, and a record, structure
/// or fixed-length string an array of bytes.
llvm::Type *memoryType(llvm::LLVMContext &context, Type element);
/// The LLVM constant for a bool, integer or float.
llvm::Constant *scalarConstant(llvm::LLVMContext &context, const Constant &constant);

/// Named access to the parts of an array.
struct ArrayParts {
  llvm::ArrayRef<llvm::Value *> parts;
  unsigned ndim;
  llvm::Value *pointer() const { return parts[0]; }
  llvm::Value *extent(unsigned axis) const { return parts[1 + axis]; }
  llvm::Value *stride(unsigned axis) const { return parts[1 + ndim + axis]; }
};

/// State shared by the functions of one SIMT module.
class ModuleEmitter {
public:
  ModuleEmitter(llvm::Module &module, Checks checks, Architecture architecture = {});

  llvm::Module &module() { return module_; }
  llvm::LLVMContext &context() { return module_.getContext(); }
  Checks checks() const { return checks_; }
  /// The architecture that executes the code. By default the CPU's.
  Architecture architecture() const { return architecture_; }

  llvm::Function *getOrDeclareFunction(TypedFunction &f);
  /// Emits `kernel` as the module's kernel, and every function reachable from it. `arguments` and `written` have one
  /// entry per parameter: its type and facts, and true if the kernel may write its array.
  void emitKernel(FunctionInstances &instances, TypedFunction &kernel,
                  const std::vector<KernelArgument> &arguments, const std::vector<bool> &written);
  /// Emits `f` and reachable functions, with an external function `name` that C can declare.
  void emitExportedFunction(FunctionInstances &instances, TypedFunction &f,
                            const std::string &name);
  /// Emits `f` and reachable functions, with a function `name` that reads arguments from its first parameter and writes
  /// results to its second. Both point to 8-byte slots, one per part.
  void emitHostEntry(FunctionInstances &instances, TypedFunction &f, const std::string &name);

  /// A constant global with the contents of the array, in the constant address space.
  llvm::GlobalVariable *getOrCreateConstantArray(const std::shared_ptr<ConstantArray> &array);
  /// Creates the debug information of `function`, and the compile unit on first use.
  llvm::DISubprogram *createSubprogram(TypedFunction &f, llvm::Function &function);
  /// Adds an error site to the module (simt::addSite) and returns its index.
  unsigned addSite(const TypedFunction &f, Span span, std::string kind, std::string message,
                   std::string arguments = {});

  /// True if several threads may count references to the same memory.
  bool countsAtomically() const { return countsAtomically_; }
  void setCountsAtomically(bool atomically) { countsAtomically_ = atomically; }

  /// Adds the site of an exception with these arguments and returns its index. Instances of one function may raise
  /// exceptions with different arguments at the same location; each gets a separate site.
  unsigned addRaiseSite(const TypedFunction &f, Span span, const std::string &kind,
                        const std::vector<Constant> &arguments);
  /// The arguments of exceptions, by site.
  const std::map<unsigned, std::vector<Constant>> &raised() const { return raised_; }

  /// Returns `i1 (i32 site)`: true if the exception raised at a site matches one of these classes.
  /// emitCatchPredicateBody() emits its body.
  llvm::Function *getOrDeclareCatchPredicate(const std::vector<std::string> &classes);
  /// The classes of each function made by getOrDeclareCatchPredicate(), in creation order.
  const std::vector<std::vector<std::string>> &caught() const { return caught_; }

  /// Warns about code that compiles but may not do what its author intended.
  void warn(const TypedFunction &f, Span span, std::string message);
  /// The warnings, at most one per source location.
  const std::vector<Diagnostic> &warnings() const { return warnings_; }

private:
  llvm::Function *declareKernel(TypedFunction &kernel,
                                const std::vector<KernelArgument> &arguments);
  /// Emits every declared function except those in `done`.
  void emitReachedFunctions(FunctionInstances &instances, std::set<TypedFunction *> done);

  llvm::Module &module_;
  Checks checks_;
  Architecture architecture_;
  bool countsAtomically_ = false;
  llvm::DIBuilder debugInfo_;
  std::map<std::string, llvm::DIFile *> files_;
  std::map<TypedFunction *, llvm::Function *> functions_;
  std::map<const ConstantArray *, llvm::GlobalVariable *> constants_;
  std::vector<std::shared_ptr<ConstantArray>> keptArrays_;
  std::map<unsigned, std::vector<Constant>> raised_;
  std::vector<std::vector<std::string>> caught_;
  std::vector<Diagnostic> warnings_;
};

/// Emits the body of catch predicate `number` (ModuleEmitter::getOrDeclareCatchPredicate), which returns true for
/// `sites`.
void emitCatchPredicateBody(llvm::Module &module, size_t number,
                            const std::vector<unsigned> &sites);

/// Emits one function: holds the insertion point and the parts of its values. Library rows emit their calls through it.
class Emitter {
public:
  /// Starts the body with the entry block, which holds the stack slots.
  Emitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function);
  /// Ends the entry block with a jump to `first`.
  void endEntryBlock(llvm::BasicBlock &first);

  llvm::IRBuilder<> b;
  ModuleEmitter &module() { return module_; }
  TypedFunction &function() { return f_; }
  llvm::Function &llvmFunction() { return function_; }
  /// The enabled checks.
  Checks checks() const { return checks_; }
  void setChecks(Checks checks) { checks_ = checks; }
  Owners &owners() { return owners_; }
  /// True if an array expression is emitted as part of its user.
  bool isFused(const Value &v) const { return fused_.count(&v); }
  /// True in the kernel itself, false in functions that it calls.
  bool isKernel() const;
  /// Sets the source location of the next instructions.
  void setLocation(Span span);

  Parts parts(Value &v);
  void bind(Value &v, Parts parts) { parts_[&v] = std::move(parts); }
  /// Converts a scalar value to `to`.
  llvm::Value *scalar(Value &v, Type to);
  /// Converts a number to the integer type `to`. Truncates a float with a warning, in which `use` names its purpose.
  llvm::Value *convertToInteger(Value &v, Type to, Span span, const std::string &use);
  /// Converts one part of a value in the same way.
  llvm::Value *convertToInteger(llvm::Value *part, Type from, Type to, Span span,
                                const std::string &use);
  /// True if an integer value is provably never negative.
  bool isNonNegative(Value &v) { return signs_.isNonNegative(v); }
  /// Converts an int64 index to count from the start: adds `count` if it is negative.
  llvm::Value *wrapNegativeIndex(llvm::Value *i, llvm::Value *count);
  /// Makes a value that is in no block, as an argument for functions that take values. bind() sets its parts.
  Value &makeTemporary(Type type, Span span);
  llvm::Value *int32(int64_t v) { return b.getInt32(v); }
  llvm::Value *int64(int64_t v) { return b.getInt64(v); }

  /// Sets the block that exceptions branch to; null if they leave the call.
  void setLandingBlock(llvm::BasicBlock *landing) { landing_ = landing; }
  llvm::BasicBlock *landingBlock() const { return landing_; }
  /// Raises the exception of `site` and ends the block. For an IndexError, `index` and `extent` are non-null.
  void trap(unsigned site, llvm::Value *index = nullptr, llvm::Value *extent = nullptr);
  /// Branches to the landing block if `raised` holds. The exception has already been recorded.
  void branchToLandingBlockIf(llvm::Value *raised);
  /// Raises an exception of class `kind` if `wrong` holds.
  void trapIf(llvm::Value *wrong, Span span, const char *kind, std::string message);
  /// Raises an IndexError unless 0 <= `index` < `extent`. `given` is the index in the source, from which wrapNegativeIndex()
  /// computed `index`. In the message, {index} and {extent} stand for `given` and `extent`.
  void checkIndex(llvm::Value *given, llvm::Value *index, llvm::Value *extent, Span span,
                  std::string message);
  /// Emits a loop that calls `body` with 0, 1, ... count - 1. `count` is an int64.
  void emitLoop(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body);
  /// Makes an alloca in the entry block.
  llvm::AllocaInst *makeStackSlot(llvm::Type *type, uint64_t count, llvm::Align align);

private:
  ModuleEmitter &module_;
  TypedFunction &f_;
  llvm::Function &function_;
  llvm::DISubprogram *scope_;
  Checks checks_;
  Owners owners_{*this};
  std::set<const Value *> fused_;
  std::map<Value *, Parts> parts_;
  Signs signs_;
  llvm::Instruction *allocasEnd_ = nullptr;
  llvm::BasicBlock *landing_ = nullptr;
};

/// The view of a call for the `emit` function of its row.
class CallEmission {
public:
  CallEmission(Emitter &emitter, Value &call);
  Emitter &e;
  Value &call;
  llvm::IRBuilder<> &b;
  const LibraryRow &row;
  /// Arguments in signature order; null for an optional one that is not given.
  Value *argument(unsigned i) const { return i < arguments_.size() ? arguments_[i] : nullptr; }
  unsigned argumentCount() const { return arguments_.size(); }
  /// Emits the scalar argument `i`, converted to the scalar type `to`.
  llvm::Value *scalar(unsigned i, Type to) { return e.scalar(*arguments_[i], to); }
  /// The source location of argument `i`.
  Span spanOf(unsigned i) const;

private:
  std::vector<Value *> arguments_;
};

} // namespace heddle::python
