// The unit that carries the shared precompiled header; see Phobos.cmake.
