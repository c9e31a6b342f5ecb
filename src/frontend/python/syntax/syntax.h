// The syntax tree of a Python function, as C++ owns it: what the `ast` module says, with spans, and nothing of Python.
#pragma once

#include "frontend/python/syntax/foreign_code.h"
#include "frontend/python/types/constant.h"
#include "frontend/python/types/promotion.h"
#include "support/diagnostic.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::python {

enum class NodeKind : uint8_t {
  // Expressions. `kids` in this order:
  Name,          ///< `text`
  Literal,       ///< `value`
  Binary,        ///< left, right; `op` is a BinaryOp
  Unary,         ///< operand; `op` is a UnaryOp
  And,           ///< two or more operands
  Or,            ///< two or more operands
  Compare,       ///< left, then one operand for each of `ops` (CompareOp)
  Call,          ///< function, positional arguments, then one value for each of `names` (keywords)
  IfElse,        ///< condition, value if true, value if false
  Attribute,     ///< object; `text`
  Subscript,     ///< object, index
  Slice,         ///< lower, upper, step; null where absent
  Tuple,         ///< elements
  List,          ///< elements; kernels have lists only as what `in` goes over or looks into
  Dict,          ///< a key and a value, and so on
  Set,           ///< items
  Comprehension, ///< a list, dict or set, the variable `text`, that `body` puts items into
  Walrus,        ///< target (a Name), value
  Starred,       ///< operand
  Yield,         ///< value or nothing; `text` is "from" for a `yield from`
  Lambda,        ///< `function`; one kid for each of its parameters with a default value, in order
  // Statements:
  Return,    ///< value or nothing
  Assign,    ///< targets, then the value last
  AugAssign, ///< target, value; `op` is a BinaryOp
  For,       ///< target, iterable; `body`, `orelse`
  Parallel, ///< the range; `function` runs some of its rounds; `names` are what it assigns (parallel_loops.h)
  Rounds, ///< as For, in such a function: rounds `.first` to `.last`; `names` are each round's own
  While,  ///< condition; `body`, `orelse`
  If,     ///< condition; `body`, `orelse`
  Expr,   ///< expression
  Pass,   ///< also a docstring, and an annotation without a value
  Break,
  Continue,
  Assert,   ///< condition; `text` is the message, `value` set when there is one
  Raise,    ///< exception or nothing
  Try,      ///< `body`; `orelse` is an Except for each clause, then perhaps an Else; or a Finally
  Except,   ///< the class or null; `text` is the variable or empty; `body`
  Else,     ///< `body`
  Finally,  ///< `body`
  Delete,   ///< targets
  Global,   ///< `names`: read as the function's globals
  Function, ///< as Lambda; `text` is its name
  Match,    ///< what is matched; `body` has a Case for each pattern
  Case,     ///< pattern, guard or null; `body`
  // Patterns:
  MatchValue, ///< an expression; `op` is the CompareOp by which it is compared
  MatchAs,    ///< a pattern or null; `text` is the variable that takes the value, empty for `_`
  MatchOr,    ///< patterns, of which one must fit
  // Anything else that Python has: `text` says what ("list comprehensions", "try statements").
  Unsupported,
};

struct FunctionSource;
struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
  NodeKind kind = NodeKind::Pass;
  uint8_t op = 0;
  Span span;
  std::string text;
  Constant value;
  std::vector<NodePtr> kids;
  std::vector<NodePtr> body;
  std::vector<NodePtr> orelse;
  std::vector<uint8_t> ops;
  std::vector<std::string> names;
  std::shared_ptr<FunctionSource> function;
};

enum class ParameterKind : uint8_t {
  Plain,
  Variadic,    ///< `*name`: a tuple of the positional arguments that no other parameter takes
  KeywordOnly, ///< after a Variadic one or a bare `*`
  /// What a function defined in a kernel finds in its closure: a variable of the function around it, or the value that
  /// a parameter has by default. The last parameters; no call names them.
  Captured,
};

struct Parameter {
  std::string name;
  Span span;
  std::optional<Constant> defaultValue;
  ParameterKind kind = ParameterKind::Plain;
  /// Of a function defined in a kernel: the name of the Captured parameter that holds the default value.
  std::string capturedDefault;

  bool hasDefault() const { return defaultValue || !capturedDefault.empty(); }
};

enum class ReductionKind : uint8_t { Sum, Product, Min, Max, And, Or, Xor };

/// A variable that the rounds of a parallel loop reduce into.
struct Reduction {
  std::string name;
  ReductionKind kind;
  Span span;      ///< of the first statement that does
  Span conflict;  ///< of one that does it in another way; no line where there is none
  Span otherRead; ///< where the rounds read it besides
  std::shared_ptr<FunctionSource> combine; ///< makes one partial result of two
};

/// What a function takes and returns, as a signature declares it.
struct DeclaredTypes {
  std::vector<Type> parameters;
  Type result; ///< unknown where the signature does not say it
};

/// A function as the front end gets it: its syntax, where it stands, and where its free names are found.
struct FunctionSource {
  std::string name;
  std::string qualifiedName;
  SourceText text;
  Span span; ///< of the `def` line
  std::vector<Parameter> parameters;
  std::vector<NodePtr> body;
  std::shared_ptr<Environment> environment;
  /// Declared by a signature: the result's type and the parameters'; unknown and empty when not.
  Type declaredResult;
  std::vector<Type> declaredParameters;
  std::vector<DeclaredTypes>
      declared; ///< by all signatures; a function of the host that calls it takes one of them
  std::map<std::string, Type> declaredVariables; ///< what is assigned to them is converted
  /// The name that the function itself has for its body, when it is defined in a kernel and calls itself.
  std::string ownName;
  /// Whether loops over prange are to be run by several threads (parallel_loops.h).
  bool parallel = false;
  bool sharesExpressions =
      false; ///< whether several threads are to compute expressions of whole arrays
  /// Whether threads share its loops and expressions where they share those of its caller.
  bool sharesAsCaller = false;
  bool yields = false; ///< a call makes a generator, which runs the body
  /// Whether divisions by zero give what NumPy's do: those of rounds that several threads share, as in numba.
  bool dividesAsNumPy = false;
  /// Of a function that runs rounds of a parallel loop: its parameters after the first two.
  std::vector<Reduction> reductions;
  /// What it was compiled with, by its arguments' types. It is compiled with the same again, for a caller of it say.
  std::map<std::string, std::shared_ptr<const Globals>> compiledWith;
  /// Of a function whose code is not Python: it has no body.
  std::optional<Declaration> declaration;
};

} // namespace heddle::python
