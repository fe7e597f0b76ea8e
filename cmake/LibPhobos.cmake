# libphobos: every library declared with phobos_library(), LLVM and MLIR, linked into one shared object that exports only
# phobos:: and the C entry points. Included after the folders that declare them.

get_property(libraries GLOBAL PROPERTY PHOBOS_LIBRARIES)
add_library(phobos SHARED)
# Objects rather than archives: what the binding calls need not be referred to from inside.
foreach(library IN LISTS libraries)
  target_sources(phobos PRIVATE $<TARGET_OBJECTS:${library}>)
endforeach()
target_link_libraries(phobos PRIVATE phobos_flags ${libraries})
target_include_directories(phobos INTERFACE ${PROJECT_SOURCE_DIR}/compiler/include ${PROJECT_SOURCE_DIR}/runtime/include)
set(exports ${PROJECT_SOURCE_DIR}/cmake/libphobos.map)
set_target_properties(phobos PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${exports})
target_link_options(phobos PRIVATE -Wl,--version-script=${exports} -Wl,--gc-sections -Wl,--icf=all -Wl,-Bsymbolic
  -Wl,--as-needed -Wl,--build-id=sha1 -Wl,-O1)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize") # whose runtime is the program's, not the library's
  target_link_options(phobos PRIVATE -Wl,--no-undefined)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_link_options(phobos PRIVATE -Wl,--strip-debug)
endif()
