// From typed SSA to SIMT IR.
#pragma once

#include "frontend/python/emit/times.h"
#include "frontend/python/infer/program.h"
#include "frontend/python/emit/signs.h"
#include "frontend/python/rows/indexing.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/rows/row.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <set>

namespace heddle::python {

/// The LLVM types of a value's parts, in order.
llvm::SmallVector<llvm::Type *, 4> partTypes(llvm::LLVMContext &context, Type type);
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
  ModuleEmitter(llvm::Module &module, bool debug);

  llvm::Module &module() { return module_; }
  llvm::LLVMContext &context() { return module_.getContext(); }
  /// Whether checks of indices and divisors are wanted.
  bool debug() const { return debug_; }

  llvm::Function *functionFor(TypedFunction &f);
  /// Emits `kernel` as the module's kernel, and every function that it reaches. Per parameter: the type of the launch's
  /// argument (see smallIntType), and whether an array in it may be changed.
  void emitProgram(Program &program, TypedFunction &kernel, const std::vector<Type> &arguments,
                   const std::vector<bool> &written);
  /// Emits `f` and what it reaches, for callers outside the module: a function `name` that C could declare.
  void emitExported(Program &program, TypedFunction &f, const std::string &name);

  /// A constant global with the array's contents, in the constant address space.
  llvm::GlobalVariable *constantArray(const std::shared_ptr<ConstantArray> &array);
  llvm::DISubprogram *subprogram(TypedFunction &f, llvm::Function &function);
  unsigned site(const TypedFunction &f, Span span, std::string kind, std::string message);

private:
  llvm::Function *declareKernel(TypedFunction &kernel, const std::vector<Type> &arguments);
  /// Emits every function that is declared, but those that are `done`.
  void emitReached(Program &program, std::set<TypedFunction *> done);

  llvm::Module &module_;
  bool debug_;
  llvm::DIBuilder debugInfo_;
  std::map<std::string, llvm::DIFile *> files_;
  std::map<TypedFunction *, llvm::Function *> functions_;
  std::map<const ConstantArray *, llvm::GlobalVariable *> constants_;
  std::vector<std::shared_ptr<ConstantArray>> keptArrays_;
};

/// Emits one function. Library rows emit their calls through it.
class Emitter {
public:
  Emitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function);
  void run();

  llvm::IRBuilder<> b;
  ModuleEmitter &module() { return module_; }
  TypedFunction &function() { return f_; }
  bool debug() const { return module_.debug(); }

  // Values
  Parts parts(Value &v);
  /// A scalar value as `to`.
  llvm::Value *scalar(Value &v, Type to);
  llvm::Value *cast(llvm::Value *v, Type from, Type to);
  Parts convert(const Parts &parts, Type from, Type to);
  /// Those of `parts` that are element `i` of a tuple.
  Parts tupleElement(const Parts &parts, Type tuple, size_t i);
  llvm::Value *truth(llvm::Value *v, Type type);
  /// Whether an integer value is provably never negative.
  bool nonNegative(Value &v) { return signs_.nonNegative(v); }
  /// A value that no block holds, for functions that take values; bind() gives it its parts.
  Value &temporary(Type type, Span span);
  void bind(Value &v, Parts parts) { parts_[&v] = std::move(parts); }

  // Arithmetic on scalars (emit_scalar.cpp)
  llvm::Value *unary(UnaryOp op, llvm::Value *a, Type from, Type result);
  llvm::Value *binary(BinaryOp op, Value &left, Value &right, Type result, Span span);
  llvm::Value *floorDivide(llvm::Value *a, llvm::Value *c, Type type, Span span);
  llvm::Value *modulo(llvm::Value *a, llvm::Value *c, Type type, Span span);
  llvm::Value *compare(CompareOp op, llvm::Value *a, Type ta, llvm::Value *c, Type tc);
  /// A math function of floats of any size; those of 16 bits go through float32.
  llvm::Value *math(simt::Op op, llvm::ArrayRef<llvm::Value *> operands);

  // Arrays (emit_array.cpp)
  /// The address of the element that `items` of the index value `index` select. Checks bounds in debug mode.
  llvm::Value *elementAddress(Value &array, const std::vector<IndexItem> &items, Value &index,
                              Span span);
  Parts view(Value &array, const std::vector<IndexItem> &items, Value &index, Span span);
  /// `align` where it is not what the element's type says.
  Parts loadElement(llvm::Value *address, Type element, llvm::MaybeAlign align = {});
  void storeElement(llvm::Value *address, const Parts &value, Type element,
                    llvm::MaybeAlign align = {});
  /// Stores a value of `type`, which may become a `place` (see storable), at `address`.
  void assign(llvm::Value *address, Type place, llvm::Align align, const Parts &value, Type type);
  /// Writes operand 2 of a StoreIndex to the view that its index selects.
  void storeView(Value &store);
  /// Parts of an array of constant shape at `pointer`, C order.
  Parts arrayAt(llvm::Value *pointer, llvm::ArrayRef<int64_t> shape, Type element);

  // Records (emit_record.cpp)
  llvm::Value *fieldAddress(llvm::Value *record, const Field &field);
  /// `record.field`, of the record at `address`.
  Parts field(llvm::Value *address, Type record, const Field &field);
  /// `array.field`.
  Parts fieldOfEach(Value &array, const Field &field);
  // Loops (emit_iteration.cpp)
  /// How often a loop over a value of that type and those parts runs, int64.
  llvm::Value *rounds(Type iterable, const Parts &parts);
  /// The item of round `round`, an int64.
  Parts item(Type iterable, const Parts &parts, llvm::Value *round);

  // Attributes (emit_members.cpp)
  /// `object.name`, of a value that memberOf knows.
  Parts member(Value &object, const std::string &name);

  // Control
  /// Ends the kernel with an error when `wrong` holds.
  void trapIf(llvm::Value *wrong, Span span, const char *kind, std::string message);
  llvm::Value *int32(int64_t v) { return b.getInt32(v); }
  llvm::Value *int64(int64_t v) { return b.getInt64(v); }
  /// A loop in which `body` gets 0, 1, ... count - 1. `count` is an int64.
  void loop(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body);
  /// An alloca in the entry block.
  llvm::AllocaInst *stackSlot(llvm::Type *type, uint64_t count, llvm::Align align);
  /// Whether this is the kernel itself, no function that it calls.
  bool inKernel() const;

private:
  /// The whole function, of one that is declared and defined elsewhere (emit_declared.cpp).
  void runDeclared();
  void bindParameters();
  void emitBlock(Block &block);
  void emitValue(Value &v);
  void emitTerminator(Value &v);
  void completePhis();
  Parts emitCall(Value &v);
  Parts emitDeviceCall(Value &v);
  Parts emitBinary(Value &v);
  Parts emitInPlace(Value &v);
  /// A tuple of numbers as an array in the thread's own memory.
  Value &tupleAsArray(Value &tuple, Type element);
  TimeOperand timeOperand(Value &v);
  Parts emitCompare(Value &v);
  llvm::Value *compareTuples(CompareOp op, Value &a, Value &c);
  Parts emitTupleIndex(Value &v);
  Parts emitIndex(Value &v);
  /// The address of `pointer[index]`.
  llvm::Value *pointee(Value &pointer, Value &index);
  void emitStore(Value &v);
  llvm::Value *emitTruth(Value &v);
  Parts selectElement(const Parts &elements, size_t count, llvm::Value *index);
  Parts emitIterValue(Value &v);
  Parts itemOfArray(Type array, const Parts &parts, llvm::Value *round);
  Parts itemOfTuple(Type tuple, const Parts &parts, llvm::Value *round);
  /// What the layout of an array tells: its shape, its size and so on.
  Parts layoutMember(MemberKind kind, Type array, const Parts &all);
  Parts emitUnwrap(Value &v);
  Parts emptyParts(Type type);
  void emitRaise(Value &v);
  void emitReturn(Value &v);
  void locate(Span span);
  std::string nameOf(const Value &array) const;
  llvm::Value *indexValue(const IndexItem &item, Value &index);
  llvm::Value *checkedIndex(Value &array, const IndexItem &item, Value &index, unsigned axis,
                            Span span);
  bool itemNonNegative(const IndexItem &item, Value &index);

  ModuleEmitter &module_;
  TypedFunction &f_;
  llvm::Function &function_;
  llvm::DISubprogram *scope_ = nullptr;
  std::map<Value *, Parts> parts_;
  std::map<Block *, llvm::BasicBlock *> entries_; ///< where a block starts
  std::map<Block *, llvm::BasicBlock *> exits_;   ///< where its terminator stands
  std::vector<Value *> phis_;
  Signs signs_;
  llvm::Instruction *allocasEnd_ = nullptr;
};

/// What a row's `emit` function sees of the call.
class CallEmission {
public:
  CallEmission(Emitter &emitter, Value &call);
  Emitter &e;
  Value &call;
  llvm::IRBuilder<> &b;
  const LibraryEntry &entry;
  Value *argument(unsigned i) const { return i < arguments_.size() ? arguments_[i] : nullptr; }
  unsigned count() const { return arguments_.size(); }
  llvm::Value *scalar(unsigned i, Type to) { return e.scalar(*arguments_[i], to); }

private:
  std::vector<Value *> arguments_;
};

} // namespace heddle::python
