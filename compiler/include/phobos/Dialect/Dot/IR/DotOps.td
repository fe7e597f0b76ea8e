// All ops of the dot dialect, by family.
#ifndef PHOBOS_DOT_OPS_TD
#define PHOBOS_DOT_OPS_TD

include "phobos/Dialect/Dot/IR/ContractOps.td"
include "phobos/Dialect/Dot/IR/StageOps.td"
include "phobos/Dialect/Dot/IR/MmaOps.td"
include "phobos/Dialect/Dot/IR/HopperOps.td"

#endif
