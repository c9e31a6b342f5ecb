#include "frontend/ptx/translate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

const Row *findInstructionRow(StringRef name) {
  static const StringMap<const Row *> table = [] {
    StringMap<const Row *> rows;
    for (ArrayRef<Row> part :
         {integerInstructions(), bitInstructions(), floatInstructions(), comparisonInstructions(),
          conversionInstructions(), memoryInstructions(), copyInstructions(),
          mbarrierInstructions(), threadInstructions(), matrixInstructions(),
          fragmentInstructions(), videoInstructions()})
      for (const Row &row : part)
        rows[row.name] = &row;
    return rows;
  }();
  return table.lookup(name);
}

/// Substitutes constant operands in the text.
std::string substituteConstants(StringRef text, const simt::Assembly &assembly) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    if (text[at + 1] == '$') {
      out += text[at++];
      out += '$';
      continue;
    }
    size_t begin = at + 1 + (text[at + 1] == '{'), end = begin;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    unsigned n = 0;
    bool isConstant = !text.slice(begin, end).getAsInteger(10, n) && n < assembly.operands.size() &&
                      assembly.operands[n].constraint == 'n';
    if (!isConstant) {
      out += '$';
      continue;
    }
    const auto *constant = cast<ConstantInt>(assembly.operands[n].input);
    SmallString<24> digits;
    constant->getValue().toStringSigned(digits);
    out += digits;
    at = text[at + 1] == '{' ? std::min(text.find('}', end), text.size() - 1) : end - 1;
  }
  return out;
}

class Translation {
public:
  Translation(CallInst &call, EnclosingFunction &enclosing, unsigned unique)
      : assembly_(simt::parseAssembly(call)),
        text_(parse(substituteConstants(cast<InlineAsm>(call.getCalledOperand())->getAsmString(),
                                        assembly_),
                    unique)),
        frame_{enclosing, IRBuilder<>(&call), call, assembly_, text_.registers, {}, {}, {},
               nullptr} {}

  bool run() {
    if (text_.statements.empty() && assembly_.clobbersMemory)
      simt::call(frame_.b, simt::Op::FenceBlock, {});
    makeRegisters();
    for (unsigned n = 0; n < text_.labels; ++n)
      frame_.labels.push_back(frame_.makeBlock("label"));
    for (const Statement &statement : text_.statements)
      statement.opcode.empty() ? frame_.branchToAndContinueAt(frame_.labels[statement.label])
                               : translate(statement);
    if (frame_.rest) {
      frame_.b.CreateBr(frame_.rest);
      frame_.b.SetInsertPoint(&frame_.call);
    }
    emitOutputs();
    return text_.labels;
  }

private:
  void makeRegisters() {
    for (ScalarType type : text_.registers)
      frame_.registers.push_back(frame_.makeStackSlot(frame_.b.getIntNTy(type.bits())));
    for (const auto &[n, operand] : enumerate(assembly_.operands))
      frame_.writable.push_back(
          operand.isOutput || mayWriteInput(n)
              ? frame_.makeStackSlot(registerType(operand), emitInitialBits(operand))
              : nullptr);
  }

  /// Returns true if an instruction has the operand first, where results go. Programs may write to inputs; the value of
  /// the C++ expression does not change.
  bool mayWriteInput(size_t n) const {
    if (!simt::registerBits(assembly_.operands[n].constraint))
      return false;
    auto isArgument = [&](const Operand &o) { return o.form == Operand::Argument && o.index == n; };
    return any_of(text_.statements, [&](const Statement &s) {
      return !s.operands.empty() &&
             (isArgument(s.operands[0]) ||
              (s.operands[0].form != Operand::Address && any_of(s.operands[0].parts, isArgument)));
    });
  }

  Type *registerType(const simt::AssemblyOperand &operand) {
    return frame_.b.getIntNTy(simt::registerBits(operand.constraint));
  }

  /// The initial bits of a register that is read and written.
  Value *emitInitialBits(const simt::AssemblyOperand &operand) {
    if (!operand.input)
      return nullptr;
    return operand.type->isPointerTy()
               ? frame_.b.CreatePtrToInt(operand.input, registerType(operand))
               : frame_.b.CreateBitCast(operand.input, registerType(operand));
  }

  void translate(const Statement &statement) {
    const Row *row = findInstructionRow(statement.name);
    Step step(frame_, statement);
    if (!row)
      step.refuse("this instruction is supported only on GPUs");
    if (step.count() < row->fewest || step.count() > row->most)
      step.refuse("the instruction does not take " + std::to_string(step.count()) + " operands");
    BasicBlock *after = nullptr;
    if (statement.guard) {
      BasicBlock *then = frame_.makeBlock("guarded");
      after = frame_.makeBlock("after");
      frame_.b.CreateCondBr(step.readPredicate(*statement.guard), then, after);
      frame_.b.SetInsertPoint(then);
    }
    row->translate(step);
    if (StringRef word = step.findUnsupportedModifier(); !word.empty())
      step.refuse("'." + word.str() + "' is supported only on GPUs");
    if (after)
      frame_.branchToAndContinueAt(after);
  }

  void emitOutputs() {
    IRBuilder<> &b = frame_.b;
    CallInst &call = frame_.call;
    auto result = [&](size_t n) -> Value * {
      const simt::AssemblyOperand &operand = assembly_.operands[n];
      Value *bits = b.CreateLoad(registerType(operand), frame_.writable[n]);
      return operand.type->isPointerTy() ? b.CreateIntToPtr(bits, operand.type)
                                         : b.CreateBitCast(bits, operand.type);
    };
    if (auto *several = dyn_cast<StructType>(call.getType())) {
      Value *all = PoisonValue::get(several);
      for (unsigned n = 0; n < several->getNumElements(); ++n)
        all = b.CreateInsertValue(all, result(n), n);
      call.replaceAllUsesWith(all);
    } else if (!call.getType()->isVoidTy()) {
      call.replaceAllUsesWith(result(0));
    }
    call.eraseFromParent();
  }

  simt::Assembly assembly_;
  Text text_;
  Frame frame_;
};

} // namespace

bool translate(CallInst &call, EnclosingFunction &enclosing) {
  // Names that a text makes unique with %= must be unique within the function too.
  return Translation(call, enclosing, unsigned(call.getParent()->size())).run();
}

} // namespace heddle::ptx
