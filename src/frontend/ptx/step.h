// Translates one PTX instruction to LLVM IR and SIMT operations. The rows of the instruction tables use it.
#pragma once

#include "frontend/ptx/syntax.h"
#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::ptx {

/// The function that contains the assembly calls, and state that these calls share.
struct EnclosingFunction {
  llvm::Function &function;
  /// The carry flag CC.CF, which persists between assembly calls; created on first use.
  llvm::AllocaInst *carry = nullptr;
};

/// The registers of an assembly call and the insertion point of its code.
struct Frame {
  EnclosingFunction &enclosing;
  llvm::IRBuilder<> b;
  llvm::CallInst &call;
  const simt::Assembly &assembly;
  std::vector<ScalarType> types;             ///< of `registers`
  std::vector<llvm::AllocaInst *> registers; ///< declared by the text
  std::vector<llvm::AllocaInst *>
      writable; ///< by operand; null for inputs that no instruction writes
  std::vector<llvm::BasicBlock *> labels;
  llvm::BasicBlock *rest = nullptr; ///< the code after the call, once the text has several blocks

  /// A stack slot, initialized to 0 or `initial`.
  llvm::AllocaInst *makeStackSlot(llvm::Type *type, llvm::Value *initial = nullptr);
  /// A basic block for code of the text. The first call splits the block of the assembly call.
  llvm::BasicBlock *makeBlock(const llvm::Twine &name);
  void branchToAndContinueAt(llvm::BasicBlock *block);
};

/// Translates one instruction: reads the words of its opcode and its operands, emits code, and writes the result.
class Step {
public:
  Step(Frame &frame, const Statement &statement)
      : b(frame.b), frame(frame), statement(statement), seen_(statement.words.size()) {}

  // The words of the opcode, such as "lo" and "s32" in mad.lo.s32. These functions mark the words that they find; an
  // instruction with unmarked words is rejected.
  /// True if `word` is present.
  bool takeWord(llvm::StringRef word);
  /// Returns the first of `words` that is present; empty if none is.
  llvm::StringRef takeOneOf(std::initializer_list<llvm::StringRef> words);
  /// Returns the next word that is a type. Throws Refusal if there is none.
  ScalarType takeType();
  std::optional<ScalarType> takeOptionalType();
  /// Returns the first unmarked word; empty if there is none.
  llvm::StringRef findUnsupportedModifier() const;

  // Operands by number; 0 is the destination. Values have the LLVM type for their PTX type; f16x2 is an i32.
  size_t count() const { return statement.operands.size(); }
  const Operand &operand(size_t n) const;
  /// The registers of an operand: those in {...}, or a single one.
  llvm::ArrayRef<Operand> registers(size_t n) const {
    const Operand &o = operand(n);
    return o.form == Operand::Vector ? llvm::ArrayRef<Operand>(o.parts) : llvm::ArrayRef(o);
  }
  llvm::Value *readInput(size_t n, ScalarType type) { return read(operand(n), type, false); }
  /// Reads the low bits of a register that may be wider than the type.
  llvm::Value *readLowBits(size_t n, ScalarType type) { return read(operand(n), type, true); }
  llvm::Value *read(const Operand &o, ScalarType type, bool maybeWider);
  llvm::Value *readPredicate(const Operand &o);
  uint64_t readConstant(size_t n) const;
  void writeResult(llvm::Value *value, ScalarType type) { write(operand(0), value, type, false); }
  /// Writes to a register that may be wider than the type, sign- or zero-extended according to the type.
  void writeLowBits(llvm::Value *value, ScalarType type) { write(operand(0), value, type, true); }
  void write(const Operand &o, llvm::Value *value, ScalarType type, bool maybeWider);
  /// Writes `first` to the destination. If the destination is a pair p|q, writes `first` to p and `second` to q. Throws
  /// Refusal for a pair if `second` is null.
  void writePredicates(llvm::Value *first, llvm::Value *second);

  /// Emits the pointer of an address operand. If `space` is "shared", the address is an offset into shared memory, or a
  /// pointer of that address space; otherwise it is a generic address.
  llvm::Value *readAddress(size_t n, llvm::StringRef space);
  llvm::Value *toPointer(llvm::Value *bits);
  /// Emits the start of the block's shared memory. Shared addresses are offsets from it.
  llvm::Value *emitSharedStart();

  llvm::Value *readCarry();
  void writeCarry(llvm::Value *bit);

  llvm::Type *llvmType(ScalarType type) const;
  llvm::IntegerType *bitsType(unsigned bits) const { return b.getIntNTy(bits); }
  llvm::ConstantInt *makeConstant(ScalarType type, uint64_t value) const {
    return llvm::ConstantInt::get(bitsType(type.bits()), value);
  }
  /// Applies `operation` to each lane of f16x2 and bf16x2, or once to other types.
  llvm::Value *mapLanes(ScalarType type, llvm::ArrayRef<llvm::Value *> operands,
                        llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> operation);
  llvm::Value *emitOperation(simt::Op op, llvm::ArrayRef<llvm::Value *> operands) {
    return simt::call(b, op, operands);
  }
  /// Adds a site to the module and returns its index, which is operand 0 of operations that can fail or block.
  llvm::Value *makeSite(const std::string &kind, const std::string &message);
  /// Adds the site of a barrier or another warp operation.
  llvm::Value *makeBarrierSite(simt::Op op) {
    return makeSite("barrier", simt::info(op).name.str());
  }
  /// Emits code that stops the kernel with RuntimeError if `condition` is true.
  void emitTrapIf(llvm::Value *condition, const std::string &message);
  /// Marks the module as one with matrix instructions, and `accesses` as parts of one.
  void markMatrixAccesses(llvm::ArrayRef<llvm::Instruction *> accesses);
  /// Throws Refusal if a warp instruction lacks the word "sync".
  void requireSync();

  /// Throws Refusal if `o` selects bytes of a register, which only video instructions do.
  void requireWholeRegister(const Operand &o) const;

  [[noreturn]] void refuse(const std::string &why) const;

  llvm::IRBuilder<> &b;
  Frame &frame;
  const Statement &statement;

private:
  llvm::Value *readSpecialRegister(const Operand &o);

  std::vector<bool> seen_;
};

/// A row of the instruction tables: all instructions with one name.
struct Row {
  llvm::StringRef name;
  size_t fewest, most; ///< number of operands
  void (*translate)(Step &);
};

llvm::ArrayRef<Row> integerInstructions();
llvm::ArrayRef<Row> bitInstructions();
llvm::ArrayRef<Row> floatInstructions();
llvm::ArrayRef<Row> comparisonInstructions();
llvm::ArrayRef<Row> conversionInstructions();
llvm::ArrayRef<Row> memoryInstructions();
llvm::ArrayRef<Row> copyInstructions();
llvm::ArrayRef<Row> mbarrierInstructions();
llvm::ArrayRef<Row> threadInstructions();
llvm::ArrayRef<Row> matrixInstructions();
llvm::ArrayRef<Row> fragmentInstructions();
llvm::ArrayRef<Row> videoInstructions();

/// Emits the 32- or 64-bit value of a special register (%tid.x). Returns null if CPUs do not support the register.
llvm::Value *emitSpecialRegister(Step &s, llvm::StringRef name);

} // namespace heddle::ptx
