#include "frontend/python/syntax/unsupported.h"

#include <map>

namespace heddle::python {

std::string hintForUnsupported(const std::string &what) {
  static const std::map<std::string, std::string> sentences = {
      {"lists", "use a tuple for a few values, cuda.local.array(n, dtype) for many"},
      {"dicts", "use a tuple or an array that is indexed by number"},
      {"sets", "test with a tuple, as in x in (1, 2, 3)"},
      {"list comprehensions", "fill a cuda.local.array(n, dtype) in a loop"},
      {"set comprehensions", "write a loop over the values"},
      {"dict comprehensions", "fill a cuda.local.array(n, dtype) in a loop"},
      {"generator expressions", "write a loop over the values"},
      {"generators", "write the values into an array"},
      {"yield from", "write a loop: for x in values: yield x"},
      {"f-strings with formats", "the text of constants has the form of str(); write numbers into "
                                 "an array and format them on "
                                 "the host"},
      {"f-strings with !a", "write !r"},
      {"await expressions", "wait on the host, before or after the launch"},
      {"async functions", "leave out async: launches return before the kernel has run"},
      {"async for loops", "leave out async"},
      {"try statements",
       "test for the error before it happens, or use debug=True and catch it at the launch"},
      {"with statements", "do this on the host, around the launch"},
      {"imports", "import at the top of the file"},
      {"nonlocal statements", "pass an array of one element and write to it"},
      {"decorators of nested functions", "define the function outside of the kernel"},
      {"classes", "use a tuple, or an array with a structured dtype"},
      {"patterns of sequences", "match their elements one by one, or write if and elif"},
      {"patterns of mappings", "write if and elif"},
      {"patterns of classes", "write if isinstance(x, C)"},
  };
  auto found = sentences.find(what);
  return found == sentences.end() ? "" : found->second;
}

} // namespace heddle::python
