// The tile dialect: its page of prose.
#ifndef PHOBOS_TILE_DIALECT_TD
#define PHOBOS_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::phobos::tile";
  let summary = "What one CTA does to tiles of tensors";
  let description = [{
    A tile is a builtin ranked tensor of static shape with value semantics, so that `arith` and `math` apply to it
    elementwise and their folds work. Where its elements live (which register of which lane of which warp) is the tensor's
    encoding, `#tile.layout<…>`; it is absent until layouts are assigned, and present on every tile afterwards.

    The dialect has ops of its own only for what upstream lacks: the kernel, tensors in global memory (`!tile.view`), loads
    and stores of slices, changes of shape, reductions and scans, functions that arith and math lack, changes of layout, printing
    and assertions.

    Where arith leaves a result undefined, two ops have one here: `arith.fptosi` and `arith.fptoui` truncate, saturate, and
    make NaN 0.

    Extents that are not powers of two are padded up in the layout: the padding holds unspecified values, which no store
    writes and no reduction counts.

    Attributes of a kernel:
    - `tile.threads`: threads of a CTA, a power of two from 32 to 1024.
    - `tile.index_bits`: 32 or 64, the width of `index` after lowering.
    - `tile.dims`, a dictionary: known multiples of each dim, `{M = 64}`: promised (`@ph.aligned`) or found at launch.
    - `tile.min_blocks`, `tile.max_regs`: from `@ph.launch`.
    - `tile.persistent`: a CTA runs several blocks (`@ph.persistent`). `tile.queue`: it draws them from a counter (`order="queue"`).
    - `tile.cluster`: so many blocks along x and y run together (`@ph.cluster`).
    - `tile.dependent`: its start may overlap the end of the kernel before it in the stream (`@ph.dependent`).
    - `dot.tensorcore`: contractions may use tensor cores; a string, the treatment of f32 operands (`"tf32x3"`, `"tf32"`).
    - `dot.stages`: depth of the k loop's buffers asked for; 1 turns pipelining off. `dot.pipeline_asserted`: it is an error if no loop
      can be pipelined (`@ph.pipeline(stages=n)`; a tuned `stages` makes no such claim).
    The module carries `tile.chip`, the name of a chip of the table in Target/Chips.def.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif
