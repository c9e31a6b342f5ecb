// One PTX instruction while it becomes LLVM IR and operations of SIMT IR: the rows of the tables of instructions use it.
#pragma once

#include "frontend/ptx/syntax.h"
#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::ptx {

/// The function that the assembly calls stand in, with what they share.
struct EnclosingFunction {
  llvm::Function &function;
  llvm::AllocaInst *carry =
      nullptr; ///< the carry flag CC.CF, kept from one assembly call to the next; made when first used
};

/// An assembly call's registers and the insertion point of its code.
struct Frame {
  EnclosingFunction &enclosing;
  llvm::IRBuilder<> b;
  llvm::CallInst &call;
  const simt::Assembly &assembly;
  std::vector<ScalarType> types;             ///< of `registers`
  std::vector<llvm::AllocaInst *> registers; ///< that the text declares
  std::vector<llvm::AllocaInst *> outputs;   ///< by operand; null for inputs
  std::vector<llvm::BasicBlock *> labels;

  /// A place on the stack, which starts as 0 or as `initial`.
  llvm::AllocaInst *place(llvm::Type *type, llvm::Value *initial = nullptr);
};

class Step {
public:
  Step(Frame &frame, const Statement &statement)
      : b(frame.b), frame(frame), statement(statement), seen_(statement.words.size()) {}

  // The opcode's words. Each is asked for; one that nobody asked for is refused at the end.
  bool has(llvm::StringRef word);
  /// The one of the words that is there; empty when none is.
  llvm::StringRef oneOf(std::initializer_list<llvm::StringRef> words);
  /// The next word that is a type.
  ScalarType type();
  std::optional<ScalarType> anotherType();
  /// The first word that nobody asked for; empty when there is none.
  llvm::StringRef unknownWord() const;

  // Operands by number, 0 the destination. Values have the LLVM type of theirs; f16x2 is an i32.
  size_t count() const { return statement.operands.size(); }
  const Operand &operand(size_t n) const;
  /// The registers of an operand: those in {...}, or the one.
  llvm::ArrayRef<Operand> registers(size_t n) const {
    const Operand &o = operand(n);
    return o.form == Operand::Vector ? llvm::ArrayRef<Operand>(o.parts) : llvm::ArrayRef(o);
  }
  llvm::Value *in(size_t n, ScalarType type) { return read(operand(n), type, false); }
  /// Of a register that may be wider than the type, of which the low bits count.
  llvm::Value *inLow(size_t n, ScalarType type) { return read(operand(n), type, true); }
  llvm::Value *read(const Operand &o, ScalarType type, bool maybeWider);
  llvm::Value *readPredicate(const Operand &o);
  uint64_t constant(size_t n) const;
  void out(llvm::Value *value, ScalarType type) { write(operand(0), value, type, false); }
  /// To a register that may be wider: the value is extended as its type says.
  void outLow(llvm::Value *value, ScalarType type) { write(operand(0), value, type, true); }
  void write(const Operand &o, llvm::Value *value, ScalarType type, bool maybeWider);
  /// To a predicate, and its negation or a second one to that after '|'.
  void outPredicates(llvm::Value *first, llvm::Value *second);

  /// The pointer that an address operand is. `space`: "shared", else a generic one.
  llvm::Value *address(size_t n, llvm::StringRef space);
  llvm::Value *pointer(llvm::Value *bits);
  /// The start of the block's shared memory, where the addresses of its window count from.
  llvm::Value *sharedStart();

  llvm::Value *carry();
  void setCarry(llvm::Value *bit);

  llvm::Type *llvmType(ScalarType type) const;
  llvm::IntegerType *bitsType(unsigned bits) const { return b.getIntNTy(bits); }
  llvm::ConstantInt *number(ScalarType type, uint64_t value) const {
    return llvm::ConstantInt::get(bitsType(type.bits()), value);
  }
  /// `operation` for each lane of f16x2 and bf16x2, once for other types.
  llvm::Value *perLane(ScalarType type, llvm::ArrayRef<llvm::Value *> operands,
                       llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> operation);
  llvm::Value *operation(simt::Op op, llvm::ArrayRef<llvm::Value *> operands) {
    return simt::call(b, op, operands);
  }
  /// Operand 0 of operations that have a site.
  llvm::Value *site(const std::string &kind, const std::string &message);
  /// That of an operation of the warp.
  llvm::Value *barrierSite(simt::Op op) { return site("barrier", simt::info(op).name.str()); }
  /// Asks for the word that the operations of a warp have.
  void requireSync();

  [[noreturn]] void refuse(const std::string &why) const;

  llvm::IRBuilder<> &b;
  Frame &frame;
  const Statement &statement;

private:
  llvm::Value *special(const Operand &o);

  std::vector<bool> seen_;
};

/// A row of the table of instructions: those of one name.
struct Row {
  llvm::StringRef name;
  size_t fewest, most; ///< operands
  void (*translate)(Step &);
};

llvm::ArrayRef<Row> integerInstructions();
llvm::ArrayRef<Row> bitInstructions();
llvm::ArrayRef<Row> floatInstructions();
llvm::ArrayRef<Row> comparisonInstructions();
llvm::ArrayRef<Row> conversionInstructions();
llvm::ArrayRef<Row> memoryInstructions();
llvm::ArrayRef<Row> threadInstructions();
llvm::ArrayRef<Row> matrixInstructions();

/// What a special register holds (%tid.x), of 32 or 64 bits; null for one that a CPU has not.
llvm::Value *specialRegister(Step &s, llvm::StringRef name);

} // namespace heddle::ptx
