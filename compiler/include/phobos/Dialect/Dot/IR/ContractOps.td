// What a kernel said of a contraction.
#ifndef PHOBOS_DOT_CONTRACT_OPS_TD
#define PHOBOS_DOT_CONTRACT_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "phobos/Dialect/Dot/IR/DotDialect.td"

def Dot_ContractOp : Dot_Op<"contract", [Pure, TypesMatchWith<"accumulator and result have one type", "acc", "result", "$_self">]> {
  let summary = "acc + a b, on tiles";
  let description = [{
    `a` is M x K (K x M with `trans_a`), `b` is K x N (N x K with `trans_b`), `acc` is M x N. Products are summed in the
    accumulator's type: f32 for f16, bf16, f8 and f32 operands, i32 for i8. `precision` says what f32 operands may lose
    on tensor cores: `tf32` rounds them once, `tf32x3` splits each in two terms and drops only the smallest product; absent,
    products are exact f32; `bf16x3` is like `tf32x3` with two bf16 terms (16 bits of mantissa).

    ```mlir
    %d = dot.contract %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$acc, UnitAttr:$trans_a, UnitAttr:$trans_b,
                       OptionalAttr<StrAttr>:$precision);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`trans_a` $trans_a^)? (`trans_b` $trans_b^)? (`precision` $precision^)? attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    int64_t m() { return getAcc().getType().getShape()[0]; }
    int64_t n() { return getAcc().getType().getShape()[1]; }
    int64_t k() { return getA().getType().getShape()[getTransA() ? 0 : 1]; }
  }];
}

#endif
