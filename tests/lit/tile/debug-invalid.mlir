// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a print or an assertion that no line could be made of gets past the verifier.

tile.kernel @shapes(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %i: index) {
  // expected-error @+1 {{expected tiles of one shape and layout, got 'tensor<8x4xf32>' and 'tensor<4x8xf32>'}}
  tile.print "t" at %i, %i, %i with %a, %b : tensor<8x4xf32>, tensor<4x8xf32>
  tile.return
}

// -----

#rows = #tile.layout<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = []>
#lanes = #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = []>
tile.kernel @layouts(%a: tensor<4xf32, #rows>, %b: tensor<4xf32, #lanes>, %i: index) {
  // expected-error @+1 {{expected tiles of one shape and layout}}
  tile.print "t" at %i, %i, %i with %a, %b : tensor<4xf32, #rows>, tensor<4xf32, #lanes>
  tile.return
}

// -----

tile.kernel @view(%A: !tile.view<?xf32>, %i: index) {
  // expected-error @+1 {{expected numbers and tiles of static shape, got '!tile.view<?xf32>'}}
  tile.print "A" at %i, %i, %i with %A : !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @signs(%i: index) {
  // expected-error @+1 {{expected `unsigned` for 1 values, got 2}}
  tile.print "i" at %i, %i, %i with %i unsigned [true, false] : index
  tile.return
}

// -----

tile.kernel @text(%i: index) {
  // expected-error @+1 {{expected a text without zero bytes}}
  tile.print "a\00b" at %i, %i, %i
  tile.return
}

// -----

tile.kernel @condition(%t: tensor<4xi8>, %i: index) {
  // expected-error @+1 {{expected an i1 or a tile of i1, got 'tensor<4xi8>'}}
  tile.assert %t, "t" at %i, %i, %i : tensor<4xi8>
  tile.return
}

// -----

tile.kernel @message(%c: i1, %i: index) {
  // expected-error @+1 {{expected a message without zero bytes}}
  tile.assert %c, "\00" at %i, %i, %i : i1
  tile.return
}
