// One run of the embedded Clang.
#pragma once

#include "frontend/cuda/clang/ast_facts.h"
#include "frontend/cuda/options.h"
#include "simt/ir/owned_module.h"

#include <string>

namespace heddle::cudacpp {

/// What Clang makes of a source: its IR as generated, which is not SIMT IR yet.
struct Translation {
  simt::OwnedModule code;
  AstFacts facts;
  std::string log; ///< warnings
};

/// Parses and generates code. Throws CompileError (Typing) with Clang's errors; a crash of Clang's is one, too. To be
/// called in a runCompiler.
Translation translate(const std::string &source, const std::string &file, const Options &options,
                      unsigned architecture);

/// Writes parsedPrelude(standard) to a file: a step of the build. Throws CompileError.
void writeParsedPrelude(const std::string &standard, const std::string &file);

} // namespace heddle::cudacpp
