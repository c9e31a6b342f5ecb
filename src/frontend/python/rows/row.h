// The functions and values that a kernel may use by name: one table row each, with its signature, its documentation,
// how it is typed and how it is emitted. docs/reference is made from these rows.
#pragma once

#include "frontend/python/ssa/ir.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Value;
}

namespace heddle::python {

class CallTyping;
class CallEmission;

/// A value of a kernel as SIMT IR has it: the scalars that its type is made of. A scalar is one (bool is i1), a tuple
/// its elements', an array its pointer, extents and strides in bytes; what exists while compiling only has none.
using Parts = llvm::SmallVector<llvm::Value *, 4>;

struct LibraryEntry {
  const char *name; ///< "cuda.atomic.add"; math and numpy functions under their module's name
  const char *
      signature; ///< "(ary, idx, val)": names the parameters; `=` marks optional ones; empty for a value
  const char *doc; ///< one sentence
  Type (*type)(CallTyping &);
  Parts (*emit)(CallEmission &);
  unsigned data = 0;                   ///< for rows that share their functions: which operation
  bool nonNegative = false;            ///< the result, or each element of it, is never negative
  const char *difference = "";         ///< from numba.cuda, one sentence; see differing()
  const char *devices = "CPU and GPU"; ///< which devices have it
  bool takesNone = false; ///< arguments may be None at run time; others are taken to be a value

  bool isValue() const { return signature[0] == '\0'; }
  /// Called as `object.name(...)`; the object is the first argument.
  bool isMethod() const { return std::string_view(signature).starts_with("(self"); }
  /// The name as a user writes it.
  std::string_view shown() const { return shownName(name); }
};

/// A row of something that numba.cuda does in another way, for the tables:
///
///     differing({"math.floor", "(x)", "...", typeUnary, emitFloor}, "numba returns an integer"),
constexpr LibraryEntry differing(LibraryEntry entry, const char *difference) {
  entry.difference = difference;
  return entry;
}

/// The row of that name; null when there is none.
const LibraryEntry *findLibraryEntry(const std::string &name);
/// Every row, in the order of the tables.
std::vector<const LibraryEntry *> libraryEntries();

// The tables, one a file.
llvm::ArrayRef<LibraryEntry> builtinLibrary();
llvm::ArrayRef<LibraryEntry> numberLibrary();
llvm::ArrayRef<LibraryEntry> printLibrary();
llvm::ArrayRef<LibraryEntry> stringLibrary();
llvm::ArrayRef<LibraryEntry> languageLibrary();
llvm::ArrayRef<LibraryEntry> operatorLibrary();
llvm::ArrayRef<LibraryEntry> mathLibrary();
llvm::ArrayRef<LibraryEntry> cmathLibrary();
llvm::ArrayRef<LibraryEntry> halfLibrary();
llvm::ArrayRef<LibraryEntry> numpyLibrary();
llvm::ArrayRef<LibraryEntry> cudaLibrary();
llvm::ArrayRef<LibraryEntry> atomicLibrary();
llvm::ArrayRef<LibraryEntry> arrayLibrary();
llvm::ArrayRef<LibraryEntry> reductionLibrary();
llvm::ArrayRef<LibraryEntry> ufuncLibrary();
llvm::ArrayRef<LibraryEntry> vectorLibrary();
llvm::ArrayRef<LibraryEntry> cacheHintLibrary();
llvm::ArrayRef<LibraryEntry> warpLibrary();
llvm::ArrayRef<LibraryEntry> pointerLibrary();
llvm::ArrayRef<LibraryEntry> libdeviceLibrary();

/// The parameter names of a signature and whether each is optional.
struct SignatureParameter {
  std::string name;
  bool optional;
};
std::vector<SignatureParameter> parametersOf(const LibraryEntry &entry);

/// What a row's `type` function sees of the call.
class CallTyping {
public:
  CallTyping(const FunctionSource &source, Value &call, const LibraryEntry &entry);

  const FunctionSource &source() const { return source_; }
  const LibraryEntry &entry() const { return entry_; }
  Value &call() const { return call_; }
  /// Arguments in the order of the signature; null where an optional one was not given.
  Value *argument(unsigned i) const { return i < arguments_.size() ? arguments_[i] : nullptr; }
  unsigned count() const { return given_; }
  Type type(unsigned i) const { return arguments_[i]->type; }
  const Constant *constant(unsigned i) const;

  /// Where argument `i` is written.
  Span spanOf(unsigned i) const;
  /// A TypingError under argument `i`, or under the whole call.
  [[noreturn]] void failAt(unsigned i, std::string message, std::string hint = "") const;
  [[noreturn]] void fail(std::string message, std::string hint = "") const;
  /// Fails unless argument `i` is a scalar.
  void needScalar(unsigned i) const;
  /// Fails unless argument `i` is a scalar or a complex number.
  void needNumber(unsigned i) const;
  void needInteger(unsigned i) const;

private:
  const FunctionSource &source_;
  Value &call_;
  const LibraryEntry &entry_;
  std::vector<Value *> arguments_;
  unsigned given_ = 0;
};

/// The arguments of `call` in the order of the row's signature, keywords in their places, null where not given.
/// Nothing when they do not fit; `problem` then says how.
std::optional<std::vector<Value *>> matchArguments(const LibraryEntry &entry, const Value &call,
                                                   std::string &problem);

} // namespace heddle::python
