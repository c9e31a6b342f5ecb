// Strings in host functions: the address of the code points, their number, and their width in bytes, which is 1 if all
// code points are below 256, otherwise 4. A slice with step 1 shares the memory.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// A constant string in UTF-8.
Parts emitConstantText(Emitter &e, const std::string &text);
/// The substring of `count` code points from `first`, in the same memory.
Parts makeSubstring(Emitter &e, const Parts &text, llvm::Value *first, llvm::Value *count);
/// The code point at `index`, which must be in bounds, as an int64.
llvm::Value *codePointAt(Emitter &e, const Parts &text, llvm::Value *index);
/// `text[index]`. Raises IndexError.
Parts emitTextIndex(Emitter &e, Value &v);
llvm::Value *compareTexts(Emitter &e, CompareOp op, const Parts &a, const Parts &b);
/// The hash of a string, an int64.
llvm::Value *computeTextHash(Emitter &e, llvm::ArrayRef<llvm::Value *> text);
/// A new string, bound to `v`, with room for `length` code points.
Parts allocateText(Emitter &e, const Value &v, llvm::Value *length, llvm::Value *width);
/// Writes `text` to the start of a string under construction.
void copyTextInto(Emitter &e, const Parts &place, const Parts &text);
/// A copy of `text`, bound to `v`.
Parts copyText(Emitter &e, const Value &v, const Parts &text);
/// Emits `chr(code)` for a valid code point. The result is bound to `v`.
Parts makeCharacterText(Emitter &e, const Value &v, llvm::Value *code);
/// The text of a number or bool, bound to `v`.
Parts formatNumber(Emitter &e, const Value &v, llvm::Value *number, Type type);

/// True if Python can format values of the type.
bool isFormattable(Type type);
/// The result of formatting values in Python by `how` (host/texts.h): a string, bound to `v`, or a bool.
Parts emitPythonFormatCall(Emitter &e, const Value &v, const std::string &how,
                           llvm::ArrayRef<Value *> arguments);

/// The indices of those parts of a value that are addresses of strings.
llvm::SmallVector<unsigned, 2> partsThatAreStringAddresses(Type type, llvm::LLVMContext &context);

/// Declares a function of the runtime.
llvm::FunctionCallee declareRuntimeFunction(Emitter &e, const char *name, llvm::Type *result,
                                            llvm::ArrayRef<llvm::Type *> parameters);

} // namespace heddle::python
