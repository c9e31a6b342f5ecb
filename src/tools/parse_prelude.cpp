// parse-prelude: a build step that writes the parsed form of heddle/read_ahead.h for one language standard (c++17).

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
