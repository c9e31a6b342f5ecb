# find_package(heddle) gives the target heddle::heddle.
include(${CMAKE_CURRENT_LIST_DIR}/heddleTargets.cmake)
