# Compiler settings and LLVM, shared by every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Another LLVM may live in the same process (numba, torch): nothing of ours is visible but the module's init.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(Threads REQUIRED)

# Static component archives; the shared libLLVM is never linked.
llvm_map_components_to_libnames(HEDDLE_LLVM_LIBS
  core support irreader asmparser bitreader bitwriter analysis passes coroutines linker
  transformutils scalaropts instcombine ipo vectorize target mc
  orcjit jitlink executionengine native nativecodegen)

add_library(heddle_options INTERFACE)
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_include_directories(heddle_options SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(heddle_options INTERFACE ${LLVM_DEFINITIONS} HEDDLE_VERSION="${PROJECT_VERSION}")
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections)
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()
if(HEDDLE_COVERAGE)
  target_compile_options(heddle_options INTERFACE --coverage -O1)
  target_link_options(heddle_options INTERFACE --coverage)
endif()
target_link_options(heddle_options INTERFACE -Wl,--gc-sections -Wl,--as-needed -Wl,--exclude-libs,ALL)
find_program(LLD NAMES ld.lld-22 ld.lld)
if(LLD)
  target_link_options(heddle_options INTERFACE -fuse-ld=lld)
endif()
