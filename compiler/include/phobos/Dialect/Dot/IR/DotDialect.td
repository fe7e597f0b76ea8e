// The dot dialect: its page of prose, and the type of staged shared memory.
#ifndef PHOBOS_DOT_DIALECT_TD
#define PHOBOS_DOT_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Dot_Dialect : Dialect {
  let name = "dot";
  let cppNamespace = "::phobos::dot";
  let summary = "How a contraction runs";
  let description = [{
    `dot.contract` is what a kernel said; every other op here says how it runs: staged buffers in shared memory, copies into
    them, fragments read from them, and the instructions that multiply fragments.

    A *stage* is a buffer of n slots, each holding one tile. A copy fills a slot asynchronously; copies are committed in
    groups, and a wait lets at most `pending` groups be unfinished. A slot may be read after a wait that covers its copy and
    a barrier, and overwritten after a barrier that follows its last read.

    Scheduling attributes, written and read by the passes of Dot/Transforms:
    - `dot.latency` (i32) on an op: how many turns of the loop its result may be prefetched.
    - `dot.cluster` (i32) on an op of a loop: 0 runs ahead by the latency, 1 in its own turn.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::phobos::tile::TileDialect"];
}

class Dot_Op<string mnemonic, list<Trait> traits = []> : Op<Dot_Dialect, mnemonic, traits>;

def Dot_StageType : TypeDef<Dot_Dialect, "Stage"> {
  let mnemonic = "stage";
  let summary = "Slots of shared memory, each with room for one tile";
  let description = [{
    `order` names the dimensions from fastest to slowest. Rows along the fastest dimension are either swizzled (16-byte
    chunks exclusive-or'ed with the row number, so that neither rows nor columns of 8x8 matrices meet in a bank; see
    Layout/SharedLayout.h), or followed by `pad` bytes, or cut into `panels` of so many bytes, each with the hardware's swizzle of that
    width, as TMA writes and wgmma reads them.

    ```mlir
    !dot.stage<3 x 64x32xf16, order = [1, 0], swizzle>
    !dot.stage<2 x 16x128xf32, order = [1, 0], pad = 16>
    !dot.stage<4 x 128x64xf16, order = [1, 0], panels = 128>
    ```
  }];
  let parameters = (ins "unsigned":$slots, ArrayRefParameter<"int64_t", "shape of a tile">:$shape,
                        "::mlir::Type":$elementType, ArrayRefParameter<"int32_t", "fastest dimension first">:$order,
                        "bool":$swizzled, "unsigned":$padBytes, "unsigned":$panelBytes);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Bytes of one slot.
    uint64_t slotBytes() const;
    unsigned elementBits() const;
    StageType withSlots(unsigned slots) const;
  }];
}

#endif
