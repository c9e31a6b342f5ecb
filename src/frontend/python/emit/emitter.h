// From typed SSA to SIMT IR.
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

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <set>

namespace heddle::python {

/// The LLVM types of a value's parts, in order.
llvm::SmallVector<llvm::Type *, 4> partTypes(llvm::LLVMContext &context, Type type);

/// What a function returns several parts in: void, the only one, or a struct.
llvm::Type *returnedType(llvm::LLVMContext &context, llvm::ArrayRef<llvm::Type *> parts);
/// The type of one element in memory: bool takes a byte, a complex number is a struct of its parts, a record its bytes.
llvm::Type *memoryType(llvm::LLVMContext &context, Type element);
/// A constant scalar as its one part, a complex number's real part.
llvm::Constant *scalarConstant(llvm::LLVMContext &context, const Constant &constant);

/// The parts of an array value by name.
struct ArrayParts {
  llvm::ArrayRef<llvm::Value *> parts;
  unsigned ndim;
  llvm::Value *pointer() const { return parts[0]; }
  llvm::Value *extent(unsigned axis) const { return parts[1 + axis]; }
  llvm::Value *stride(unsigned axis) const { return parts[1 + ndim + axis]; }
};

/// What the functions of one SIMT module share.
class ModuleEmitter {
public:
  ModuleEmitter(llvm::Module &module, Checks checks);

  llvm::Module &module() { return module_; }
  llvm::LLVMContext &context() { return module_.getContext(); }
  Checks checks() const { return checks_; }

  llvm::Function *functionFor(TypedFunction &f);
  /// Emits `kernel` as the module's kernel, and every function that it reaches. Per parameter: what it is compiled for,
  /// and whether an array in it may be changed.
  void emitKernel(FunctionInstances &instances, TypedFunction &kernel,
                  const std::vector<KernelArgument> &arguments, const std::vector<bool> &written);
  /// Emits `f` and what it reaches, for callers outside the module: a function `name` that C could declare.
  void emitExported(FunctionInstances &instances, TypedFunction &f, const std::string &name);
  /// Emits `f` and what it reaches, with a function `name` that reads the arguments from its first parameter and writes the
  /// results to its second: 8-byte slots, one for each part.
  void emitHostEntry(FunctionInstances &instances, TypedFunction &f, const std::string &name);

  /// A constant global with the array's contents, in the constant address space.
  llvm::GlobalVariable *constantArray(const std::shared_ptr<ConstantArray> &array);
  llvm::DISubprogram *subprogram(TypedFunction &f, llvm::Function &function);
  unsigned site(const TypedFunction &f, Span span, std::string kind, std::string message,
                std::string arguments = {});

  /// Whether several threads may count references to the same memory.
  bool countsAtomically() const { return countsAtomically_; }
  void setCountsAtomically(bool atomically) { countsAtomically_ = atomically; }

  /// The exception that is raised at `site` gets these arguments.
  void raises(unsigned site, std::vector<Constant> arguments) {
    raised_[site] = std::move(arguments);
  }
  /// By site.
  const std::map<unsigned, std::vector<Constant>> &raised() const { return raised_; }

  /// `i1 (i32 site)`: whether what is raised at a site is of one of these classes. completeCatches() writes it.
  llvm::Function *catching(const std::vector<std::string> &classes);
  /// The classes of each, in their order.
  const std::vector<std::vector<std::string>> &caught() const { return caught_; }

  /// Tells of what is compiled, but may not mean what the program's author thinks.
  void warn(const TypedFunction &f, Span span, std::string message);
  /// What was told, once for each place.
  const std::vector<Diagnostic> &warnings() const { return warnings_; }

private:
  llvm::Function *declareKernel(TypedFunction &kernel,
                                const std::vector<KernelArgument> &arguments);
  /// Emits every function that is declared, but those that are `done`.
  void emitReached(FunctionInstances &instances, std::set<TypedFunction *> done);

  llvm::Module &module_;
  Checks checks_;
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

/// Writes function `number` of those that ModuleEmitter::catching() made: it is true of these sites.
void completeCatches(llvm::Module &module, size_t number, const std::vector<unsigned> &sites);

/// One function while it is emitted: where code goes, and the parts of its values. Library rows emit their calls through it.
class Emitter {
public:
  /// Starts the body with its entry block, which holds the stack slots.
  Emitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function);
  /// Leaves the entry block for `first`.
  void endEntry(llvm::BasicBlock &first);

  llvm::IRBuilder<> b;
  ModuleEmitter &module() { return module_; }
  TypedFunction &function() { return f_; }
  llvm::Function &llvmFunction() { return function_; }
  /// What is checked for here.
  Checks checks() const { return checks_; }
  void setChecks(Checks checks) { checks_ = checks; }
  Owners &owners() { return owners_; }
  /// Whether an array expression is emitted as part of the one that uses it.
  bool isFused(const Value &v) const { return fused_.count(&v); }
  /// Whether this is the kernel itself, no function that it calls.
  bool inKernel() const;
  /// What is emitted next stands there in the source.
  void locate(Span span);

  Parts parts(Value &v);
  void bind(Value &v, Parts parts) { parts_[&v] = std::move(parts); }
  /// A scalar value as `to`.
  llvm::Value *scalar(Value &v, Type to);
  /// A number as the integer `to`. A float loses its fraction, which is told: `use` is what the integer is needed for.
  llvm::Value *wholeNumber(Value &v, Type to, Span span, const std::string &use);
  /// The same of `part`, one of several parts of a value.
  llvm::Value *wholeNumber(llvm::Value *part, Type from, Type to, Span span,
                           const std::string &use);
  /// Whether an integer value is provably never negative.
  bool nonNegative(Value &v) { return signs_.nonNegative(v); }
  /// The int64 index `i` of one of `count` elements, counted from the first: a negative one counts from the end.
  llvm::Value *fromStart(llvm::Value *i, llvm::Value *count);
  /// A value that no block holds, for functions that take values; bind() gives it its parts.
  Value &temporary(Type type, Span span);
  llvm::Value *int32(int64_t v) { return b.getInt32(v); }
  llvm::Value *int64(int64_t v) { return b.getInt64(v); }

  /// Where what is raised here goes; null: out of the call.
  void setLanding(llvm::BasicBlock *landing) { landing_ = landing; }
  llvm::BasicBlock *landing() const { return landing_; }
  /// Ends the block with an error; an IndexError has the index and the extent.
  void trap(unsigned site, llvm::Value *index = nullptr, llvm::Value *extent = nullptr);
  /// Goes to the landing where `raised` holds: what was raised has been noted.
  void landIf(llvm::Value *raised);
  /// Ends the kernel with an error when `wrong` holds.
  void trapIf(llvm::Value *wrong, Span span, const char *kind, std::string message);
  /// Ends the kernel with an IndexError unless `index` is one of `extent` elements. `given`: what the source says, from which
  /// fromStart() made `index`, or `index` itself. In the message, {index} and {extent} stand for `given` and `extent`.
  void checkIndex(llvm::Value *given, llvm::Value *index, llvm::Value *extent, Span span,
                  std::string message);
  /// A loop in which `body` gets 0, 1, ... count - 1. `count` is an int64.
  void loop(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body);
  /// An alloca in the entry block.
  llvm::AllocaInst *stackSlot(llvm::Type *type, uint64_t count, llvm::Align align);

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

/// What a row's `emit` function sees of the call.
class CallEmission {
public:
  CallEmission(Emitter &emitter, Value &call);
  Emitter &e;
  Value &call;
  llvm::IRBuilder<> &b;
  const LibraryRow &row;
  Value *argument(unsigned i) const { return i < arguments_.size() ? arguments_[i] : nullptr; }
  unsigned count() const { return arguments_.size(); }
  llvm::Value *scalar(unsigned i, Type to) { return e.scalar(*arguments_[i], to); }
  /// Where argument `i` is written.
  Span spanOf(unsigned i) const;

private:
  std::vector<Value *> arguments_;
};

} // namespace heddle::python
