// cuda.compile, cuda.compile_ptx and their variants: PTX without a launch, and without a GPU.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

void bindCompileAhead(nanobind::module_ &m);

} // namespace heddle
