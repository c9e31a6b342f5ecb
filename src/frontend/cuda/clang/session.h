// Runs the embedded Clang once.
#pragma once

#include "frontend/cuda/clang/ast_facts.h"
#include "frontend/cuda/options.h"
#include "simt/architecture.h"
#include "simt/ir/owned_module.h"

#include <string>

namespace heddle::cudacpp {

/// Clang's output for a source. The IR is as generated, not yet SIMT IR.
struct Translation {
  simt::OwnedModule code;
  AstFacts facts;
  std::string log; ///< warnings
};

/// Parses the source and generates code. Throws CompileError (Typing) with Clang's errors, or if Clang crashes. Must be
/// called inside runCompiler().
Translation translate(const std::string &source, const std::string &file, const Options &options,
                      Architecture architecture);

/// Writes parsedPrelude(standard) to a file. This is a build step. Throws CompileError.
void writeParsedPrelude(const std::string &standard, const std::string &file);

} // namespace heddle::cudacpp
