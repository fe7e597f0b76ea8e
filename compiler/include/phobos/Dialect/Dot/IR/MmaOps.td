// Instructions that multiply fragments.
#ifndef PHOBOS_DOT_MMA_OPS_TD
#define PHOBOS_DOT_MMA_OPS_TD

include "phobos/Dialect/Dot/IR/StageOps.td"

def Dot_MmaOp : Dot_Op<"mma", [Pure, TypesMatchWith<"accumulator and result have one type", "acc", "result", "$_self">]> {
  let summary = "acc + a b by mma.sync, on fragments";
  let description = [{
    `a` is M x K, `b` is K x N, in the operand layouts of `shape`, the instruction's m, n and k; `acc` is in its accumulator
    layout. K is a whole number of the instruction's k. f32 operands are taken as tf32: the low 13 bits of the mantissa are
    ignored by the hardware, so they should have been rounded before (PTX ISA, mma.sync).

    ```mlir
    %d = dot.mma %a, %b, %acc shape [16, 8, 16] : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$acc, DenseI64ArrayAttr:$shape);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc `shape` $shape attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

def Dot_FmaOp : Dot_Op<"fma", [Pure, TypesMatchWith<"accumulator and result have one type", "acc", "result", "$_self">]> {
  let summary = "acc + a b by scalar multiply-adds on register tiles";
  let description = [{
    Each thread multiplies its rows of `a` (M x K) by its columns of `b` (K x N) into its elements of `acc`. K is in
    registers in both operands.

    ```mlir
    %d = dot.fma %a, %b, %acc : tensor<64x1xf32>, tensor<1x64xf32>, tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$acc);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

def Dot_SplitTf32Op : Dot_Op<"split_tf32", [Pure, SameOperandsAndResultType]> {
  let summary = "f32 rounded to tf32 (`big`), and what that rounding lost, rounded to tf32 (`small`)";
  let description = [{
    x = big + small up to 2^-22 |x|: the two terms of the three-product scheme for f32 on tensor cores.
    ```mlir
    %big, %small = dot.split_tf32 %x : tensor<64x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$big, AnyRankedTensor:$small);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Dot_RoundTf32Op : Dot_Op<"round_tf32", [Pure, SameOperandsAndResultType]> {
  let summary = "f32 rounded to tf32, to nearest, ties away from zero (cvt.rna.tf32.f32)";
  let description = [{
    ```mlir
    %r = dot.round_tf32 %x : tensor<64x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

#endif
