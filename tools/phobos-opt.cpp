// phobos-opt: passes on IR by hand. Everything is in libphobos.
#include "phobos/Driver/Tools.h"

int main(int argc, char **argv) { return phobos::optMain(argc, argv); }
