// What went wrong, where, and what to do: the one shape of every message to a user.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

/// A range of source text. Lines count from 1, columns (in characters) from 0; the end is exclusive. `line` 0 means
/// "nowhere in the source".
struct Span {
  unsigned line = 0;
  unsigned column = 0;
  unsigned endLine = 0;
  unsigned endColumn = 0;
};

/// A user's source file, or the part of it that defines a function. Line `firstLine` of the file is `lines[0]`.
struct SourceText {
  std::string file;
  unsigned firstLine = 1;
  std::vector<std::string> lines;

  /// The text of a line by its number in the file; empty when it is not part of this text.
  std::string line(unsigned number) const;
};

/// Which Python exception an error becomes (see python/heddle/errors.py).
enum class ErrorKind {
  Typing,   ///< heddle.TypingError: the types do not fit, or a name is unknown
  Constant, ///< the same, also Python's ValueError: a constant is out of its range
  Result,   ///< the same, also Python's TypeError: a kernel returns a value
  Member, ///< the same, also Python's AttributeError and KeyError: a module or a record has no such name
  Unsupported, ///< heddle.UnsupportedError: valid Python that heddle does not compile
  Lowering,    ///< heddle.LoweringError: a device cannot run what was asked (resources, limits)
  Internal,    ///< heddle.InternalError: a broken promise inside heddle; always a bug
  Value,       ///< ValueError: a launch parameter or argument value out of range
  Type,        ///< TypeError: an argument of the wrong kind or number
  Memory,      ///< MemoryError
};

/// One message. `file` and `span` say where; `underlined` is what stands behind the caret (usually types); `notes`
/// are further facts, `hint` one sentence that says what to do; `compiling` names the function, its argument types
/// and the device.
struct Diagnostic {
  ErrorKind kind = ErrorKind::Typing;
  std::string message;
  std::string file;
  Span span;
  std::string sourceLine;
  std::string underlined;
  std::vector<std::string> notes;
  std::string hint;
  std::string compiling;
};

/// The diagnostic as text, without the exception's name, in the form
///
///     histogram.py:14: cannot index a 2-D array with 3 indices
///        14 |     cuda.atomic.add(h, (i, j, k), 1)
///           |                        ^^^^^^^^^ (int64, int64, int64)
///       h is array(int32, 2d, C)
///       hint: h has shape (rows, bins): two indices select an element
///       compiling hist_kernel(array(float32, 1d, C), array(int32, 2d, C)) for cpu
///
/// `colour` adds ANSI colours for a terminal.
std::string render(const Diagnostic &d, bool colour = false);

/// An error with a diagnostic. `what()` is the rendered text without colour.
class CompileError : public std::runtime_error {
public:
  explicit CompileError(Diagnostic d);
  CompileError(ErrorKind kind, std::string message);
  const Diagnostic &diagnostic() const { return diagnostic_; }
  Diagnostic &diagnostic() { return diagnostic_; }

private:
  Diagnostic diagnostic_;
};

} // namespace heddle
