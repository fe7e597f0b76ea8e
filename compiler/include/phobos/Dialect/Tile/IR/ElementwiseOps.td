// Functions of elements that arith and math do not have, or do otherwise.
#ifndef PHOBOS_TILE_ELEMENTWISE_OPS_TD
#define PHOBOS_TILE_ELEMENTWISE_OPS_TD

include "phobos/Dialect/Tile/IR/KernelOps.td"

def Tile_ToFloat8Op : Tile_Op<"to_float8", !listconcat([Pure, SameOperandsAndResultShape], ElementwiseMappable.traits)> {
  let summary = "Rounds to an 8-bit float, to nearest even, and saturates";
  let description = [{
    What is too large, infinities too, becomes the largest finite value of its sign (448 of e4m3, 57344 of e5m2), and NaN
    the code 0x7f: PTX's `cvt.rn.satfinite` (PTX ISA, "Data Movement and Conversion Instructions: cvt"). `arith.truncf`
    keeps an infinity of e5m2.

    ```mlir
    %y = tile.to_float8 %x : tensor<64xf32> to tensor<64xf8E5M2>
    ```
  }];
  let arguments = (ins AnyType:$in);
  let results = (outs AnyType:$out);
  let assemblyFormat = "$in attr-dict `:` type($in) `to` type($out)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BytePermuteOp : Tile_Op<"byte_permute", !listconcat([Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "Four bytes of the eight of two 32-bit integers";
  let description = [{
    The lowest four hexadecimal digits of the selector choose the result's bytes, from the lowest: 0 to 3 are bytes of `a`, 4 to 7 of
    `b`; 8 more repeats the byte's sign in all its bits (PTX ISA, "Data Movement and Conversion Instructions: prmt").

    ```mlir
    %r = tile.byte_permute %a, %b, %s : tensor<64xi32>
    ```
  }];
  let arguments = (ins AnyType:$a, AnyType:$b, AnyType:$selector);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$a `,` $b `,` $selector attr-dict `:` type($result)";
}

def Tile_LibdeviceOp : Tile_Op<"libdevice", !listconcat([Pure, SameOperandsAndResultShape], ElementwiseMappable.traits)> {
  let summary = "A function of CUDA's libdevice, element by element";
  let description = [{
    `__nv_<name>` of f64, `__nv_<name>f` of f32 (CUDA, libdevice User's Guide); some take an i32 too, or give one. The names are
    those of Support/Libdevice.def.

    ```mlir
    %y = tile.libdevice "asin" %x : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$name $operands attr-dict `:` functional-type($operands, $result)";
}

def Tile_PtxOp : Tile_Op<"ptx", !listconcat([Pure, SameOperandsAndResultShape], ElementwiseMappable.traits)> {
  let summary = "PTX text, element by element";
  let description = [{
    `$0` stands for the result's register, `$1` and on for the operands', of 16, 32 or 64 bits. The text does nothing but compute the
    result from them. The simulator does not run it.

    ```mlir
    %y = tile.ptx "cvt.rni.f32.f32 $0, $1;" %x : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$operands);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$text $operands attr-dict `:` functional-type($operands, $result)";
}

#endif
