// parse-prelude: a step of the build. Writes the parsed form of heddle/read_ahead.h by a standard (c++17) to a file.

#include "frontend/cuda/clang/session.h"
#include "support/diagnostic.h"

#include <cstdio>

int main(int count, char **arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: parse-prelude STANDARD FILE\n");
    return 2;
  }
  try {
    heddle::cudacpp::writeParsedPrelude(arguments[1], arguments[2]);
  } catch (const heddle::CompileError &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
