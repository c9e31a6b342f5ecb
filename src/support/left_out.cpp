// Replaces the functions that cmake/LeftOut.cmake removes from the link.
#include "llvm/Support/ErrorHandling.h"

extern "C" [[noreturn]] void heddle_left_out() {
  llvm::report_fatal_error("called a function that cmake/LeftOut.cmake removes from the link");
}
