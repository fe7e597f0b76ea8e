# phobos_library(NAME [MLIR] SOURCES … [LINK …] [DEPENDS …]): one static library a folder.
#   MLIR     includes MLIR headers: shares the one precompiled header (12 s a unit without it, 0.5 s with it)
#   LINK     other libraries of ours or LLVM's
#   DEPENDS  generated headers that must exist first

add_library(phobos_flags INTERFACE)
target_include_directories(phobos_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/compiler/include ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_BINARY_DIR}/compiler/include)
target_include_directories(phobos_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(phobos_flags INTERFACE ${PHOBOS_LLVM_DEFINITIONS})
target_compile_options(phobos_flags INTERFACE
  -fno-rtti -fno-exceptions -ffunction-sections -fdata-sections -fvisibility-inlines-hidden
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
if(PHOBOS_ASSERTIONS)
  target_compile_options(phobos_flags INTERFACE -UNDEBUG)
endif()
target_link_options(phobos_flags INTERFACE -fuse-ld=lld)

add_library(phobos_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/Pch.cpp)
target_link_libraries(phobos_pch PUBLIC phobos_flags)
target_precompile_headers(phobos_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Pch.h)
set_target_properties(phobos_pch PROPERTIES PCH_INSTANTIATE_TEMPLATES ON)
# What the headers in it refer to, some from inline functions that are always emitted.
set(PHOBOS_PCH_LIBRARIES MLIRIR MLIRPass MLIRTransformUtils MLIRTransforms MLIRArithDialect MLIRLLVMDialect MLIRNVVMDialect
  MLIRMathDialect MLIRSCFDialect MLIRUBDialect)

function(phobos_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC phobos_flags ${ARG_LINK})
  if(ARG_MLIR)
    target_precompile_headers(${name} REUSE_FROM phobos_pch)
    target_link_libraries(${name} PUBLIC ${PHOBOS_PCH_LIBRARIES})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY PHOBOS_LIBRARIES ${name})
endfunction()

# phobos_test(NAME SOURCES … LINK …): a GoogleTest program that ctest runs.
function(phobos_test name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE phobos_flags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  if(ARG_MLIR)
    target_precompile_headers(${name} REUSE_FROM phobos_pch)
    target_link_libraries(${name} PRIVATE ${PHOBOS_PCH_LIBRARIES})
    # The header was compiled with -fPIC; CMake would say -fPIE here, which does not agree with it.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  target_link_options(${name} PRIVATE -Wl,--gc-sections -Wl,--as-needed)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# phobos_subdirectories(BASE FOLDER …): adds those of BASE's folders, in this order, that have a CMakeLists.txt.
function(phobos_subdirectories base)
  foreach(folder IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS ${base}/${folder}/CMakeLists.txt)
    if(found)
      add_subdirectory(${base}/${folder})
    endif()
  endforeach()
endfunction()
