// Where calls of the functions go that cmake/LeftOut.cmake leaves out.
#include "llvm/Support/ErrorHandling.h"

extern "C" [[noreturn]] void heddle_left_out() {
  llvm::report_fatal_error("a function was called that cmake/LeftOut.cmake leaves out");
}
