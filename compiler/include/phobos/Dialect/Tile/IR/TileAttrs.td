// Layout attribute and view type.
#ifndef PHOBOS_TILE_ATTRS_TD
#define PHOBOS_TILE_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "phobos/Dialect/Tile/IR/TileDialect.td"

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "Where a tile's elements live: a linear map over F2";
  let description = [{
    The bases of a `phobos::layout::LinearLayout` (Zhou et al., "Linear Layouts", arXiv 2505.23819): entry i of `register`,
    `lane` or `warp` is the coordinate vector that bit i of the register number, lane or warp contributes; contributions
    combine by exclusive or. A zero vector replicates data. Extents are the tensor's, rounded up to powers of two.

    ```mlir
    tensor<16x8xf32, #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>>
    ```
  }];
  let parameters = (ins
    "unsigned":$rank,
    ArrayRefParameter<"int32_t", "register bases, rank numbers each">:$registers,
    ArrayRefParameter<"int32_t", "lane bases">:$lanes,
    ArrayRefParameter<"int32_t", "warp bases">:$warps);
  let hasCustomAssemblyFormat = 1;
}

def Tile_ViewType : TypeDef<Tile_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "A strided tensor in global memory";
  let description = [{
    Extents are `?` (bound at launch) or integers. After specialisation the type also says what is known of strides, in
    elements: `1` and `0` exactly, `8*?` a multiple of 8, `?` nothing; and the alignment of the base address in bytes.

    ```mlir
    !tile.view<?x?xf16>
    !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "extents">:$shape,
    "::mlir::Type":$elementType,
    ArrayRefParameter<"int64_t", "0 or 1: exact; -n: a multiple of n">:$strides,
    "unsigned":$align);
  let hasCustomAssemblyFormat = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType)>];
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    bool isUnitStride(unsigned dim) const { return getStrides()[dim] == 1; }
    bool isZeroStride(unsigned dim) const { return getStrides()[dim] == 0; }
    /// Largest known divisor of the stride along `dim`, in elements; 0 for a zero stride.
    int64_t strideDivisor(unsigned dim) const {
      int64_t stride = getStrides()[dim];
      return stride < 0 ? -stride : stride;
    }
  }];
}

#endif
