// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a layout whose bases have different ranks is accepted.

// expected-error @+1 {{expected a basis of 2 coordinates, got 1}}
#acc = #tile.layout<register = [[0, 1], [8]], lane = [], warp = []>
