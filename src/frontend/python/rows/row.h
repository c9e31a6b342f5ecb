// The table rows of the library: every function and value that a kernel may use by name. A row has the signature, the
// documentation, the typing rule and the emission. docs/reference is generated from the rows.
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

/// A value as SIMT IR scalars. A scalar has one (bool is i1), a tuple those of its elements, and an array its pointer,
/// extents and strides in bytes. A value that exists at compile time only has none.
using Parts = llvm::SmallVector<llvm::Value *, 4>;

/// Special treatment of a row's calls by other parts of the front end.
enum class Meaning : uint8_t {
  Plain,        ///< none: the functions of the row suffice
  Elementwise,  ///< NumPy scalar function, also applied to arrays and with an output array
  Reduction,    ///< reduces an array to a number
  LocalArray,   ///< allocates a thread-private array
  SharedArray,  ///< allocates a block-shared array, or denotes the dynamically sized one
  GridPosition, ///< one number per grid dimension; the argument is the number of dimensions
  Unroll,       ///< a loop over its argument is unrolled
  TypeQuestion, ///< answered by the final type of its argument
  Getattr,      ///< calls become attributes
  Slice,        ///< calls are slices, as in brackets
  Next,         ///< advances its argument, an iterator with state
  Iteration,    ///< iterates over its arguments like a for loop
  SharedRange,  ///< the iterations of a loop over it may run in several threads
  Part,         ///< the result is a part of its argument, in the same memory
  Append,       ///< appends to its first argument, whose items may be None
  Length,       ///< the length of its argument; for a view of a dict, that of the dict
};

struct LibraryRow {
  const char *name; ///< "cuda.atomic.add"; math and numpy functions under their module's name
  /// "(ary, idx, val)": names the parameters; `=` marks optional ones; empty for a value
  const char *signature;
  const char *doc; ///< one sentence
  Type (*type)(CallTyping &);
  Parts (*emit)(CallEmission &);
  unsigned data = 0;        ///< operation code for rows that share functions
  bool nonNegative = false; ///< the result, or each element of it, is never negative
  // Set by few rows, through the functions below.
  const char *difference = "";         ///< difference from numba.cuda, one sentence
  const char *devices = "CPU and GPU"; ///< devices that support it
  Meaning meaning = Meaning::Plain;
  Targets targets = Target::Kernel;
  unsigned writes = 0; ///< bit i: may write to memory that is reachable from parameter i
  /// Calls change no memory but that of `writes`, keep no reference to an argument except in their result, and run no
  /// code of the program. Calls of other rows may do anything: see effectsOf().
  bool hasKnownEffects = false;
  bool ofConstants = false; ///< its arguments must be compile-time constants
  /// Reads each element of its first argument once, in a separate loop.
  bool readsOnce = false;
  /// Arguments may be None at run time. Other rows assume that they are not.
  bool takesNone = false;
  bool (*isClassOf)(Type) = nullptr; ///< for a class: true for the types of its instances
  /// Emits a call with complex numbers; null if the row does not accept them. For rows that share functions.
  Parts (*emitComplex)(CallEmission &) = nullptr;
  bool hasAnyExtent = false; ///< it makes an array of any extent from an address
  /// Suggests a replacement if the row does not accept complex numbers.
  const char *hintForComplex = "";

  bool isValue() const { return signature[0] == '\0'; }
  /// True for rows that are called as `object.name(...)`; the object is the first argument.
  bool isMethod() const { return std::string_view(signature).starts_with("(self"); }
  /// The name as a user writes it.
  std::string_view displayName() const { return nameWithoutBuiltinsPrefix(name); }
  /// The two parts of the name: "cuda.atomic" and "add".
  std::string_view module() const { return std::string_view(name).substr(0, lastDot()); }
  std::string_view lastName() const { return std::string_view(name).substr(lastDot() + 1); }

private:
  size_t lastDot() const { return std::string_view(name).rfind('.'); }
};

// Modifiers for rows in the tables:
//
//     withDifference({"math.floor", "(x)", "...", typeUnary, emitFloor}, "numba returns an integer"),

/// A row that behaves differently from numba.cuda.
constexpr LibraryRow withDifference(LibraryRow row, const char *difference) {
  row.difference = difference;
  return row;
}

/// A row that is also available outside kernels.
constexpr LibraryRow onAllTargets(LibraryRow row) {
  row.targets = Target::Kernel | Target::Host;
  return row;
}

/// A row that is available only outside kernels.
constexpr LibraryRow hostOnly(LibraryRow row) {
  row.targets = Target::Host;
  return row;
}

constexpr LibraryRow withMeaning(LibraryRow row, Meaning meaning) {
  row.meaning = meaning;
  return row;
}

/// The index of a parameter in the signature. Fails to compile if there is none with that name.
consteval unsigned parameterIndex(std::string_view parameter, std::string_view signature) {
  for (unsigned number = 0;; ++number) {
    std::string_view rest = signature.substr(1);
    if (rest.starts_with(parameter) && std::string_view(",=)").find(rest[parameter.size()]) < 3)
      return number;
    signature = signature.substr(signature.find(' ', 1));
  }
}

/// A row that may write to memory that is reachable from an argument.
consteval LibraryRow withWrites(LibraryRow row, const char *parameter) {
  row.writes |= 1u << parameterIndex(parameter, row.signature);
  return row;
}

/// A row whose only effects are its result and its writes. Most tables state this of all their rows.
constexpr LibraryRow withKnownEffects(LibraryRow row) {
  row.hasKnownEffects = true;
  return row;
}

/// A row whose arguments must be compile-time constants. A device function that passes its parameters to the row is
/// compiled for each combination of their values.
constexpr LibraryRow withConstantArguments(LibraryRow row) {
  row.ofConstants = true;
  return row;
}

constexpr LibraryRow withAnyExtent(LibraryRow row) {
  row.hasAnyExtent = true;
  return row;
}

constexpr LibraryRow withNoneArguments(LibraryRow row) {
  row.takesNone = true;
  return row;
}

/// A row for a class. `isClassOf` gives the result of isinstance(x, name) for the type of x.
constexpr LibraryRow forClass(LibraryRow row, bool (*isClassOf)(Type)) {
  row.isClassOf = isClassOf;
  return row;
}

/// Applies modifiers to every row of a table.
template <size_t n, class... Changes>
constexpr std::array<LibraryRow, n> mapRows(const LibraryRow (&rows)[n], Changes... changes) {
  std::array<LibraryRow, n> out{};
  for (size_t i = 0; i < n; ++i) {
    out[i] = rows[i];
    ((out[i] = changes(out[i])), ...);
  }
  return out;
}

/// The row with that name; null if there is none, or none for that target.
const LibraryRow *findLibraryRow(const std::string &name);
const LibraryRow *findLibraryRow(const std::string &name, Target target);
/// Every row, in the order of the tables.
std::vector<const LibraryRow *> libraryRows();

// The tables, one per file.
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
llvm::ArrayRef<LibraryRow> functionTagLibrary();
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
llvm::ArrayRef<LibraryRow> fragmentLibrary();
llvm::ArrayRef<LibraryRow> warpgroupLibrary();
llvm::ArrayRef<LibraryRow> pipelineLibrary();
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

/// A parameter of a row's signature.
struct SignatureParameter {
  std::string name;
  bool optional;
};
std::vector<SignatureParameter> parseParameters(const LibraryRow &row);

/// Gives a library row's `type` function access to the call: its arguments, operands and source.
class CallTyping {
public:
  CallTyping(const TypedFunction &function, Value &call, const LibraryRow &row);

  /// The function that contains the call.
  const TypedFunction &function() const { return function_; }
  const FunctionSource &source() const { return *function_.source; }
  const TargetRules &rules() const { return *function_.rules; }
  const LibraryRow &row() const { return row_; }
  Value &call() const { return call_; }
  /// Arguments in signature order; null for an optional one that is not given.
  Value *argument(unsigned i) const { return i < arguments_.size() ? arguments_[i] : nullptr; }
  unsigned argumentCount() const { return given_; }
  Type type(unsigned i) const { return arguments_[i]->type; }
  const Constant *constant(unsigned i) const;

  /// The source location of argument `i`.
  Span spanOf(unsigned i) const;
  /// Throws a TypingError that underlines argument `i`, or the whole call.
  [[noreturn]] void failAt(unsigned i, std::string message, std::string hint = "",
                           ErrorKind kind = ErrorKind::Typing) const;
  [[noreturn]] void fail(std::string message, std::string hint = "") const;
  /// Fails unless argument `i` is a scalar.
  void requireScalar(unsigned i) const;
  /// Fails unless argument `i` is a scalar or a complex number.
  void requireNumber(unsigned i) const;
  void requireInteger(unsigned i) const;

private:
  const TypedFunction &function_;
  Value &call_;
  const LibraryRow &row_;
  std::vector<Value *> arguments_;
  unsigned given_ = 0;
};

/// The arguments of `call` in signature order, including keyword arguments; null for omitted ones. If they do not fit
/// the signature, returns nothing and sets `problem`.
std::optional<std::vector<Value *>> matchArguments(const LibraryRow &row, const Value &call,
                                                   std::string &problem);

} // namespace heddle::python
