# The headers of CUDA C++ programs, embedded in the Clang layer: the files in src/frontend/cuda/headers, and those that
# forwarding_headers.txt lists.

set(folder ${CMAKE_SOURCE_DIR}/src/frontend/cuda/headers)
set(forwarding ${CMAKE_SOURCE_DIR}/src/frontend/cuda/forwarding_headers.txt)
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

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${forwarding})
file(STRINGS ${forwarding} lines REGEX "^[^#]")
foreach(line ${lines})
  if(NOT line MATCHES "^([^ :]+):( .+)?$")
    message(FATAL_ERROR "${forwarding}: not a line of the form 'path: what it includes': ${line}")
  endif()
  set(header ${CMAKE_MATCH_1})
  # No #pragma once: <cassert> is read again at each inclusion, the others guard themselves.
  string(REGEX REPLACE " ([^ ]+)" "#include <\\1>\\\\n" text "${CMAKE_MATCH_2}")
  string(APPEND rows "    {\"${header}\", \"${text}\"},\n")
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
set_source_files_properties(${HEDDLE_HEADERS_SOURCE} PROPERTIES OBJECT_DEPENDS "${headers}"
  SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
