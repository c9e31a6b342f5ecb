// Strings of functions of the host: the address of the code points, how many there are, and the bytes of each: 1 where all
// are below 256, else 4. A slice with a step of 1 is in the same memory.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// A string that is known, in UTF-8.
Parts knownText(Emitter &e, const std::string &text);
/// `count` code points from number `first` on, in the same memory.
Parts partOfText(Emitter &e, const Parts &text, llvm::Value *first, llvm::Value *count);
/// The code point at `index`, which is there, as an int64.
llvm::Value *codePointAt(Emitter &e, const Parts &text, llvm::Value *index);
/// `text[index]`. Raises IndexError.
Parts emitTextIndex(Emitter &e, Value &v);
llvm::Value *compareTexts(Emitter &e, CompareOp op, const Parts &a, const Parts &b);
/// An int64, equal for equal strings.
llvm::Value *hashOfText(Emitter &e, llvm::ArrayRef<llvm::Value *> text);
/// A new string, which `v` is, with room for so many code points.
Parts newText(Emitter &e, const Value &v, llvm::Value *length, llvm::Value *width);
/// Writes `text` into one that is being made, from its first place on.
void putText(Emitter &e, const Parts &place, const Parts &text);
/// A new string, which `v` is, with the same code points.
Parts copyOfText(Emitter &e, const Value &v, const Parts &text);
/// `chr(code)`, which `v` is: a code point that there is.
Parts characterOf(Emitter &e, const Value &v, llvm::Value *code);
/// The text of a number or a bool, which `v` is.
Parts textOfNumber(Emitter &e, const Value &v, llvm::Value *number, Type type);

/// Whether Python can make a text of values of a type.
bool isFormatted(Type type);
/// What Python makes of values: `how` names it (host/texts.h). A text, which `v` is, or a bool.
Parts pythonText(Emitter &e, const Value &v, const std::string &how,
                 llvm::ArrayRef<Value *> arguments);

/// Which of its parts are the addresses of strings.
llvm::SmallVector<unsigned, 2> textsIn(Type type, llvm::LLVMContext &context);

/// A function of the runtime.
llvm::FunctionCallee runtimeFunction(Emitter &e, const char *name, llvm::Type *result,
                                     llvm::ArrayRef<llvm::Type *> parameters);

} // namespace heddle::python
