// Rewrites nanobind's message for calls with wrong arguments:
//
//     max_blocks(): incompatible function arguments. The following       max_blocks() takes (block: int, dynamic: int = 0),
//     argument types are supported:                                  ->  not (str)
//         1. max_blocks(self, block: int, dynamic: int = 0) -> int
//
//     Invoked with types: heddle._heddle.Variant, str
//
// nanobind is compiled so that it calls this file's function instead of PyErr_SetString.

#include <Python.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

extern "C" void heddleSetErrorOfNanobind(PyObject *type, const char *text);

namespace heddle {

namespace {

constexpr std::string_view saysWrong = "(): incompatible function arguments.";
constexpr std::string_view saysGiven = "\nInvoked with types: ";

std::string removeAllOccurrences(std::string text, std::string_view part) {
  for (size_t at; (at = text.find(part)) != std::string::npos;)
    text.erase(at, part.size());
  return text;
}

/// The parameters in a line such as `1. f(self, x: int) -> int`, without the instance.
std::string parameterNames(std::string_view line) {
  size_t first = line.find('(') + 1;
  std::string inside(line.substr(first, line.rfind(") ->") - first));
  if (inside.starts_with("self"))
    inside.erase(0, inside.starts_with("self, ") ? 6 : 4);
  for (std::string_view part : {"heddle._heddle.", "collections.abc.", "/, "})
    inside = removeAllOccurrences(inside, part);
  return inside;
}

/// The last component of a dotted name: the class without its module.
std::string shortName(std::string_view name) {
  return std::string(name.substr(name.rfind('.') + 1)); // npos + 1 is 0
}

/// Splits `module.Class, int, kwargs = { stream: str }` into `Class`, `int` and `stream=str`.
std::vector<std::string> splitTypesOfArguments(std::string_view text) {
  constexpr std::string_view saysNamed = "kwargs = { ", endsNamed = " }";
  std::vector<std::string> result;
  while (!text.empty()) {
    if (text.starts_with(saysNamed)) {
      text.remove_prefix(saysNamed.size());
      text.remove_suffix(endsNamed.size());
    }
    std::string_view argument = text.substr(0, text.find(", "));
    text.remove_prefix(std::min(text.size(), argument.size() + 2));
    size_t colon = argument.find(": ");
    result.push_back(colon == argument.npos ? shortName(argument)
                                            : std::string(argument.substr(0, colon)) + "=" +
                                                  shortName(argument.substr(colon + 2)));
  }
  return result;
}

std::string joinNames(const std::vector<std::string> &names, size_t first) {
  std::string result;
  for (size_t i = first; i < names.size(); i++)
    result += (i > first ? ", " : "") + names[i];
  return result;
}

std::string rewriteNanobindMessage(std::string_view text) {
  std::string name(text.substr(0, text.find(saysWrong)));
  size_t given = text.rfind(saysGiven);
  std::vector<std::string> arguments = splitTypesOfArguments(text.substr(given + saysGiven.size()));
  std::string takes;
  bool isMethod = false;
  for (size_t at = text.find("\n    "); at < given; at = text.find("\n    ", at + 1)) {
    std::string_view line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    isMethod = line.find("(self") != std::string_view::npos;
    takes += (takes.empty() ? "(" : " or (") + parameterNames(line) + ")";
  }
  if (name == "__init__" && !arguments.empty())
    name = arguments.front();
  return name + "() takes " + takes + ", not (" + joinNames(arguments, isMethod) + ")";
}

} // namespace

} // namespace heddle

extern "C" void heddleSetErrorOfNanobind(PyObject *type, const char *text) {
  std::string_view view(text);
  if (view.find(heddle::saysWrong) == view.npos || view.rfind(heddle::saysGiven) == view.npos) {
    PyErr_SetString(type, text);
    return;
  }
  try {
    PyErr_SetString(type, heddle::rewriteNanobindMessage(view).c_str());
  } catch (const std::exception &) {
    PyErr_NoMemory();
  }
}
