// Functions with `yield`. A call makes a frame (frame.h), which its result, a generator, owns. The function's body resumes
// it: it goes on at the frame's place, until the next yield or its end. What it refers to is in its slots (owners.h), which
// lie in the frame; another function releases them when the generator is deleted.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits the body of `f`, and `constructor`, which a call runs.
void emitGenerator(ModuleEmitter &module, TypedFunction &f, llvm::Function &constructor);

/// `i8 (ptr frame)`, the body: it returns a simt::GeneratorStep.
llvm::Function *resumeFunction(ModuleEmitter &module, TypedFunction &f);

// In the body:
void bindArgumentsOfGenerator(Emitter &e);
void emitYield(Emitter &e, Value &given);

} // namespace heddle::python
