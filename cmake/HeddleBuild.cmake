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
# With CMAKE_UNITY_BUILD, which halves the time of a build from nothing: more would take longer after a changed line.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
# What runs hot is generated code; -O3 costs a fifth of the build time and buys the compiler nothing measurable.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness ccache refuses every file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # So that the same headers make the same file, which ccache needs.
  set(pch_options -Xclang -fno-pch-timestamp)
  # Executables, too: Clang shares precompiled headers between files of one code model only.
  set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
endif()

find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(Threads REQUIRED)

# Static component archives; the shared libLLVM is never linked.
llvm_map_components_to_libnames(HEDDLE_LLVM_LIBS
  core support irreader asmparser bitreader bitwriter analysis passes coroutines linker
  transformutils scalaropts instcombine ipo vectorize target mc
  orcjit jitlink executionengine native nativecodegen nvptxcodegen nvptxdesc nvptxinfo)

# LLVM's own link line names the shared zlib and zstd; their archives make the wheel independent of both.
find_library(HEDDLE_ZLIB_ARCHIVE libz.a)
find_library(HEDDLE_ZSTD_ARCHIVE libzstd.a)
get_target_property(support_libs LLVMSupport INTERFACE_LINK_LIBRARIES)
if(HEDDLE_ZLIB_ARCHIVE)
  list(TRANSFORM support_libs REPLACE "^ZLIB::ZLIB$" "${HEDDLE_ZLIB_ARCHIVE}")
endif()
if(HEDDLE_ZSTD_ARCHIVE)
  list(TRANSFORM support_libs REPLACE "^zstd::libzstd_shared$" "${HEDDLE_ZSTD_ARCHIVE}")
endif()
# Nothing of ours solves constraints, and there may be no archive of Z3 for a program that is linked statically.
list(FILTER support_libs EXCLUDE REGEX "(^|/|::)(lib)?z3")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${support_libs}")

add_library(heddle_options INTERFACE)
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_include_directories(heddle_options SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(heddle_options INTERFACE ${LLVM_DEFINITIONS} HEDDLE_VERSION="${PROJECT_VERSION}")
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wno-unused-parameter
                       -Wno-missing-field-initializers -ffunction-sections -fdata-sections ${pch_options})
if(HEDDLE_SANITIZE)
  # vptr: the checks would need type information that LLVM's archives keep to themselves.
  target_compile_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Python is not instrumented: the runtime is a library of its own, loaded before it (scripts/test_environment.sh).
    target_link_options(heddle_options INTERFACE -shared-libsan -Wl,-rpath,${LLVM_LIBRARY_DIR}/clang/22/lib/linux)
  endif()
  target_compile_definitions(heddle_options INTERFACE _GLIBCXX_ASSERTIONS)
  # A call's operand that is not there, a map's end that is read: only the assertions of LLVM's headers see them.
  target_compile_options(heddle_options INTERFACE -UNDEBUG)
  if(HEDDLE_SANITIZE MATCHES undefined)
    target_compile_options(heddle_options INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=vptr)
    # function: the check reads what Clang writes before each function, and compiled kernels begin at the start of a page.
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      target_compile_options(heddle_options INTERFACE -fno-sanitize=function)
    endif()
  endif()
endif()
if(HEDDLE_COVERAGE)
  target_compile_options(heddle_options INTERFACE --coverage -fprofile-update=atomic -O1)
  target_link_options(heddle_options INTERFACE --coverage)
endif()
if(NOT APPLE)
  target_link_options(heddle_options INTERFACE -Wl,--gc-sections -Wl,--as-needed -Wl,--exclude-libs,ALL)
endif()
find_program(LLD NAMES ld.lld-22 ld.lld)
if(LLD)
  # gcc looks for `ld.lld` by that name; Debian's is called ld.lld-22 and has the plain name in LLVM's own folder.
  get_filename_component(lld_folder "${LLVM_TOOLS_BINARY_DIR}" ABSOLUTE)
  target_link_options(heddle_options INTERFACE -fuse-ld=lld -B${lld_folder})
  if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_COVERAGE)
    # Functions of equal code become one: 7 of 91 MB, most from LLVM's templates. No code needs them to have two addresses.
    # GCC splits cold parts off functions, whose code can be equal while their frames differ: folded, exceptions that
    # unwind through them end the process. `safe` leaves GCC's code alone.
    # -O2: a string that ends another is a part of it.
    target_link_options(heddle_options INTERFACE
                        $<$<CONFIG:Release>:-Wl,--icf=$<IF:$<CXX_COMPILER_ID:GNU>,safe,all>,-O2>)
    # Addresses that the loader adjusts take a bit each, instead of 24 bytes: 4 of 81 MB. The C library can since glibc 2.36.
    include(CheckCXXSourceRuns)
    set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=lld -B${lld_folder} -Wl,-z,pack-relative-relocs -Wl,--fatal-warnings)
    check_cxx_source_runs("int main() { return 0; }" HEDDLE_PACKED_ADDRESSES)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(HEDDLE_PACKED_ADDRESSES AND (NOT HEDDLE_GLIBC OR HEDDLE_GLIBC VERSION_GREATER_EQUAL 2.36))
      target_link_options(heddle_options INTERFACE $<$<CONFIG:Release>:-Wl,-z,pack-relative-relocs>)
    endif()
  endif()
endif()
