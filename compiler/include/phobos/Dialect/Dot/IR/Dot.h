// The dot dialect: the stage type and the ops.
#pragma once

#include "phobos/Dialect/Tile/IR/Tile.h"

#include "phobos/Dialect/Dot/IR/DotDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "phobos/Dialect/Dot/IR/DotTypes.h.inc"

#define GET_OP_CLASSES
#include "phobos/Dialect/Dot/IR/DotOps.h.inc"
