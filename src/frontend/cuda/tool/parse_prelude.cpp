// parse-prelude: a step of the build. Writes the parsed form of heddle/read_ahead.h to a file.

#include "frontend/cuda/clang_session.h"
#include "support/diagnostic.h"

#include <cstdio>

int main(int count, char **arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: parse-prelude FILE\n");
    return 2;
  }
  try {
    heddle::cudacpp::writeParsedPrelude(arguments[1]);
  } catch (const heddle::CompileError &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
