#include "frontend/python/emit/containers/texts.h"

#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/slots.h"
#include "simt/ir/host_memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <numeric>

namespace heddle::python {
namespace {

/// Longer strings do not fit in memory.
constexpr int64_t longestText = int64_t(1) << 60;

llvm::GlobalVariable *createConstantTextGlobal(Emitter &e, llvm::Constant *data) {
  auto *global = new llvm::GlobalVariable(e.module().module(), data->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, data, "text");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

/// The letters with which the runtime identifies the contents of slots.
std::string encodeSlotTypes(Type type) {
  if (type == runtimeStringType())
    return "s";
  if (type.is(TypeKind::None))
    return "n";
  if (type.isBool())
    return "b";
  if (type.isFloat())
    return type->bits == 32 ? "f" : "d";
  if (type.isComplex())
    return type->bits == 64 ? "c" : "z";
  if (type.isInteger())
    return type.isSigned() ? "i" : "u";
  std::string out = "(";
  for (Type element : type->elements)
    out += encodeSlotTypes(element);
  return out + ")";
}

} // namespace

llvm::FunctionCallee declareRuntimeFunction(Emitter &e, const char *name, llvm::Type *result,
                                            llvm::ArrayRef<llvm::Type *> parameters) {
  llvm::FunctionCallee callee = e.module().module().getOrInsertFunction(
      name, llvm::FunctionType::get(result, parameters, false));
  llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  return callee;
}

Parts emitConstantText(Emitter &e, const std::string &text) {
  llvm::IRBuilder<> &b = e.b;
  std::vector<uint32_t> points(text.size());
  auto *from = reinterpret_cast<const llvm::UTF8 *>(text.data());
  auto *to = reinterpret_cast<llvm::UTF32 *>(points.data());
  llvm::UTF32 *begin = to;
  llvm::ConvertUTF8toUTF32(&from, from + text.size(), &to, to + points.size(),
                           llvm::lenientConversion);
  points.resize(size_t(to - begin));
  bool isNarrow = llvm::all_of(points, [](uint32_t point) { return point < 256; });
  std::vector<uint8_t> bytes(points.begin(), points.end());
  llvm::Constant *data = isNarrow ? llvm::ConstantDataArray::get(b.getContext(), bytes)
                                  : llvm::ConstantDataArray::get(b.getContext(), points);
  return {createConstantTextGlobal(e, data), e.int64(int64_t(points.size())),
          e.int64(isNarrow ? 1 : 4)};
}

Parts makeSubstring(Emitter &e, const Parts &text, llvm::Value *first, llvm::Value *count) {
  llvm::Value *offset = e.b.CreateNSWMul(first, text[2]);
  return {e.b.CreateInBoundsGEP(e.b.getInt8Ty(), text[0], offset), count, text[2]};
}

llvm::Value *codePointAt(Emitter &e, const Parts &text, llvm::Value *index) {
  llvm::IRBuilder<> &b = e.b;
  auto load = [&](llvm::Type *type) -> llvm::Value * {
    llvm::Value *address = b.CreateInBoundsGEP(type, text[0], index);
    return b.CreateZExt(b.CreateLoad(type, address), b.getInt64Ty());
  };
  if (auto *width = llvm::dyn_cast<llvm::ConstantInt>(text[2]))
    return load(width->isOne() ? b.getInt8Ty() : b.getInt32Ty());
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(b.getContext(), name, &e.llvmFunction());
  };
  llvm::BasicBlock *narrow = block("narrow"), *wide = block("wide"), *done = block("point");
  b.CreateCondBr(b.CreateICmpEQ(text[2], e.int64(1)), narrow, wide);
  b.SetInsertPoint(narrow);
  llvm::Value *byte = load(b.getInt8Ty());
  b.CreateBr(done);
  b.SetInsertPoint(wide);
  llvm::Value *word = load(b.getInt32Ty());
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *point = b.CreatePHI(b.getInt64Ty(), 2);
  point->addIncoming(byte, narrow);
  point->addIncoming(word, wide);
  return point;
}

Parts emitTextIndex(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  Parts text = e.parts(*v.operands[0]);
  llvm::Value *index = e.scalar(*v.operands[1], int64Type());
  if (!e.isNonNegative(*v.operands[1]))
    index = e.wrapNegativeIndex(index, text[1]);
  e.trapIf(b.CreateICmpUGE(index, text[1]), v.span, "IndexError", "string index out of range");
  return makeSubstring(e, text, index, e.int64(1));
}

llvm::Value *compareTexts(Emitter &e, CompareOp op, const Parts &x, const Parts &y) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *wide = b.getInt64Ty(), *pointer = b.getPtrTy();
  llvm::FunctionCallee f = declareRuntimeFunction(e, simt::compareTextsFunction, wide,
                                                  {pointer, wide, wide, pointer, wide, wide});
  auto *function = llvm::cast<llvm::Function>(f.getCallee());
  function->setOnlyReadsMemory();
  function->setOnlyAccessesArgMemory();
  function->setWillReturn();
  llvm::SmallVector<llvm::Value *, 6> both(x.begin(), x.end());
  both.append(y.begin(), y.end());
  static constexpr llvm::CmpInst::Predicate predicates[] = {
      llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,  llvm::CmpInst::ICMP_SLT,
      llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE};
  bool isEquality = op == CompareOp::Eq || op == CompareOp::Ne;
  auto byOrder = [&] {
    return b.CreateICmp(predicates[unsigned(op)], b.CreateCall(f, both), e.int64(0));
  };
  if (!isEquality)
    return byOrder();
  // Check the length first: most compared strings differ in length.
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(b.getContext(), name, &e.llvmFunction());
  };
  llvm::BasicBlock *same = block("same.length"), *done = block("compared");
  b.CreateCondBr(b.CreateICmpEQ(x[1], y[1]), same, done);
  b.SetInsertPoint(same);
  auto isCharacter = [](const Parts &text) {
    auto *length = llvm::dyn_cast<llvm::ConstantInt>(text[1]);
    return length && length->isOne();
  };
  llvm::Value *result = isCharacter(x) || isCharacter(y)
                            ? b.CreateICmp(predicates[unsigned(op)], codePointAt(e, x, e.int64(0)),
                                           codePointAt(e, y, e.int64(0)))
                            : byOrder();
  llvm::BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *phi = b.CreatePHI(b.getInt1Ty(), 2);
  phi->addIncoming(b.getInt1(op == CompareOp::Ne), before);
  phi->addIncoming(result, end);
  return phi;
}

namespace {

/// Returns the new string in the memory of `owner`, and moves the reference to a slot of `v`.
Parts bindNewString(Emitter &e, const Value &v, llvm::Value *owner, llvm::Value *length,
                    llvm::Value *width) {
  e.owners().takeOverReferences(v, {owner});
  return {e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), owner, simt::ownerBytes), length, width};
}

/// A stack slot in which the runtime stores the number and width of the new code points.
llvm::AllocaInst *makeResultSlot(Emitter &e) {
  return e.makeStackSlot(e.b.getInt64Ty(), 2, llvm::Align(slotBytes));
}
llvm::Value *loadResult(Emitter &e, llvm::Value *place, unsigned number) {
  return e.b.CreateLoad(e.b.getInt64Ty(), slotAt(e.b, place, number));
}

} // namespace

llvm::Value *computeTextHash(Emitter &e, llvm::ArrayRef<llvm::Value *> text) {
  llvm::Type *wide = e.b.getInt64Ty();
  return e.b.CreateCall(
      declareRuntimeFunction(e, simt::hashTextFunction, wide, {e.b.getPtrTy(), wide, wide}), text);
}

Parts allocateText(Emitter &e, const Value &v, llvm::Value *length, llvm::Value *width) {
  llvm::IRBuilder<> &b = e.b;
  e.trapIf(b.CreateICmpUGT(length, e.int64(longestText)), v.span, "MemoryError",
           "a string of this length is larger than any memory");
  llvm::FunctionCallee allocate = declareRuntimeFunction(e, simt::allocateFunction, b.getPtrTy(),
                                                         {b.getInt64Ty(), b.getInt1Ty()});
  llvm::Value *owner = b.CreateCall(allocate, {b.CreateMul(length, width), b.getFalse()});
  return bindNewString(e, v, owner, length, width);
}

void copyTextInto(Emitter &e, const Parts &place, const Parts &text) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *wide = b.getInt64Ty(), *pointer = b.getPtrTy();
  b.CreateCall(declareRuntimeFunction(e, simt::putTextFunction, b.getVoidTy(),
                                      {pointer, wide, pointer, wide, wide}),
               {place[0], place[2], text[0], text[1], text[2]});
}

Parts copyText(Emitter &e, const Value &v, const Parts &text) {
  Parts copy = allocateText(e, v, text[1], text[2]);
  copyTextInto(e, copy, text);
  return copy;
}

Parts makeCharacterText(Emitter &e, const Value &v, llvm::Value *code) {
  llvm::IRBuilder<> &b = e.b;
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(b.getContext(), name, &e.llvmFunction());
  };
  llvm::BasicBlock *narrow = block("narrow"), *wide = block("wide"), *done = block("character");
  b.CreateCondBr(b.CreateICmpULT(code, e.int64(256)), narrow, wide);
  b.SetInsertPoint(narrow); // strings with one of these characters are in a table
  std::vector<uint8_t> all(256);
  std::iota(all.begin(), all.end(), uint8_t(0));
  llvm::GlobalVariable *table =
      createConstantTextGlobal(e, llvm::ConstantDataArray::get(b.getContext(), all));
  llvm::Value *inTable = b.CreateInBoundsGEP(b.getInt8Ty(), table, code);
  b.CreateBr(done);
  b.SetInsertPoint(wide);
  llvm::Value *made = allocateMemory(e, e.int64(4), /*zeroed=*/false);
  llvm::Value *behind = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), made, simt::ownerBytes);
  b.CreateStore(b.CreateTrunc(code, b.getInt32Ty()), behind);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto either = [&](llvm::Value *ofNarrow, llvm::Value *ofWide) {
    llvm::PHINode *phi = b.CreatePHI(ofWide->getType(), 2);
    phi->addIncoming(ofNarrow, narrow);
    phi->addIncoming(ofWide, wide);
    return phi;
  };
  Parts text{either(inTable, behind), e.int64(1), either(e.int64(1), e.int64(4))};
  e.owners().takeOverReferences(v, {either(llvm::ConstantPointerNull::get(b.getPtrTy()), made)});
  return text;
}

Parts formatNumber(Emitter &e, const Value &v, llvm::Value *number, Type type) {
  llvm::IRBuilder<> &b = e.b;
  llvm::AllocaInst *place = makeResultSlot(e);
  Type wide = type.isFloat()    ? (type->bits == 32 ? type : float64Type())
              : type.isSigned() ? int64Type()
                                : intType(64, false);
  llvm::Value *bits = type.isBool() ? number : cast(e, number, type, wide);
  if (type.isFloat())
    bits = b.CreateBitCast(bits, b.getIntNTy(wide->bits));
  bits = b.CreateZExt(bits, b.getInt64Ty());
  llvm::FunctionCallee f = declareRuntimeFunction(e, simt::numberTextFunction, b.getPtrTy(),
                                                  {b.getInt64Ty(), b.getInt32Ty(), b.getPtrTy()});
  llvm::Value *owner = b.CreateCall(
      f, {bits, e.int32(encodeSlotTypes(type.isFloat() || type.isBool() ? type : wide)[0]), place});
  return bindNewString(e, v, owner, loadResult(e, place, 0), loadResult(e, place, 1));
}

llvm::SmallVector<unsigned, 2> partsThatAreStringAddresses(Type type, llvm::LLVMContext &context) {
  if (type == runtimeStringType())
    return {0};
  llvm::SmallVector<unsigned, 2> out;
  unsigned first = 0;
  if (type.isTuple())
    for (Type element : type->elements) {
      for (unsigned i : partsThatAreStringAddresses(element, context))
        out.push_back(first + i);
      first += partTypes(context, element).size();
    }
  return out;
}

bool isFormattable(Type type) {
  if (type.isTuple())
    return !type->identity && llvm::all_of(type->elements, isFormattable);
  bool isNumber = (type.isScalar() || type.isComplex()) && !type.isEnumMember();
  return isNumber || type == runtimeStringType() || type.is(TypeKind::None);
}

Parts emitPythonFormatCall(Emitter &e, const Value &v, const std::string &how,
                           llvm::ArrayRef<Value *> arguments) {
  llvm::IRBuilder<> &b = e.b;
  std::string letters;
  llvm::SmallVector<llvm::Value *, 8> slots;
  llvm::SmallVector<bool, 8> isSigned;
  for (Value *argument : arguments) {
    letters += encodeSlotTypes(argument->type);
    slots.append(e.parts(*argument));
    isSigned.append(signednessOfParts(argument->type, b.getContext()));
  }
  llvm::AllocaInst *memory =
      e.makeStackSlot(b.getInt64Ty(), std::max<size_t>(slots.size(), 1), llvm::Align(slotBytes));
  for (unsigned i = 0; i < slots.size(); ++i) {
    if (slots[i]->getType()->isHalfTy() || slots[i]->getType()->isBFloatTy())
      slots[i] = b.CreateFPExt(slots[i], b.getDoubleTy());
    storeSlot(b, slotAt(b, memory, i), slots[i], isSigned[i]);
  }
  llvm::AllocaInst *place = makeResultSlot(e);
  llvm::Type *pointer = b.getPtrTy();
  llvm::FunctionCallee f = declareRuntimeFunction(e, simt::pythonTextFunction, pointer,
                                                  {pointer, pointer, pointer, pointer});
  llvm::Value *owner =
      b.CreateCall(f, {b.CreateGlobalString(how), b.CreateGlobalString(letters), memory, place});
  if (v.type.isBool())
    return {b.CreateICmpNE(loadResult(e, place, 0), e.int64(0))};
  return bindNewString(e, v, owner, loadResult(e, place, 0), loadResult(e, place, 1));
}

} // namespace heddle::python
