// The syntax tree of a Python function in C++: the contents of `ast`, with spans, and independent of Python.
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
  // Expressions. `children` in this order:
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
  List,          ///< elements; in kernels only as the operand of `in` and in for loops
  Dict,          ///< a key and a value, and so on
  Set,           ///< items
  Comprehension, ///< an empty list, dict or set; `body` adds the items to its variable, `text`
  Walrus,        ///< target (a Name), value
  Starred,       ///< operand
  Yield,         ///< value or nothing; `text` is "from" for a `yield from`
  Lambda,        ///< `function`; the default value of each parameter that has one, in order
  // Statements:
  Return,    ///< value or nothing
  Assign,    ///< targets, then the value last
  AugAssign, ///< target, value; `op` is a BinaryOp
  For,       ///< target, iterable; `body`, `orelse`
  /// The range; `function` runs a part of the iterations; `names` are the assigned variables (parallel_loops.h).
  Parallel,
  /// A For in the function of a Parallel, over the iterations [.first, .last); `names` are private to each iteration.
  ChunkLoop,
  While, ///< condition; `body`, `orelse`
  If,    ///< condition; `body`, `orelse`
  Expr,  ///< expression
  Pass,  ///< also a docstring, and an annotation without a value
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
  Match,    ///< the subject; `body` has a Case for each pattern
  Case,     ///< pattern, guard or null; `body`
  // Patterns:
  MatchValue, ///< an expression; `op` is the CompareOp to compare with
  MatchAs,    ///< a pattern or null; `text` is the variable to bind, empty for `_`
  MatchOr,    ///< alternative patterns
  // Any other Python syntax: `text` names it ("list comprehensions", "try statements").
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
  std::vector<NodePtr> children;
  std::vector<NodePtr> body;
  std::vector<NodePtr> orelse;
  std::vector<uint8_t> ops;
  std::vector<std::string> names;
  std::shared_ptr<FunctionSource> function;
};

enum class ParameterKind : uint8_t {
  Plain,
  Variadic,    ///< `*name`: a tuple of the remaining positional arguments
  KeywordOnly, ///< after a Variadic one or a bare `*`
  /// A parameter of a nested function that holds a closure variable of the outer function or the default value of
  /// another parameter. Captured parameters come last and cannot be passed by keyword.
  Captured,
};

struct Parameter {
  std::string name;
  Span span;
  std::optional<Constant> defaultValue;
  ParameterKind kind = ParameterKind::Plain;
  /// For nested functions: the name of the Captured parameter with the default value.
  std::string capturedDefault;

  bool hasDefault() const { return defaultValue || !capturedDefault.empty(); }
};

enum class ReductionKind : uint8_t { Sum, Product, Min, Max, And, Or, Xor };

/// A variable that the iterations of a parallel loop reduce into.
struct Reduction {
  std::string name;
  ReductionKind kind;
  Span span;      ///< of the first reducing statement
  Span conflict;  ///< of a statement with a different reduction; line 0 if there is none
  Span otherRead; ///< of another read in an iteration
  Span rebinding; ///< of a statement `total = total + x`; line 0 if all are `total += x`
  std::shared_ptr<FunctionSource> combine; ///< combines two partial results
};

/// The parameter and result types of a signature.
struct DeclaredTypes {
  std::vector<Type> parameters;
  Type result; ///< unknown if the signature omits it
};

/// A function as input to the front end: its syntax, its location, and the environment of its free names.
struct FunctionSource {
  std::string name;
  std::string qualifiedName;
  SourceText text;
  Span span; ///< of the `def` line
  std::vector<Parameter> parameters;
  std::vector<NodePtr> body;
  std::shared_ptr<Environment> environment;
  /// The result and parameter types from a signature; unknown and empty without one.
  Type declaredResult;
  std::vector<Type> declaredParameters;
  /// The types from all signatures. Calls from host functions select one of them.
  std::vector<DeclaredTypes> declared;
  std::map<std::string, Type> declaredVariables; ///< types to which assigned values are converted
  /// The name by which a nested function refers to itself in recursive calls.
  std::string ownName;
  /// True if several threads run its prange loops (parallel_loops.h).
  bool parallel = false;
  /// True if several threads evaluate array expressions.
  bool runsArrayExpressionsOnThreadPool = false;
  /// True if threads share its loops and expressions when they share those of the caller.
  bool sharesAsCaller = false;
  bool yields = false; ///< a call makes a generator, which runs the body
  /// True if divisions by zero give NumPy's results, as in numba's parallel loop bodies.
  bool dividesAsNumPy = false;
  /// For the function of a parallel loop: the reductions. They are its parameters after the first two.
  std::vector<Reduction> reductions;
  /// The globals of earlier compilations, by argument types. Later compilations for the same types reuse them.
  std::map<std::string, std::shared_ptr<const Globals>> compiledWith;
  /// Set if the function is not Python code. It then has no body.
  std::optional<Declaration> declaration;
};

} // namespace heddle::python
