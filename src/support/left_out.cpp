// Replaces the functions that cmake/LeftOut.cmake removes from the link.
#include "llvm/Support/ErrorHandling.h"

extern "C" [[noreturn]] void heddle_left_out() {
  llvm::report_fatal_error("a function was called that cmake/LeftOut.cmake leaves out");
}
