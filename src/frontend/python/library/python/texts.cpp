// Primitives for heddle/host_library/strings.py, and formatting by Python.

#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

void requireText(const CallTyping &t, unsigned i) {
  if (t.type(i) != runtimeStringType())
    t.failAt(i, std::string(t.row().displayName()) + "() takes a string, not " + t.type(i).name());
}

void requireTextOrBytes(const CallTyping &t, unsigned i) {
  if (!isBytes(t.type(i)))
    requireText(t, i);
}

const std::string &constantMethodName(const CallTyping &t) {
  const Constant *name = t.constant(0);
  if (!name || name->kind != ConstantKind::String)
    t.failAt(0, "the name must be a constant string");
  return name->text;
}

Type typeNewText(CallTyping &t) {
  requireTextOrBytes(t, 0);
  t.requireInteger(1);
  t.requireInteger(2);
  return isBytes(t.type(0)) ? bytesType() : runtimeStringType();
}
Parts emitNewText(CallEmission &c) {
  llvm::Value *length = c.scalar(1, int64Type());
  if (isBytes(c.call.type))
    return allocateArray(c.e, c.call, {length}, /*zeroed=*/false);
  return allocateText(c.e, c.call, length, c.scalar(2, int64Type()));
}

Type typeCharacterWidth(CallTyping &t) {
  requireTextOrBytes(t, 0);
  if (isBytes(t.type(0)))
    t.call().constant = Constant::ofInt(1);
  return int64Type();
}
Parts emitCharacterWidth(CallEmission &c) {
  if (c.call.constant)
    return c.e.parts(c.call);
  return {c.e.parts(*c.argument(0))[2]};
}

Type typeCodePointAt(CallTyping &t) {
  requireTextOrBytes(t, 0);
  t.requireInteger(1);
  return int64Type();
}
Parts emitCodePointAt(CallEmission &c) {
  if (Value &bytes = *c.argument(0); isBytes(bytes.type))
    return {
        c.b.CreateZExt(ElementsOf(c.e, bytes).at(c.scalar(1, int64Type()))[0], c.b.getInt64Ty())};
  return {codePointAt(c.e, c.e.parts(*c.argument(0)), c.scalar(1, int64Type()))};
}

Type typeSetCodePoint(CallTyping &t) {
  requireTextOrBytes(t, 0);
  t.requireInteger(1);
  t.requireInteger(2);
  return noneType();
}
/// Uses the runtime's function for copying a string, on one code point.
Parts emitSetCodePoint(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Value &target = *c.argument(0);
  Parts text = c.e.parts(target);
  llvm::Value *index = c.scalar(1, int64Type()), *code = c.scalar(2, int64Type());
  auto store = [&](llvm::Type *type) {
    b.CreateStore(b.CreateTrunc(code, type), b.CreateInBoundsGEP(type, text[0], index));
  };
  if (isBytes(target.type)) {
    store(b.getInt8Ty());
    return {};
  }
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(b.getContext(), name, &c.e.llvmFunction());
  };
  llvm::BasicBlock *narrow = block("narrow"), *wide = block("wide"), *done = block("written");
  b.CreateCondBr(b.CreateICmpEQ(text[2], c.e.int64(1)), narrow, wide);
  auto storeIn = [&](llvm::BasicBlock *in, llvm::Type *type) {
    b.SetInsertPoint(in);
    store(type);
    b.CreateBr(done);
  };
  storeIn(narrow, b.getInt8Ty());
  storeIn(wide, b.getInt32Ty());
  b.SetInsertPoint(done);
  return {};
}

Type typeCopyInto(CallTyping &t) {
  requireTextOrBytes(t, 0);
  t.requireInteger(1);
  requireTextOrBytes(t, 2);
  if (isBytes(t.type(0)) != isBytes(t.type(2)))
    t.failAt(2, "strings and bytes do not mix");
  return noneType();
}
Parts emitCopyInto(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Value &target = *c.argument(0), &source = *c.argument(2);
  llvm::Value *first = c.scalar(1, int64Type());
  if (isBytes(target.type)) {
    llvm::Value *place = b.CreateInBoundsGEP(b.getInt8Ty(), c.e.parts(target)[0], first);
    ElementsOf(c.e, source).forEach([&](const Parts &byte, llvm::Value *number) {
      b.CreateStore(byte[0], b.CreateInBoundsGEP(b.getInt8Ty(), place, number));
    });
    return {};
  }
  Parts place = makeSubstring(c.e, c.e.parts(target), first, c.e.int64(0));
  copyTextInto(c.e, place, c.e.parts(source));
  return {};
}

Type typeSubstring(CallTyping &t) {
  requireTextOrBytes(t, 0);
  t.requireInteger(1);
  t.requireInteger(2);
  return t.type(0);
}
Parts emitSubstring(CallEmission &c) {
  if (Value &bytes = *c.argument(0); isBytes(bytes.type))
    return {ElementsOf(c.e, bytes).addressOfElementNumber(c.scalar(1, int64Type())),
            c.scalar(2, int64Type()), c.e.parts(bytes)[2]};
  return makeSubstring(c.e, c.e.parts(*c.argument(0)), c.scalar(1, int64Type()),
                       c.scalar(2, int64Type()));
}

Type typeReadNumber(CallTyping &t) {
  requireText(t, 0);
  return tupleType({boolType(), float64Type()});
}
Parts emitReadNumber(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Type *wide = b.getInt64Ty(), *pointer = b.getPtrTy();
  Parts text = c.e.parts(*c.argument(0));
  llvm::AllocaInst *place = c.e.makeStackSlot(b.getDoubleTy(), 1, llvm::Align(8));
  llvm::Value *is =
      b.CreateCall(declareRuntimeFunction(c.e, simt::readNumberFunction, b.getInt8Ty(),
                                          {pointer, wide, wide, pointer}),
                   {text[0], text[1], text[2], place});
  return {b.CreateICmpNE(is, b.getInt8(0)), b.CreateLoad(b.getDoubleTy(), place)};
}

Type typeStringMethodInPython(CallTyping &t) {
  constantMethodName(t);
  requireText(t, 1);
  return runtimeStringType();
}
Type typeStringTestInPython(CallTyping &t) {
  constantMethodName(t);
  requireText(t, 1);
  return boolType();
}
Parts emitStringMethodInPython(CallEmission &c) {
  return emitPythonFormatCall(c.e, c.call, c.argument(0)->constant->text, {c.argument(1)});
}

void requireFormattable(const CallTyping &t, unsigned i) {
  if (!isFormattable(t.type(i)))
    t.failAt(i, "a " + t.rules().noun + " makes no text of " + t.type(i).name(),
             "numbers, bools, strings, None and tuples of them have one");
}

std::vector<Value *> argumentsOf(Value &call) {
  return {call.operands.begin() + 1, call.operands.end()};
}

Type typeFormat(CallTyping &t) {
  requireText(t, 0);
  for (unsigned i = 1; i < t.argumentCount(); ++i)
    requireFormattable(t, i);
  return runtimeStringType();
}
Parts emitFormat(CallEmission &c) {
  return emitPythonFormatCall(c.e, c.call, "str.format", argumentsOf(c.call));
}

Type typePercentFormat(CallTyping &t) {
  requireText(t, 0);
  requireFormattable(t, 1);
  return runtimeStringType();
}
Parts emitPercentFormat(CallEmission &c) {
  return emitPythonFormatCall(c.e, c.call, "percent", argumentsOf(c.call));
}

/// The library implements the other arguments in Python.
Type typeWrongBytes(CallTyping &t) {
  t.failAt(0,
           "bytes() takes a number of zeros, integers, an array or bytes, not " + t.type(0).name());
}

constexpr LibraryRow rows[] = {
    forClass({"builtins.bytes", "(source)", "A bytes object of zeros, integers or an array.",
              typeWrongBytes, emitNoValue},
             isBytes),
    {"host.new_text", "(like, length, width)",
     "A string or bytes object, as `like`, with room for a number of code points.", typeNewText,
     emitNewText},
    {"host.text_width", "(text)",
     "The bytes of each code point: 1 if all are below 256, otherwise 4.", typeCharacterWidth,
     emitCharacterWidth},
    {"host.code_of", "(text, i)", "The code point or byte at i, which must be in bounds.",
     typeCodePointAt, emitCodePointAt, 0, true},
    {"host.set_code", "(text, i, code)", "Writes a code point of a text under construction.",
     typeSetCodePoint, emitSetCodePoint},
    {"host.put_text", "(text, i, other)", "Writes a text into one under construction.",
     typeCopyInto, emitCopyInto},
    {"host.part_of", "(text, first, length)",
     "A substring, or a part of a bytes object, in the same memory.", typeSubstring, emitSubstring},
    {"host.read_number", "(text)", "True if a string is a float, and its value.", typeReadNumber,
     emitReadNumber},
    {"host.text_by_python", "(name, text)", "The result of a Python string method, a string.",
     typeStringMethodInPython, emitStringMethodInPython},
    {"host.ask_python", "(name, text)", "What a method of Python's says of a string.",
     typeStringTestInPython, emitStringMethodInPython},
    {"str.format", "(self, *values)", "The string with its replacement fields filled in.",
     typeFormat, emitFormat},
    {"host.percent", "(text, values)", "text % values.", typePercentFormat, emitPercentFormat},
};

} // namespace

llvm::ArrayRef<LibraryRow> textLibrary() {
  static constexpr auto table = mapRows(rows, hostOnly);
  return table;
}

} // namespace heddle::python
