// cuda.compile, cuda.compile_ptx and their variants: compile to PTX without a launch or a GPU.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

void bindCompileAhead(nanobind::module_ &m);

} // namespace heddle
