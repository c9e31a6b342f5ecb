// The functions and values that a kernel may use by name: one table row each, with its signature, its documentation,
// how it is typed and how it is emitted. docs/reference is made from these rows.
#pragma once

#include "frontend/python/ssa/ir.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>

namespace llvm {
class Value;
}

namespace heddle::python {

class CallTyping;
class CallEmission;

/// A value of a kernel as SIMT IR has it: the scalars that its type is made of. A scalar is one (bool is i1), a tuple
/// its elements', an array its pointer, extents and strides in bytes; what exists while compiling only has none.
using Parts = llvm::SmallVector<llvm::Value *, 4>;

/// What a row is to those who treat the calls of some rows in a way of their own.
enum class Meaning : uint8_t {
  Plain,        ///< its functions say everything
  Elementwise,  ///< NumPy's function of numbers, which goes over arrays, too, into an output array
  Reduction,    ///< makes a number of a whole array
  LocalArray,   ///< makes an array of the thread's own
  SharedArray,  ///< makes an array of the block's, or is the one whose size the launch gives
  GridPosition, ///< one number for each dimension that its argument asks for
  Unroll,       ///< a loop over its argument is a copy of its body for each item
  TypeQuestion, ///< its answer follows from the type that its argument has in the end
  Getattr,      ///< a call of it becomes an attribute
  Slice,        ///< a call of it is a slice, as between brackets
  Next,         ///< it goes on with its argument, which keeps where it is
};

struct LibraryRow {
  const char *name; ///< "cuda.atomic.add"; math and numpy functions under their module's name
  const char *
      signature; ///< "(ary, idx, val)": names the parameters; `=` marks optional ones; empty for a value
  const char *doc; ///< one sentence
  Type (*type)(CallTyping &);
  Parts (*emit)(CallEmission &);
  unsigned data = 0;        ///< for rows that share their functions: which operation
  bool nonNegative = false; ///< the result, or each element of it, is never negative
  // What few rows say, by the functions below.
  const char *difference = "";         ///< from numba.cuda, one sentence
  const char *devices = "CPU and GPU"; ///< which devices have it
  Meaning meaning = Meaning::Plain;
  Targets targets = Target::Kernel;
  unsigned writes = 0;      ///< bit i: it may write to the memory that parameter i leads to
  bool ofConstants = false; ///< its arguments must be known while compiling
  bool readsOnce =
      false; ///< it reads each element of its first argument once, in a loop of its own
  bool takesNone = false; ///< arguments may be None at run time; others are taken to be a value
  bool (*isClassOf)(Type) = nullptr; ///< whether values of a type are instances of it, for a class
  /// Emits a call with complex numbers, for rows that share their functions; null where it takes none.
  Parts (*emitComplex)(CallEmission &) = nullptr;
  bool hasAnyExtent = false;       ///< it makes an array of any extent of an address
  const char *hintForComplex = ""; ///< what to use for complex numbers, which it does not take

  bool isValue() const { return signature[0] == '\0'; }
  /// Called as `object.name(...)`; the object is the first argument.
  bool isMethod() const { return std::string_view(signature).starts_with("(self"); }
  /// The name as a user writes it.
  std::string_view shown() const { return shownName(name); }
  /// The two parts of the name: "cuda.atomic" and "add".
  std::string_view module() const { return std::string_view(name).substr(0, lastDot()); }
  std::string_view lastName() const { return std::string_view(name).substr(lastDot() + 1); }

private:
  size_t lastDot() const { return std::string_view(name).rfind('.'); }
};

// What few rows say is written around them in the tables:
//
//     differing({"math.floor", "(x)", "...", typeUnary, emitFloor}, "numba returns an integer"),

/// A row of something that numba.cuda does in another way.
constexpr LibraryRow differing(LibraryRow row, const char *difference) {
  row.difference = difference;
  return row;
}

/// A row that exists outside of kernels, too.
constexpr LibraryRow everywhere(LibraryRow row) {
  row.targets = Target::Kernel | Target::Host;
  return row;
}

/// A row that exists outside of kernels only.
constexpr LibraryRow onHost(LibraryRow row) {
  row.targets = Target::Host;
  return row;
}

constexpr LibraryRow meaning(LibraryRow row, Meaning meaning) {
  row.meaning = meaning;
  return row;
}

/// The number of a parameter of the signature. Does not compile when there is none of that name.
consteval unsigned numberOf(std::string_view parameter, std::string_view signature) {
  for (unsigned number = 0;; ++number) {
    std::string_view rest = signature.substr(1);
    if (rest.starts_with(parameter) && std::string_view(",=)").find(rest[parameter.size()]) < 3)
      return number;
    signature = signature.substr(signature.find(' ', 1));
  }
}

/// A row that may write to the memory that an argument leads to.
consteval LibraryRow writing(LibraryRow row, const char *parameter) {
  row.writes |= 1u << numberOf(parameter, row.signature);
  return row;
}

/// A row whose arguments decide what is compiled. A device function that hands its parameters on to it is compiled anew
/// for other values of them.
constexpr LibraryRow ofConstants(LibraryRow row) {
  row.ofConstants = true;
  return row;
}

constexpr LibraryRow ofAnyExtent(LibraryRow row) {
  row.hasAnyExtent = true;
  return row;
}

constexpr LibraryRow takingNone(LibraryRow row) {
  row.takesNone = true;
  return row;
}

/// A row of a class: what isinstance(x, name) asks of the type of x.
constexpr LibraryRow classOf(LibraryRow row, bool (*isClassOf)(Type)) {
  row.isClassOf = isClassOf;
  return row;
}

/// A table whose rows all say something more.
template <size_t n, class Change>
constexpr std::array<LibraryRow, n> eachOf(const LibraryRow (&rows)[n], Change change) {
  std::array<LibraryRow, n> out{};
  for (size_t i = 0; i < n; ++i)
    out[i] = change(rows[i]);
  return out;
}

/// The row of that name; null when there is none, or none for that target.
const LibraryRow *findLibraryRow(const std::string &name);
const LibraryRow *findLibraryRow(const std::string &name, Target target);
/// Every row, in the order of the tables.
std::vector<const LibraryRow *> libraryRows();

// The tables, one a file.
llvm::ArrayRef<LibraryRow> builtinLibrary();
llvm::ArrayRef<LibraryRow> parallelLibrary();
llvm::ArrayRef<LibraryRow> threadLibrary();
llvm::ArrayRef<LibraryRow> listLibrary();
llvm::ArrayRef<LibraryRow> tableLibrary();
llvm::ArrayRef<LibraryRow> typedContainerLibrary();
llvm::ArrayRef<LibraryRow> numberLibrary();
llvm::ArrayRef<LibraryRow> printLibrary();
llvm::ArrayRef<LibraryRow> stringLibrary();
llvm::ArrayRef<LibraryRow> textLibrary();
llvm::ArrayRef<LibraryRow> languageLibrary();
llvm::ArrayRef<LibraryRow> generatorLibrary();
llvm::ArrayRef<LibraryRow> choiceLibrary();
llvm::ArrayRef<LibraryRow> literalLibrary();
llvm::ArrayRef<LibraryRow> operatorLibrary();
llvm::ArrayRef<LibraryRow> mathLibrary();
llvm::ArrayRef<LibraryRow> cmathLibrary();
llvm::ArrayRef<LibraryRow> halfLibrary();
llvm::ArrayRef<LibraryRow> numpyLibrary();
llvm::ArrayRef<LibraryRow> cudaLibrary();
llvm::ArrayRef<LibraryRow> atomicLibrary();
llvm::ArrayRef<LibraryRow> arrayLibrary();
llvm::ArrayRef<LibraryRow> reductionLibrary();
llvm::ArrayRef<LibraryRow> ufuncLibrary();
llvm::ArrayRef<LibraryRow> vectorLibrary();
llvm::ArrayRef<LibraryRow> cacheHintLibrary();
llvm::ArrayRef<LibraryRow> warpLibrary();
llvm::ArrayRef<LibraryRow> pointerLibrary();
llvm::ArrayRef<LibraryRow> libdeviceLibrary();
llvm::ArrayRef<LibraryRow> typeLibrary();
llvm::ArrayRef<LibraryRow> tupleLibrary();
llvm::ArrayRef<LibraryRow> elementLibrary();
llvm::ArrayRef<LibraryRow> searchLibrary();
llvm::ArrayRef<LibraryRow> asArrayLibrary();
llvm::ArrayRef<LibraryRow> numpyNumberLibrary();
llvm::ArrayRef<LibraryRow> iteratorLibrary();
llvm::ArrayRef<LibraryRow> newArrayLibrary();
llvm::ArrayRef<LibraryRow> foreignCallLibrary();

/// The parameter names of a signature and whether each is optional.
struct SignatureParameter {
  std::string name;
  bool optional;
};
std::vector<SignatureParameter> parametersOf(const LibraryRow &row);

/// What a row's `type` function sees of the call.
class CallTyping {
public:
  CallTyping(const TypedFunction &function, Value &call, const LibraryRow &row);

  /// The function that the call stands in.
  const TypedFunction &function() const { return function_; }
  const FunctionSource &source() const { return *function_.source; }
  const TargetRules &rules() const { return *function_.rules; }
  const LibraryRow &row() const { return row_; }
  Value &call() const { return call_; }
  /// Arguments in the order of the signature; null where an optional one was not given.
  Value *argument(unsigned i) const { return i < arguments_.size() ? arguments_[i] : nullptr; }
  unsigned count() const { return given_; }
  Type type(unsigned i) const { return arguments_[i]->type; }
  const Constant *constant(unsigned i) const;

  /// Where argument `i` is written.
  Span spanOf(unsigned i) const;
  /// A TypingError under argument `i`, or under the whole call.
  [[noreturn]] void failAt(unsigned i, std::string message, std::string hint = "",
                           ErrorKind kind = ErrorKind::Typing) const;
  [[noreturn]] void fail(std::string message, std::string hint = "") const;
  /// Fails unless argument `i` is a scalar.
  void needScalar(unsigned i) const;
  /// Fails unless argument `i` is a scalar or a complex number.
  void needNumber(unsigned i) const;
  void needInteger(unsigned i) const;

private:
  const TypedFunction &function_;
  Value &call_;
  const LibraryRow &row_;
  std::vector<Value *> arguments_;
  unsigned given_ = 0;
};

/// The arguments of `call` in the order of the row's signature, keywords in their places, null where not given.
/// Nothing when they do not fit; `problem` then says how.
std::optional<std::vector<Value *>> matchArguments(const LibraryRow &row, const Value &call,
                                                   std::string &problem);

} // namespace heddle::python
