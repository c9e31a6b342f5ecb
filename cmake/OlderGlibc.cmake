# HEDDLE_GLIBC=2.28: the extension module also runs with this version of glibc, older than this machine's. The linker
# binds functions to the versions in stubs (scripts/wheel/older_glibc.py); src/support/os/older_glibc.cpp has the
# functions that the older glibc lacks.

# heddle_run_with_older_glibc(TARGET)
function(heddle_run_with_older_glibc target)
  if(NOT HEDDLE_GLIBC)
    return()
  endif()
  set(stubs ${CMAKE_BINARY_DIR}/glibc-${HEDDLE_GLIBC})
  set(script ${CMAKE_SOURCE_DIR}/scripts/wheel/older_glibc.py)
  set(compiler ${CMAKE_CXX_COMPILER})
  if(CMAKE_CROSSCOMPILING)
    string(APPEND compiler " --target=${CMAKE_CXX_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT} -fuse-ld=lld")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  execute_process(COMMAND ${Python_EXECUTABLE} ${script} ${HEDDLE_GLIBC} ${stubs} ${compiler} ${CMAKE_NM}
                  COMMAND_ERROR_IS_FATAL ANY)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:heddle_older_glibc>)
  target_link_directories(${target} BEFORE PRIVATE ${stubs})
  # libc.so.6 has the functions of both only since glibc 2.34.
  target_link_libraries(${target} PRIVATE pthread dl)
endfunction()
