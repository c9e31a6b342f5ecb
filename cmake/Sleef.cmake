# SLEEF, mathematical functions for vectors: a shared library (Debian's libsleef3), which goes beside our own under a name
# of ours and is opened when a program needs it. Boost Software License.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|aarch64|arm64")
  find_library(HEDDLE_SLEEF NAMES libsleef.so.3 DOC "Path of libsleef.so.3")
  if(NOT HEDDLE_SLEEF)
    message(FATAL_ERROR "libsleef.so.3, the mathematical functions of code for CPUs, is not here: install libsleef3 "
                        "(scripts/setup.sh does), or give its path with -DHEDDLE_SLEEF=<path>.")
  endif()
  set(HEDDLE_SLEEF_COPY ${CMAKE_BINARY_DIR}/libheddle-sleef.so)
  configure_file(${HEDDLE_SLEEF} ${HEDDLE_SLEEF_COPY} COPYONLY)
endif()

# heddle_install_sleef(FOLDER COMPONENT): installs it where our library goes.
function(heddle_install_sleef folder component)
  if(HEDDLE_SLEEF)
    install(PROGRAMS ${HEDDLE_SLEEF_COPY} DESTINATION ${folder} COMPONENT ${component})
  endif()
endfunction()
