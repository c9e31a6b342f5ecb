// Functions with `yield`. A call allocates a frame (frame.h), owned by the resulting generator. Resuming runs the body
// from the resume point in the frame to the next yield or the end. References are held by slots (owners.h) inside the
// frame. Another function releases them when the generator is deleted.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits the body of `f`, the function that releases its references, and `constructor`, which calls of `f` run.
void emitGenerator(ModuleEmitter &module, TypedFunction &f, llvm::Function &constructor);

/// The function for the body, `i8 (ptr frame)`, declared on first use. It returns a simt::GeneratorStep.
llvm::Function *getOrDeclareResumeFunction(ModuleEmitter &module, TypedFunction &f);

// For use in a generator's body:
void bindGeneratorArguments(Emitter &e);
void emitYield(Emitter &e, Value &given);

} // namespace heddle::python
