# Finds LLVM and MLIR 22 and makes them usable as static libraries.

if(NOT MLIR_DIR AND EXISTS /usr/lib/llvm-22/lib/cmake/mlir)
  set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir)
endif()
find_package(MLIR REQUIRED CONFIG) # its version file takes no bare major version
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Phobos needs LLVM and MLIR 22, found ${LLVM_VERSION} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Debian builds the MLIR archives against the LLVM dylib and says so in their link interfaces. Linked as they are, two copies
# of LLVM, each with its own option registry and pass registry, end up in one process.
foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(libs)
    list(REMOVE_ITEM libs LLVM "$<LINK_ONLY:LLVM>")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
  endif()
endforeach()

separate_arguments(PHOBOS_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
