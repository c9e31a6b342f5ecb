// Diagnostics: the common form of all messages to users, with a location and a hint.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

/// A range of source text. Lines count from 1, columns (in characters) from 0; the end is exclusive. `line` is 0 if the
/// source position is unknown.
struct Span {
  unsigned line = 0;
  unsigned column = 0;
  unsigned endLine = 0;
  unsigned endColumn = 0;
};

/// The source text of a file, or of one function in it. `lines[0]` is line `firstLine` of the file.
struct SourceText {
  std::string file;
  unsigned firstLine = 1;
  std::vector<std::string> lines;

  /// The text of line `number` of the file; empty if this text does not contain it.
  std::string line(unsigned number) const;
};

/// The Python exception class that an error maps to (see python/heddle/errors.py).
enum class ErrorKind {
  Typing,   ///< heddle.TypingError: types do not match, or a name is unknown
  Constant, ///< TypingError and ValueError: a constant is out of range
  Result,   ///< TypingError and TypeError: a kernel returns a value
  Member, ///< TypingError, AttributeError and KeyError: no such member of a module, class or record
  Unsupported, ///< heddle.UnsupportedError: valid Python that heddle does not compile
  Lowering,    ///< heddle.LoweringError: the device cannot run the code (resources, limits)
  Internal,    ///< heddle.InternalError: a violated invariant; always a bug in heddle
  Value,       ///< ValueError: a launch parameter or argument value out of range
  Type,        ///< TypeError: an argument of the wrong kind or number
  Memory,      ///< MemoryError
};

/// A message to the user. `file` and `span` give the location; `underlined` is printed next to the carets (usually the
/// types). `notes` add facts, and `hint` is one sentence that suggests a fix. `compiling` names the function, its
/// argument types and the device.
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

/// Renders the diagnostic as text, without the name of the exception class:
///
///     histogram.py:14: cannot index a 2-D array with 3 indices
///        14 |     cuda.atomic.add(h, (i, j, k), 1)
///           |                        ^^^^^^^^^ (int64, int64, int64)
///       h is array(int32, 2d, C)
///       hint: h has shape (rows, bins): two indices select an element
///       compiling hist_kernel(array(float32, 1d, C), array(int32, 2d, C)) for cpu
///
/// `color` adds ANSI colors for a terminal.
std::string render(const Diagnostic &d, bool color = false);

/// An error with a diagnostic. `what()` is the rendered text without color.
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
