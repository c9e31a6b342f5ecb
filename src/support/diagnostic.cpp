#include "support/diagnostic.h"

#include "support/file_display_name.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

namespace heddle {

std::string SourceText::line(unsigned number) const {
  if (number < firstLine || number - firstLine >= lines.size())
    return "";
  return lines[number - firstLine];
}

namespace {

constexpr const char *bold = "\x1b[1m";
constexpr const char *red = "\x1b[31m";
constexpr const char *cyan = "\x1b[36m";
constexpr const char *plain = "\x1b[0m";

/// Counts the characters of UTF-8 text before byte `end`.
size_t countCharacters(const std::string &text, size_t end) {
  return std::count_if(text.begin(), text.begin() + std::min(end, text.size()),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

/// The terminal columns that a character takes: two for wide characters such as Chinese, zero for combining accents.
unsigned terminalColumns(llvm::StringRef character) {
  return std::max(llvm::sys::unicode::columnWidthUTF8(character), 0);
}

/// The line below the source line: blanks up to the span (tabs where the source has tabs), then carets for the span's
/// part of this line.
std::string caretLine(const Diagnostic &d) {
  const std::string &line = d.sourceLine;
  bool goesOn = d.span.endLine > d.span.line;
  std::string indent;
  unsigned column = 0, carets = 0;
  for (size_t i = 0; i < line.size(); ++column) {
    size_t next = i + 1;
    while (next < line.size() && (line[next] & 0xC0) == 0x80)
      ++next;
    unsigned width = terminalColumns(llvm::StringRef(line).slice(i, next));
    if (column < d.span.column)
      indent += line[i] == '\t' ? "\t" : std::string(width, ' ');
    else if (goesOn || column < d.span.endColumn)
      carets += line[i] == '\t' ? 1 : width;
    i = next;
  }
  if (column < d.span.column)
    indent.append(d.span.column - column, ' ');
  return indent + std::string(std::max(carets, 1U), '^');
}

/// Shortens a very long line to the text near the caret.
Diagnostic shortenLine(Diagnostic d) {
  constexpr size_t longest = 160, before = 40;
  std::string &line = d.sourceLine;
  if (line.size() <= longest || countCharacters(line, line.size()) != line.size())
    return d;
  size_t start = d.span.column > before ? d.span.column - before : 0;
  bool cutEnd = start + longest < line.size();
  line = (start ? "..." : "") + line.substr(start, longest) + (cutEnd ? "..." : "");
  unsigned shift = start ? start - 3 : 0, width = line.size();
  d.span.column -= shift;
  d.span.endColumn = std::min(d.span.endColumn > shift ? d.span.endColumn - shift : 0, width);
  return d;
}

} // namespace

std::string render(const Diagnostic &full, bool color) {
  Diagnostic d = shortenLine(full);
  auto paint = [&](const char *code, const std::string &text) {
    return color ? code + text + plain : text;
  };
  std::string out;
  if (!d.file.empty() && d.span.line)
    out += paint(bold, fileDisplayName(d.file) + ":" + std::to_string(d.span.line) + ":") + " ";
  out += paint(bold, d.message);
  if (!d.sourceLine.empty() && d.span.line) {
    std::string number = std::to_string(d.span.line);
    std::string margin(number.size(), ' ');
    out += "\n   " + number + " | " + d.sourceLine;
    out += "\n   " + margin + " | " + paint(red, caretLine(d));
    if (!d.underlined.empty())
      out += " " + d.underlined;
  }
  for (const std::string &note : d.notes)
    out += "\n  " + note;
  if (!d.hint.empty())
    out += "\n  " + paint(cyan, "hint:") + " " + d.hint;
  if (!d.compiling.empty())
    out += "\n  compiling " + d.compiling;
  return out;
}

CompileError::CompileError(Diagnostic d)
    : std::runtime_error(render(d)), diagnostic_(std::move(d)) {}

CompileError::CompileError(ErrorKind kind, std::string message)
    : CompileError(Diagnostic{.kind = kind, .message = std::move(message)}) {}

} // namespace heddle
