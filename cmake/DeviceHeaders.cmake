# The headers of CUDA C++ programs (src/frontend/cuda/headers), embedded in the Clang layer.

set(folder ${CMAKE_SOURCE_DIR}/src/frontend/cuda/headers)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*)
set(HEDDLE_HEADERS_SOURCE ${CMAKE_BINARY_DIR}/device_headers.cpp)
set(bytes)
set(declarations)
set(rows)
set(count 0)
foreach(header ${headers})
  string(APPEND bytes
    "        \"heddle_header_${count}:\\n.incbin \\\"${folder}/${header}\\\"\\nheddle_header_${count}_end: .byte 0\\n\"\n")
  string(APPEND declarations "extern const char heddle_header_${count}[], heddle_header_${count}_end[];\n")
  string(APPEND rows "    {\"${header}\", {heddle_header_${count}, size_t(heddle_header_${count}_end - heddle_header_${count})}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(CONFIGURE OUTPUT ${HEDDLE_HEADERS_SOURCE} @ONLY CONTENT [[
// The bytes of the device headers, for frontend/cuda/clang/device_headers.h.
#include "frontend/cuda/clang/device_headers.h"

__asm__(".section .rodata\n"
@bytes@        ".previous\n");
extern "C" {
@declarations@}

llvm::ArrayRef<heddle::cudacpp::Header> heddle::cudacpp::embeddedHeaders() {
  static const Header table[] = {
@rows@  };
  return table;
}
]])
list(TRANSFORM headers PREPEND ${folder}/)
set_source_files_properties(${HEDDLE_HEADERS_SOURCE} PROPERTIES OBJECT_DEPENDS "${headers}" SKIP_PRECOMPILE_HEADERS ON)
