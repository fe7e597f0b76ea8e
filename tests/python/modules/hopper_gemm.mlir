!acc = !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
module {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @gemm(%tmA: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %tmB: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %tmC: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %tiles_m: i32, %tiles_n: i32, %tiles_k: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32, nvvm.cluster_dim = array<i32: 4, 1, 1>} {
    %c_i32_90112 = llvm.mlir.constant(90112 : i32) : i32
    %c_i32_31 = llvm.mlir.constant(31 : i32) : i32
    %c_i32_m1 = llvm.mlir.constant(-1 : i32) : i32
    %c_i32_5 = llvm.mlir.constant(5 : i32) : i32
    %c_i32_0 = llvm.mlir.constant(0 : i32) : i32
    %c_i32_4 = llvm.mlir.constant(4 : i32) : i32
    %c_i32_3 = llvm.mlir.constant(3 : i32) : i32
    %c_i32_2 = llvm.mlir.constant(2 : i32) : i32
    %c_i32_16383 = llvm.mlir.constant(16383 : i32) : i32
    %c_i32_1 = llvm.mlir.constant(1 : i32) : i32
    %c_i32_24 = llvm.mlir.constant(24 : i32) : i32
    %c_i32_12 = llvm.mlir.constant(12 : i32) : i32
    %c_i32_8 = llvm.mlir.constant(8 : i32) : i32
    %c_i32_32 = llvm.mlir.constant(32 : i32) : i32
    %c_i32_16 = llvm.mlir.constant(16 : i32) : i32
    %c_i32_40 = llvm.mlir.constant(40 : i32) : i32
    %c_i32_64 = llvm.mlir.constant(64 : i32) : i32
    %c_i32_128 = llvm.mlir.constant(128 : i32) : i32
    %c_i32_10000000 = llvm.mlir.constant(10000000 : i32) : i32
    %c_i32_24576 = llvm.mlir.constant(24576 : i32) : i32
    %c_i32_8192 = llvm.mlir.constant(8192 : i32) : i32
    %c_i32_4096 = llvm.mlir.constant(4096 : i32) : i32
    %c_i32_16384 = llvm.mlir.constant(16384 : i32) : i32
    %c_i32_7 = llvm.mlir.constant(7 : i32) : i32
    %c_i32_73728 = llvm.mlir.constant(73728 : i32) : i32
    %c_i32_1536 = llvm.mlir.constant(1536 : i32) : i32
    %c_i32_512 = llvm.mlir.constant(512 : i32) : i32
    %c_i64_4611686293305360384 = llvm.mlir.constant(4611686293305360384 : i64) : i64
    %c_i32_1024 = llvm.mlir.constant(1024 : i32) : i32
    %c_i64_4611686293338849280 = llvm.mlir.constant(4611686293338849280 : i64) : i64
    %c_i64_0 = llvm.mlir.constant(0 : i64) : i64
    %c_i64_128 = llvm.mlir.constant(128 : i64) : i64
    %c_i64_2 = llvm.mlir.constant(2 : i64) : i64
    %c_i64_256 = llvm.mlir.constant(256 : i64) : i64
    %c_i64_4 = llvm.mlir.constant(4 : i64) : i64
    %c_i64_384 = llvm.mlir.constant(384 : i64) : i64
    %c_i64_6 = llvm.mlir.constant(6 : i64) : i64
    %c_i32_96 = llvm.mlir.constant(96 : i32) : i32
    %v1 = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %v2 = llvm.getelementptr %v1[%c_i32_90112] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v3 = nvvm.read.ptx.sreg.tid.x : i32
    %v4 = llvm.and %v3, %c_i32_31 : i32
    %v5 = llvm.lshr %v3, %c_i32_5 : i32
    %v6 = nvvm.shfl.sync idx %c_i32_m1, %v5, %c_i32_0, %c_i32_31 : i32 -> i32
    %v7 = nvvm.read.ptx.sreg.ctaid.x : i32
    %v8 = llvm.udiv %v7, %c_i32_4 : i32
    %v9 = llvm.and %v7, %c_i32_3 : i32
    %v10 = llvm.urem %v9, %c_i32_2 : i32
    %v11 = llvm.udiv %v9, %c_i32_2 : i32
    %v12 = llvm.udiv %tiles_m, %c_i32_2 : i32
    %v13 = llvm.udiv %tiles_n, %c_i32_2 : i32
    %v14 = llvm.shl %c_i32_5, %v10 : i32
    %v15 = llvm.trunc %v14 : i32 to i16
    %v16 = llvm.mul %v11, %c_i32_2 : i32
    %v17 = llvm.shl %c_i32_3, %v16 : i32
    %v18 = llvm.trunc %v17 : i32 to i16
    %v19 = llvm.ptrtoint %v1 : !llvm.ptr<3> to i32
    %v20 = llvm.lshr %v19, %c_i32_4 : i32
    %v21 = llvm.and %v20, %c_i32_16383 : i32
    %v22 = llvm.icmp "eq" %v3, %c_i32_0 : i32
    llvm.cond_br %v22, ^t23, ^j23
  ^t23:
    nvvm.prefetch tensormap, %tmA : !llvm.ptr
    nvvm.prefetch tensormap, %tmB : !llvm.ptr
    nvvm.prefetch tensormap, %tmC : !llvm.ptr
    %v24 = llvm.getelementptr %v2[%c_i32_0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.init %v24, %c_i32_1 : !llvm.ptr<3>, i32
    %v25 = llvm.getelementptr %v2[%c_i32_24] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.init %v25, %c_i32_12 : !llvm.ptr<3>, i32
    %v26 = llvm.getelementptr %v2[%c_i32_8] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.init %v26, %c_i32_1 : !llvm.ptr<3>, i32
    %v27 = llvm.getelementptr %v2[%c_i32_32] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.init %v27, %c_i32_12 : !llvm.ptr<3>, i32
    %v28 = llvm.getelementptr %v2[%c_i32_16] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.init %v28, %c_i32_1 : !llvm.ptr<3>, i32
    %v29 = llvm.getelementptr %v2[%c_i32_40] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.init %v29, %c_i32_12 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    llvm.br ^j23
  ^j23:
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %v30 = nvvm.read.ptx.sreg.nctaid.x : i32
    %v31 = llvm.udiv %v30, %c_i32_4 : i32
    %v32 = llvm.lshr %v6, %c_i32_2 : i32
    %v33 = llvm.icmp "eq" %v32, %c_i32_0 : i32
    llvm.cond_br %v33, ^t34, ^e34
  ^t34:
    nvvm.setmaxregister decrease 40
    %v35 = llvm.icmp "eq" %v6, %c_i32_0 : i32
    llvm.cond_br %v35, ^t36, ^j36
  ^t36:
    %v37 = nvvm.elect.sync -> i1
    llvm.cond_br %v37, ^t38, ^j38
  ^t38:
    %v39 = llvm.mul %v12, %v13 : i32
    llvm.br ^h40(%v8, %c_i32_0, %c_i32_0 : i32, i32, i32)
  ^h40(%a40_0: i32, %a40_1: i32, %a40_2: i32):
    %v41 = llvm.icmp "ult" %a40_0, %v39 : i32
    llvm.cond_br %v41, ^b40, ^x40
  ^b40:
    %v42 = llvm.add %a40_0, %v31 : i32
    %v43 = llvm.mul %v13, %c_i32_8 : i32
    %v44 = llvm.udiv %a40_0, %v43 : i32
    %v45 = llvm.mul %v44, %c_i32_8 : i32
    %v46 = llvm.sub %v12, %v45 : i32
    %v47 = llvm.intr.umin(%v46, %c_i32_8) : (i32, i32) -> i32
    %v48 = llvm.urem %a40_0, %v43 : i32
    %v49 = llvm.urem %v48, %v47 : i32
    %v50 = llvm.add %v45, %v49 : i32
    %v51 = llvm.udiv %v48, %v47 : i32
    %v52 = llvm.mul %v50, %c_i32_2 : i32
    %v53 = llvm.add %v52, %v10 : i32
    %v54 = llvm.mul %v51, %c_i32_2 : i32
    %v55 = llvm.add %v54, %v11 : i32
    %v56 = llvm.mul %v53, %c_i32_64 : i32
    %v57 = llvm.mul %v55, %c_i32_128 : i32
    llvm.br ^h58(%c_i32_0, %a40_1, %a40_2 : i32, i32, i32)
  ^h58(%a58_0: i32, %a58_1: i32, %a58_2: i32):
    %v59 = llvm.icmp "ult" %a58_0, %tiles_k : i32
    llvm.cond_br %v59, ^b58, ^x58
  ^b58:
    %v60 = llvm.mul %a58_1, %c_i32_8 : i32
    %v61 = llvm.add %v60, %c_i32_24 : i32
    %v62 = llvm.getelementptr %v2[%v61] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v63 = llvm.xor %a58_2, %c_i32_1 : i32
    nvvm.mbarrier.try_wait.parity %v62, %v63, %c_i32_10000000 : !llvm.ptr<3>, i32, i32
    %v64 = llvm.mul %a58_0, %c_i32_64 : i32
    %v65 = llvm.mul %a58_1, %c_i32_8 : i32
    %v66 = llvm.getelementptr %v2[%v65] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.arrive.expect_tx %v66, %c_i32_24576 : !llvm.ptr<3>, i32
    %v67 = llvm.mul %a58_1, %c_i32_8192 : i32
    %v68 = llvm.add %v67, %c_i32_0 : i32
    %v69 = llvm.mul %v11, %c_i32_4096 : i32
    %v70 = llvm.add %v68, %v69 : i32
    %v71 = llvm.mul %v11, %c_i32_32 : i32
    %v72 = llvm.add %v56, %v71 : i32
    %v73 = llvm.add %v72, %c_i32_0 : i32
    %v74 = llvm.add %v64, %c_i32_0 : i32
    %v75 = llvm.add %v70, %c_i32_0 : i32
    %v76 = llvm.getelementptr %v1[%v75] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v77 = llvm.addrspacecast %v76 : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %v77, %tmA, %v66, box[%v74, %v73] multicast_mask = %v15 : !llvm.ptr<7>, !llvm.ptr
    %v78 = llvm.mul %a58_1, %c_i32_16384 : i32
    %v79 = llvm.add %v78, %c_i32_24576 : i32
    %v80 = llvm.mul %v10, %c_i32_8192 : i32
    %v81 = llvm.add %v79, %v80 : i32
    %v82 = llvm.mul %v10, %c_i32_64 : i32
    %v83 = llvm.add %v57, %v82 : i32
    %v84 = llvm.add %v83, %c_i32_0 : i32
    %v85 = llvm.add %v64, %c_i32_0 : i32
    %v86 = llvm.add %v81, %c_i32_0 : i32
    %v87 = llvm.getelementptr %v1[%v86] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v88 = llvm.addrspacecast %v87 : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %v88, %tmB, %v66, box[%v84, %v85] multicast_mask = %v18 : !llvm.ptr<7>, !llvm.ptr
    %v89 = llvm.add %a58_0, %c_i32_1 : i32
    %v90 = llvm.add %a58_1, %c_i32_1 : i32
    %v91 = llvm.icmp "uge" %v90, %c_i32_3 : i32
    %v92 = llvm.select %v91, %c_i32_0, %v90 : i1, i32
    %v93 = llvm.zext %v91 : i1 to i32
    %v94 = llvm.xor %a58_2, %v93 : i32
    llvm.br ^h58(%v89, %v92, %v94 : i32, i32, i32)
  ^x58:
    llvm.br ^h40(%v42, %a58_1, %a58_2 : i32, i32, i32)
  ^x40:
    llvm.br ^j38
  ^j38:
    llvm.br ^j36
  ^j36:
    llvm.br ^j34
  ^e34:
    nvvm.setmaxregister increase 232
    %v95 = llvm.sub %v32, %c_i32_1 : i32
    %v96 = llvm.and %v6, %c_i32_3 : i32
    %v97 = llvm.lshr %v4, %c_i32_3 : i32
    %v98 = llvm.mul %v96, %c_i32_16 : i32
    %v99 = llvm.and %v4, %c_i32_7 : i32
    %v100 = llvm.add %v98, %v99 : i32
    %v101 = llvm.and %v97, %c_i32_1 : i32
    %v102 = llvm.mul %v101, %c_i32_8 : i32
    %v103 = llvm.add %v100, %v102 : i32
    %v104 = llvm.lshr %v103, %c_i32_0 : i32
    %v105 = llvm.and %v104, %c_i32_7 : i32
    %v106 = llvm.lshr %v97, %c_i32_1 : i32
    %v107 = llvm.xor %v106, %v105 : i32
    %v108 = llvm.mul %v107, %c_i32_16 : i32
    %v109 = llvm.mul %v103, %c_i32_128 : i32
    %v110 = llvm.mul %v95, %c_i32_16384 : i32
    %v111 = llvm.add %v109, %v110 : i32
    %v112 = llvm.add %v111, %c_i32_73728 : i32
    %v113 = llvm.mul %v95, %c_i32_16384 : i32
    %v114 = llvm.add %v113, %c_i32_73728 : i32
    %v115 = llvm.icmp "eq" %v96, %c_i32_0 : i32
    %v116 = llvm.urem %v95, %c_i32_1 : i32
    %v117 = llvm.udiv %v95, %c_i32_1 : i32
    %v118 = llvm.add %v21, %c_i32_0 : i32
    %v119 = llvm.add %v118, %c_i32_0 : i32
    %v120 = llvm.add %v21, %c_i32_1536 : i32
    %v121 = llvm.add %v120, %c_i32_0 : i32
    %v122 = llvm.mul %v12, %v13 : i32
    llvm.br ^h123(%v8, %c_i32_0, %c_i32_0 : i32, i32, i32)
  ^h123(%a123_0: i32, %a123_1: i32, %a123_2: i32):
    %v124 = llvm.icmp "ult" %a123_0, %v122 : i32
    llvm.cond_br %v124, ^b123, ^x123
  ^b123:
    %v125 = llvm.add %a123_0, %v31 : i32
    %v126 = llvm.mul %a123_1, %c_i32_8 : i32
    %v127 = llvm.getelementptr %v2[%v126] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.try_wait.parity %v127, %a123_2, %c_i32_10000000 : !llvm.ptr<3>, i32, i32
    %v128 = llvm.mlir.undef : !acc
    %v129 = llvm.mul %a123_1, %c_i32_512 : i32
    %v130 = llvm.add %v119, %v129 : i32
    %v131 = llvm.zext %v130 : i32 to i64
    %v132 = llvm.or %v131, %c_i64_4611686293305360384 : i64
    %v133 = llvm.mul %a123_1, %c_i32_1024 : i32
    %v134 = llvm.add %v121, %v133 : i32
    %v135 = llvm.zext %v134 : i32 to i64
    %v136 = llvm.or %v135, %c_i64_4611686293338849280 : i64
    nvvm.wgmma.fence.aligned
    %v137 = llvm.add %v136, %c_i64_0 : i64
    %v138 = llvm.add %v132, %c_i64_0 : i64
    %v139 = nvvm.wgmma.mma_async %v138, %v137, %v128, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<zero>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    %v140 = llvm.add %v136, %c_i64_128 : i64
    %v141 = llvm.add %v132, %c_i64_2 : i64
    %v142 = nvvm.wgmma.mma_async %v141, %v140, %v139, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    %v143 = llvm.add %v136, %c_i64_256 : i64
    %v144 = llvm.add %v132, %c_i64_4 : i64
    %v145 = nvvm.wgmma.mma_async %v144, %v143, %v142, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    %v146 = llvm.add %v136, %c_i64_384 : i64
    %v147 = llvm.add %v132, %c_i64_6 : i64
    %v148 = nvvm.wgmma.mma_async %v147, %v146, %v145, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    nvvm.wgmma.commit.group.sync.aligned
    %v149 = llvm.add %a123_1, %c_i32_1 : i32
    %v150 = llvm.icmp "uge" %v149, %c_i32_3 : i32
    %v151 = llvm.select %v150, %c_i32_0, %v149 : i1, i32
    %v152 = llvm.zext %v150 : i1 to i32
    %v153 = llvm.xor %a123_2, %v152 : i32
    llvm.br ^h154(%c_i32_1, %v151, %v153, %a123_1, %v148 : i32, i32, i32, i32, !acc)
  ^h154(%a154_0: i32, %a154_1: i32, %a154_2: i32, %a154_3: i32, %a154_4: !acc):
    %v155 = llvm.icmp "ult" %a154_0, %tiles_k : i32
    llvm.cond_br %v155, ^b154, ^x154
  ^b154:
    %v156 = llvm.mul %a154_1, %c_i32_8 : i32
    %v157 = llvm.getelementptr %v2[%v156] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.try_wait.parity %v157, %a154_2, %c_i32_10000000 : !llvm.ptr<3>, i32, i32
    %v158 = llvm.mul %a154_1, %c_i32_512 : i32
    %v159 = llvm.add %v119, %v158 : i32
    %v160 = llvm.zext %v159 : i32 to i64
    %v161 = llvm.or %v160, %c_i64_4611686293305360384 : i64
    %v162 = llvm.mul %a154_1, %c_i32_1024 : i32
    %v163 = llvm.add %v121, %v162 : i32
    %v164 = llvm.zext %v163 : i32 to i64
    %v165 = llvm.or %v164, %c_i64_4611686293338849280 : i64
    nvvm.wgmma.fence.aligned
    %v166 = llvm.add %v165, %c_i64_0 : i64
    %v167 = llvm.add %v161, %c_i64_0 : i64
    %v168 = nvvm.wgmma.mma_async %v167, %v166, %a154_4, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    %v169 = llvm.add %v165, %c_i64_128 : i64
    %v170 = llvm.add %v161, %c_i64_2 : i64
    %v171 = nvvm.wgmma.mma_async %v170, %v169, %v168, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    %v172 = llvm.add %v165, %c_i64_256 : i64
    %v173 = llvm.add %v161, %c_i64_4 : i64
    %v174 = nvvm.wgmma.mma_async %v173, %v172, %v171, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    %v175 = llvm.add %v165, %c_i64_384 : i64
    %v176 = llvm.add %v161, %c_i64_6 : i64
    %v177 = nvvm.wgmma.mma_async %v176, %v175, %v174, #nvvm.shape<m = 64, n = 128, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <row>] : !acc -> !acc
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    %v178 = llvm.icmp "ult" %v4, %c_i32_3 : i32
    llvm.cond_br %v178, ^t179, ^j179
  ^t179:
    %v180 = llvm.sub %v4, %c_i32_2 : i32
    %v181 = llvm.icmp "uge" %v180, %v11 : i32
    %v182 = llvm.zext %v181 : i1 to i32
    %v183 = llvm.add %v180, %v182 : i32
    %v184 = llvm.icmp "ult" %v4, %c_i32_2 : i32
    %v185 = llvm.mul %v11, %c_i32_2 : i32
    %v186 = llvm.add %v4, %v185 : i32
    %v187 = llvm.mul %v183, %c_i32_2 : i32
    %v188 = llvm.add %v10, %v187 : i32
    %v189 = llvm.select %v184, %v186, %v188 : i1, i32
    %v190 = llvm.mul %a154_3, %c_i32_8 : i32
    %v191 = llvm.add %v190, %c_i32_24 : i32
    %v192 = llvm.getelementptr %v2[%v191] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v193 = nvvm.mapa %v192, %v189 : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.mbarrier.arrive %v193 : !llvm.ptr<7>
    llvm.br ^j179
  ^j179:
    %v194 = llvm.add %a154_0, %c_i32_1 : i32
    %v195 = llvm.add %a154_1, %c_i32_1 : i32
    %v196 = llvm.icmp "uge" %v195, %c_i32_3 : i32
    %v197 = llvm.select %v196, %c_i32_0, %v195 : i1, i32
    %v198 = llvm.zext %v196 : i1 to i32
    %v199 = llvm.xor %a154_2, %v198 : i32
    llvm.br ^h154(%v194, %v197, %v199, %a154_1, %v177 : i32, i32, i32, i32, !acc)
  ^x154:
    nvvm.wgmma.wait.group.sync.aligned 0
    %v200 = llvm.icmp "ult" %v4, %c_i32_3 : i32
    llvm.cond_br %v200, ^t201, ^j201
  ^t201:
    %v202 = llvm.sub %v4, %c_i32_2 : i32
    %v203 = llvm.icmp "uge" %v202, %v11 : i32
    %v204 = llvm.zext %v203 : i1 to i32
    %v205 = llvm.add %v202, %v204 : i32
    %v206 = llvm.icmp "ult" %v4, %c_i32_2 : i32
    %v207 = llvm.mul %v11, %c_i32_2 : i32
    %v208 = llvm.add %v4, %v207 : i32
    %v209 = llvm.mul %v205, %c_i32_2 : i32
    %v210 = llvm.add %v10, %v209 : i32
    %v211 = llvm.select %v206, %v208, %v210 : i1, i32
    %v212 = llvm.mul %a154_3, %c_i32_8 : i32
    %v213 = llvm.add %v212, %c_i32_24 : i32
    %v214 = llvm.getelementptr %v2[%v213] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v215 = nvvm.mapa %v214, %v211 : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.mbarrier.arrive %v215 : !llvm.ptr<7>
    llvm.br ^j201
  ^j201:
    %v216 = llvm.mul %v13, %c_i32_8 : i32
    %v217 = llvm.udiv %a123_0, %v216 : i32
    %v218 = llvm.mul %v217, %c_i32_8 : i32
    %v219 = llvm.sub %v12, %v218 : i32
    %v220 = llvm.intr.umin(%v219, %c_i32_8) : (i32, i32) -> i32
    %v221 = llvm.urem %a123_0, %v216 : i32
    %v222 = llvm.urem %v221, %v220 : i32
    %v223 = llvm.add %v218, %v222 : i32
    %v224 = llvm.udiv %v221, %v220 : i32
    %v225 = llvm.mul %v223, %c_i32_2 : i32
    %v226 = llvm.add %v225, %v10 : i32
    %v227 = llvm.mul %v224, %c_i32_2 : i32
    %v228 = llvm.add %v227, %v11 : i32
    %v229 = llvm.mul %v226, %c_i32_64 : i32
    %v230 = llvm.mul %v228, %c_i32_128 : i32
    %v231 = llvm.mul %v116, %c_i32_64 : i32
    %v232 = llvm.add %v229, %v231 : i32
    %v233 = llvm.mul %v117, %c_i32_128 : i32
    %v234 = llvm.add %v230, %v233 : i32
    llvm.cond_br %v115, ^t235, ^j235
  ^t235:
    %v236 = nvvm.elect.sync -> i1
    llvm.cond_br %v236, ^t237, ^j237
  ^t237:
    nvvm.cp.async.bulk.wait_group 1 {read}
    llvm.br ^j237
  ^j237:
    llvm.br ^j235
  ^j235:
    %v238 = llvm.add %v95, %c_i32_1 : i32
    nvvm.barrier id = %v238 number_of_threads = %c_i32_128
    %v239 = llvm.add %v112, %c_i32_0 : i32
    %v240 = llvm.mlir.undef : vector<2xf32>
    %v241 = llvm.extractvalue %a154_4[0] : !acc
    %v242 = llvm.insertelement %v241, %v240[%c_i32_0 : i32] : vector<2xf32>
    %v243 = llvm.extractvalue %a154_4[1] : !acc
    %v244 = llvm.insertelement %v243, %v242[%c_i32_1 : i32] : vector<2xf32>
    %v245 = llvm.fptrunc %v244 : vector<2xf32> to vector<2xf16>
    %v246 = llvm.bitcast %v245 : vector<2xf16> to i32
    %v247 = llvm.mlir.undef : vector<2xf32>
    %v248 = llvm.extractvalue %a154_4[2] : !acc
    %v249 = llvm.insertelement %v248, %v247[%c_i32_0 : i32] : vector<2xf32>
    %v250 = llvm.extractvalue %a154_4[3] : !acc
    %v251 = llvm.insertelement %v250, %v249[%c_i32_1 : i32] : vector<2xf32>
    %v252 = llvm.fptrunc %v251 : vector<2xf32> to vector<2xf16>
    %v253 = llvm.bitcast %v252 : vector<2xf16> to i32
    %v254 = llvm.mlir.undef : vector<2xf32>
    %v255 = llvm.extractvalue %a154_4[4] : !acc
    %v256 = llvm.insertelement %v255, %v254[%c_i32_0 : i32] : vector<2xf32>
    %v257 = llvm.extractvalue %a154_4[5] : !acc
    %v258 = llvm.insertelement %v257, %v256[%c_i32_1 : i32] : vector<2xf32>
    %v259 = llvm.fptrunc %v258 : vector<2xf32> to vector<2xf16>
    %v260 = llvm.bitcast %v259 : vector<2xf16> to i32
    %v261 = llvm.mlir.undef : vector<2xf32>
    %v262 = llvm.extractvalue %a154_4[6] : !acc
    %v263 = llvm.insertelement %v262, %v261[%c_i32_0 : i32] : vector<2xf32>
    %v264 = llvm.extractvalue %a154_4[7] : !acc
    %v265 = llvm.insertelement %v264, %v263[%c_i32_1 : i32] : vector<2xf32>
    %v266 = llvm.fptrunc %v265 : vector<2xf32> to vector<2xf16>
    %v267 = llvm.bitcast %v266 : vector<2xf16> to i32
    %v268 = llvm.xor %v108, %c_i32_0 : i32
    %v269 = llvm.add %v239, %v268 : i32
    %v270 = llvm.getelementptr %v1[%v269] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v270, %v246, %v253, %v260, %v267 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    %v271 = llvm.mlir.undef : vector<2xf32>
    %v272 = llvm.extractvalue %a154_4[8] : !acc
    %v273 = llvm.insertelement %v272, %v271[%c_i32_0 : i32] : vector<2xf32>
    %v274 = llvm.extractvalue %a154_4[9] : !acc
    %v275 = llvm.insertelement %v274, %v273[%c_i32_1 : i32] : vector<2xf32>
    %v276 = llvm.fptrunc %v275 : vector<2xf32> to vector<2xf16>
    %v277 = llvm.bitcast %v276 : vector<2xf16> to i32
    %v278 = llvm.mlir.undef : vector<2xf32>
    %v279 = llvm.extractvalue %a154_4[10] : !acc
    %v280 = llvm.insertelement %v279, %v278[%c_i32_0 : i32] : vector<2xf32>
    %v281 = llvm.extractvalue %a154_4[11] : !acc
    %v282 = llvm.insertelement %v281, %v280[%c_i32_1 : i32] : vector<2xf32>
    %v283 = llvm.fptrunc %v282 : vector<2xf32> to vector<2xf16>
    %v284 = llvm.bitcast %v283 : vector<2xf16> to i32
    %v285 = llvm.mlir.undef : vector<2xf32>
    %v286 = llvm.extractvalue %a154_4[12] : !acc
    %v287 = llvm.insertelement %v286, %v285[%c_i32_0 : i32] : vector<2xf32>
    %v288 = llvm.extractvalue %a154_4[13] : !acc
    %v289 = llvm.insertelement %v288, %v287[%c_i32_1 : i32] : vector<2xf32>
    %v290 = llvm.fptrunc %v289 : vector<2xf32> to vector<2xf16>
    %v291 = llvm.bitcast %v290 : vector<2xf16> to i32
    %v292 = llvm.mlir.undef : vector<2xf32>
    %v293 = llvm.extractvalue %a154_4[14] : !acc
    %v294 = llvm.insertelement %v293, %v292[%c_i32_0 : i32] : vector<2xf32>
    %v295 = llvm.extractvalue %a154_4[15] : !acc
    %v296 = llvm.insertelement %v295, %v294[%c_i32_1 : i32] : vector<2xf32>
    %v297 = llvm.fptrunc %v296 : vector<2xf32> to vector<2xf16>
    %v298 = llvm.bitcast %v297 : vector<2xf16> to i32
    %v299 = llvm.xor %v108, %c_i32_32 : i32
    %v300 = llvm.add %v239, %v299 : i32
    %v301 = llvm.getelementptr %v1[%v300] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v301, %v277, %v284, %v291, %v298 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    %v302 = llvm.mlir.undef : vector<2xf32>
    %v303 = llvm.extractvalue %a154_4[16] : !acc
    %v304 = llvm.insertelement %v303, %v302[%c_i32_0 : i32] : vector<2xf32>
    %v305 = llvm.extractvalue %a154_4[17] : !acc
    %v306 = llvm.insertelement %v305, %v304[%c_i32_1 : i32] : vector<2xf32>
    %v307 = llvm.fptrunc %v306 : vector<2xf32> to vector<2xf16>
    %v308 = llvm.bitcast %v307 : vector<2xf16> to i32
    %v309 = llvm.mlir.undef : vector<2xf32>
    %v310 = llvm.extractvalue %a154_4[18] : !acc
    %v311 = llvm.insertelement %v310, %v309[%c_i32_0 : i32] : vector<2xf32>
    %v312 = llvm.extractvalue %a154_4[19] : !acc
    %v313 = llvm.insertelement %v312, %v311[%c_i32_1 : i32] : vector<2xf32>
    %v314 = llvm.fptrunc %v313 : vector<2xf32> to vector<2xf16>
    %v315 = llvm.bitcast %v314 : vector<2xf16> to i32
    %v316 = llvm.mlir.undef : vector<2xf32>
    %v317 = llvm.extractvalue %a154_4[20] : !acc
    %v318 = llvm.insertelement %v317, %v316[%c_i32_0 : i32] : vector<2xf32>
    %v319 = llvm.extractvalue %a154_4[21] : !acc
    %v320 = llvm.insertelement %v319, %v318[%c_i32_1 : i32] : vector<2xf32>
    %v321 = llvm.fptrunc %v320 : vector<2xf32> to vector<2xf16>
    %v322 = llvm.bitcast %v321 : vector<2xf16> to i32
    %v323 = llvm.mlir.undef : vector<2xf32>
    %v324 = llvm.extractvalue %a154_4[22] : !acc
    %v325 = llvm.insertelement %v324, %v323[%c_i32_0 : i32] : vector<2xf32>
    %v326 = llvm.extractvalue %a154_4[23] : !acc
    %v327 = llvm.insertelement %v326, %v325[%c_i32_1 : i32] : vector<2xf32>
    %v328 = llvm.fptrunc %v327 : vector<2xf32> to vector<2xf16>
    %v329 = llvm.bitcast %v328 : vector<2xf16> to i32
    %v330 = llvm.xor %v108, %c_i32_64 : i32
    %v331 = llvm.add %v239, %v330 : i32
    %v332 = llvm.getelementptr %v1[%v331] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v332, %v308, %v315, %v322, %v329 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    %v333 = llvm.mlir.undef : vector<2xf32>
    %v334 = llvm.extractvalue %a154_4[24] : !acc
    %v335 = llvm.insertelement %v334, %v333[%c_i32_0 : i32] : vector<2xf32>
    %v336 = llvm.extractvalue %a154_4[25] : !acc
    %v337 = llvm.insertelement %v336, %v335[%c_i32_1 : i32] : vector<2xf32>
    %v338 = llvm.fptrunc %v337 : vector<2xf32> to vector<2xf16>
    %v339 = llvm.bitcast %v338 : vector<2xf16> to i32
    %v340 = llvm.mlir.undef : vector<2xf32>
    %v341 = llvm.extractvalue %a154_4[26] : !acc
    %v342 = llvm.insertelement %v341, %v340[%c_i32_0 : i32] : vector<2xf32>
    %v343 = llvm.extractvalue %a154_4[27] : !acc
    %v344 = llvm.insertelement %v343, %v342[%c_i32_1 : i32] : vector<2xf32>
    %v345 = llvm.fptrunc %v344 : vector<2xf32> to vector<2xf16>
    %v346 = llvm.bitcast %v345 : vector<2xf16> to i32
    %v347 = llvm.mlir.undef : vector<2xf32>
    %v348 = llvm.extractvalue %a154_4[28] : !acc
    %v349 = llvm.insertelement %v348, %v347[%c_i32_0 : i32] : vector<2xf32>
    %v350 = llvm.extractvalue %a154_4[29] : !acc
    %v351 = llvm.insertelement %v350, %v349[%c_i32_1 : i32] : vector<2xf32>
    %v352 = llvm.fptrunc %v351 : vector<2xf32> to vector<2xf16>
    %v353 = llvm.bitcast %v352 : vector<2xf16> to i32
    %v354 = llvm.mlir.undef : vector<2xf32>
    %v355 = llvm.extractvalue %a154_4[30] : !acc
    %v356 = llvm.insertelement %v355, %v354[%c_i32_0 : i32] : vector<2xf32>
    %v357 = llvm.extractvalue %a154_4[31] : !acc
    %v358 = llvm.insertelement %v357, %v356[%c_i32_1 : i32] : vector<2xf32>
    %v359 = llvm.fptrunc %v358 : vector<2xf32> to vector<2xf16>
    %v360 = llvm.bitcast %v359 : vector<2xf16> to i32
    %v361 = llvm.xor %v108, %c_i32_96 : i32
    %v362 = llvm.add %v239, %v361 : i32
    %v363 = llvm.getelementptr %v1[%v362] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v363, %v339, %v346, %v353, %v360 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    %v364 = llvm.add %v95, %c_i32_1 : i32
    nvvm.barrier id = %v364 number_of_threads = %c_i32_128
    llvm.cond_br %v115, ^t365, ^j365
  ^t365:
    %v366 = nvvm.elect.sync -> i1
    llvm.cond_br %v366, ^t367, ^j367
  ^t367:
    %v368 = llvm.add %v114, %c_i32_0 : i32
    %v369 = llvm.add %v232, %c_i32_0 : i32
    %v370 = llvm.getelementptr %v1[%v368] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v371 = llvm.add %v234, %c_i32_0 : i32
    nvvm.cp.async.bulk.tensor.global.shared.cta %tmC, %v370, box[%v371, %v369] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    llvm.br ^j367
  ^j367:
    llvm.br ^j365
  ^j365:
    llvm.cond_br %v115, ^t372, ^j372
  ^t372:
    %v373 = nvvm.elect.sync -> i1
    llvm.cond_br %v373, ^t374, ^j374
  ^t374:
    nvvm.cp.async.bulk.wait_group 1 {read}
    llvm.br ^j374
  ^j374:
    llvm.br ^j372
  ^j372:
    %v375 = llvm.add %v95, %c_i32_1 : i32
    nvvm.barrier id = %v375 number_of_threads = %c_i32_128
    %v376 = llvm.add %v112, %c_i32_8192 : i32
    %v377 = llvm.mlir.undef : vector<2xf32>
    %v378 = llvm.extractvalue %a154_4[32] : !acc
    %v379 = llvm.insertelement %v378, %v377[%c_i32_0 : i32] : vector<2xf32>
    %v380 = llvm.extractvalue %a154_4[33] : !acc
    %v381 = llvm.insertelement %v380, %v379[%c_i32_1 : i32] : vector<2xf32>
    %v382 = llvm.fptrunc %v381 : vector<2xf32> to vector<2xf16>
    %v383 = llvm.bitcast %v382 : vector<2xf16> to i32
    %v384 = llvm.mlir.undef : vector<2xf32>
    %v385 = llvm.extractvalue %a154_4[34] : !acc
    %v386 = llvm.insertelement %v385, %v384[%c_i32_0 : i32] : vector<2xf32>
    %v387 = llvm.extractvalue %a154_4[35] : !acc
    %v388 = llvm.insertelement %v387, %v386[%c_i32_1 : i32] : vector<2xf32>
    %v389 = llvm.fptrunc %v388 : vector<2xf32> to vector<2xf16>
    %v390 = llvm.bitcast %v389 : vector<2xf16> to i32
    %v391 = llvm.mlir.undef : vector<2xf32>
    %v392 = llvm.extractvalue %a154_4[36] : !acc
    %v393 = llvm.insertelement %v392, %v391[%c_i32_0 : i32] : vector<2xf32>
    %v394 = llvm.extractvalue %a154_4[37] : !acc
    %v395 = llvm.insertelement %v394, %v393[%c_i32_1 : i32] : vector<2xf32>
    %v396 = llvm.fptrunc %v395 : vector<2xf32> to vector<2xf16>
    %v397 = llvm.bitcast %v396 : vector<2xf16> to i32
    %v398 = llvm.mlir.undef : vector<2xf32>
    %v399 = llvm.extractvalue %a154_4[38] : !acc
    %v400 = llvm.insertelement %v399, %v398[%c_i32_0 : i32] : vector<2xf32>
    %v401 = llvm.extractvalue %a154_4[39] : !acc
    %v402 = llvm.insertelement %v401, %v400[%c_i32_1 : i32] : vector<2xf32>
    %v403 = llvm.fptrunc %v402 : vector<2xf32> to vector<2xf16>
    %v404 = llvm.bitcast %v403 : vector<2xf16> to i32
    %v405 = llvm.xor %v108, %c_i32_0 : i32
    %v406 = llvm.add %v376, %v405 : i32
    %v407 = llvm.getelementptr %v1[%v406] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v407, %v383, %v390, %v397, %v404 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    %v408 = llvm.mlir.undef : vector<2xf32>
    %v409 = llvm.extractvalue %a154_4[40] : !acc
    %v410 = llvm.insertelement %v409, %v408[%c_i32_0 : i32] : vector<2xf32>
    %v411 = llvm.extractvalue %a154_4[41] : !acc
    %v412 = llvm.insertelement %v411, %v410[%c_i32_1 : i32] : vector<2xf32>
    %v413 = llvm.fptrunc %v412 : vector<2xf32> to vector<2xf16>
    %v414 = llvm.bitcast %v413 : vector<2xf16> to i32
    %v415 = llvm.mlir.undef : vector<2xf32>
    %v416 = llvm.extractvalue %a154_4[42] : !acc
    %v417 = llvm.insertelement %v416, %v415[%c_i32_0 : i32] : vector<2xf32>
    %v418 = llvm.extractvalue %a154_4[43] : !acc
    %v419 = llvm.insertelement %v418, %v417[%c_i32_1 : i32] : vector<2xf32>
    %v420 = llvm.fptrunc %v419 : vector<2xf32> to vector<2xf16>
    %v421 = llvm.bitcast %v420 : vector<2xf16> to i32
    %v422 = llvm.mlir.undef : vector<2xf32>
    %v423 = llvm.extractvalue %a154_4[44] : !acc
    %v424 = llvm.insertelement %v423, %v422[%c_i32_0 : i32] : vector<2xf32>
    %v425 = llvm.extractvalue %a154_4[45] : !acc
    %v426 = llvm.insertelement %v425, %v424[%c_i32_1 : i32] : vector<2xf32>
    %v427 = llvm.fptrunc %v426 : vector<2xf32> to vector<2xf16>
    %v428 = llvm.bitcast %v427 : vector<2xf16> to i32
    %v429 = llvm.mlir.undef : vector<2xf32>
    %v430 = llvm.extractvalue %a154_4[46] : !acc
    %v431 = llvm.insertelement %v430, %v429[%c_i32_0 : i32] : vector<2xf32>
    %v432 = llvm.extractvalue %a154_4[47] : !acc
    %v433 = llvm.insertelement %v432, %v431[%c_i32_1 : i32] : vector<2xf32>
    %v434 = llvm.fptrunc %v433 : vector<2xf32> to vector<2xf16>
    %v435 = llvm.bitcast %v434 : vector<2xf16> to i32
    %v436 = llvm.xor %v108, %c_i32_32 : i32
    %v437 = llvm.add %v376, %v436 : i32
    %v438 = llvm.getelementptr %v1[%v437] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v438, %v414, %v421, %v428, %v435 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    %v439 = llvm.mlir.undef : vector<2xf32>
    %v440 = llvm.extractvalue %a154_4[48] : !acc
    %v441 = llvm.insertelement %v440, %v439[%c_i32_0 : i32] : vector<2xf32>
    %v442 = llvm.extractvalue %a154_4[49] : !acc
    %v443 = llvm.insertelement %v442, %v441[%c_i32_1 : i32] : vector<2xf32>
    %v444 = llvm.fptrunc %v443 : vector<2xf32> to vector<2xf16>
    %v445 = llvm.bitcast %v444 : vector<2xf16> to i32
    %v446 = llvm.mlir.undef : vector<2xf32>
    %v447 = llvm.extractvalue %a154_4[50] : !acc
    %v448 = llvm.insertelement %v447, %v446[%c_i32_0 : i32] : vector<2xf32>
    %v449 = llvm.extractvalue %a154_4[51] : !acc
    %v450 = llvm.insertelement %v449, %v448[%c_i32_1 : i32] : vector<2xf32>
    %v451 = llvm.fptrunc %v450 : vector<2xf32> to vector<2xf16>
    %v452 = llvm.bitcast %v451 : vector<2xf16> to i32
    %v453 = llvm.mlir.undef : vector<2xf32>
    %v454 = llvm.extractvalue %a154_4[52] : !acc
    %v455 = llvm.insertelement %v454, %v453[%c_i32_0 : i32] : vector<2xf32>
    %v456 = llvm.extractvalue %a154_4[53] : !acc
    %v457 = llvm.insertelement %v456, %v455[%c_i32_1 : i32] : vector<2xf32>
    %v458 = llvm.fptrunc %v457 : vector<2xf32> to vector<2xf16>
    %v459 = llvm.bitcast %v458 : vector<2xf16> to i32
    %v460 = llvm.mlir.undef : vector<2xf32>
    %v461 = llvm.extractvalue %a154_4[54] : !acc
    %v462 = llvm.insertelement %v461, %v460[%c_i32_0 : i32] : vector<2xf32>
    %v463 = llvm.extractvalue %a154_4[55] : !acc
    %v464 = llvm.insertelement %v463, %v462[%c_i32_1 : i32] : vector<2xf32>
    %v465 = llvm.fptrunc %v464 : vector<2xf32> to vector<2xf16>
    %v466 = llvm.bitcast %v465 : vector<2xf16> to i32
    %v467 = llvm.xor %v108, %c_i32_64 : i32
    %v468 = llvm.add %v376, %v467 : i32
    %v469 = llvm.getelementptr %v1[%v468] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v469, %v445, %v452, %v459, %v466 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    %v470 = llvm.mlir.undef : vector<2xf32>
    %v471 = llvm.extractvalue %a154_4[56] : !acc
    %v472 = llvm.insertelement %v471, %v470[%c_i32_0 : i32] : vector<2xf32>
    %v473 = llvm.extractvalue %a154_4[57] : !acc
    %v474 = llvm.insertelement %v473, %v472[%c_i32_1 : i32] : vector<2xf32>
    %v475 = llvm.fptrunc %v474 : vector<2xf32> to vector<2xf16>
    %v476 = llvm.bitcast %v475 : vector<2xf16> to i32
    %v477 = llvm.mlir.undef : vector<2xf32>
    %v478 = llvm.extractvalue %a154_4[58] : !acc
    %v479 = llvm.insertelement %v478, %v477[%c_i32_0 : i32] : vector<2xf32>
    %v480 = llvm.extractvalue %a154_4[59] : !acc
    %v481 = llvm.insertelement %v480, %v479[%c_i32_1 : i32] : vector<2xf32>
    %v482 = llvm.fptrunc %v481 : vector<2xf32> to vector<2xf16>
    %v483 = llvm.bitcast %v482 : vector<2xf16> to i32
    %v484 = llvm.mlir.undef : vector<2xf32>
    %v485 = llvm.extractvalue %a154_4[60] : !acc
    %v486 = llvm.insertelement %v485, %v484[%c_i32_0 : i32] : vector<2xf32>
    %v487 = llvm.extractvalue %a154_4[61] : !acc
    %v488 = llvm.insertelement %v487, %v486[%c_i32_1 : i32] : vector<2xf32>
    %v489 = llvm.fptrunc %v488 : vector<2xf32> to vector<2xf16>
    %v490 = llvm.bitcast %v489 : vector<2xf16> to i32
    %v491 = llvm.mlir.undef : vector<2xf32>
    %v492 = llvm.extractvalue %a154_4[62] : !acc
    %v493 = llvm.insertelement %v492, %v491[%c_i32_0 : i32] : vector<2xf32>
    %v494 = llvm.extractvalue %a154_4[63] : !acc
    %v495 = llvm.insertelement %v494, %v493[%c_i32_1 : i32] : vector<2xf32>
    %v496 = llvm.fptrunc %v495 : vector<2xf32> to vector<2xf16>
    %v497 = llvm.bitcast %v496 : vector<2xf16> to i32
    %v498 = llvm.xor %v108, %c_i32_96 : i32
    %v499 = llvm.add %v376, %v498 : i32
    %v500 = llvm.getelementptr %v1[%v499] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %v500, %v476, %v483, %v490, %v497 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    %v501 = llvm.add %v95, %c_i32_1 : i32
    nvvm.barrier id = %v501 number_of_threads = %c_i32_128
    llvm.cond_br %v115, ^t502, ^j502
  ^t502:
    %v503 = nvvm.elect.sync -> i1
    llvm.cond_br %v503, ^t504, ^j504
  ^t504:
    %v505 = llvm.add %v114, %c_i32_8192 : i32
    %v506 = llvm.add %v232, %c_i32_0 : i32
    %v507 = llvm.getelementptr %v1[%v505] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v508 = llvm.add %v234, %c_i32_64 : i32
    nvvm.cp.async.bulk.tensor.global.shared.cta %tmC, %v507, box[%v508, %v506] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    llvm.br ^j504
  ^j504:
    llvm.br ^j502
  ^j502:
    llvm.br ^h123(%v125, %a154_1, %a154_2 : i32, i32, i32)
  ^x123:
    llvm.cond_br %v115, ^t509, ^j509
  ^t509:
    %v510 = nvvm.elect.sync -> i1
    llvm.cond_br %v510, ^t511, ^j511
  ^t511:
    nvvm.cp.async.bulk.wait_group 0 {read}
    llvm.br ^j511
  ^j511:
    llvm.br ^j509
  ^j509:
    llvm.br ^j34
  ^j34:
    nvvm.cluster.arrive.relaxed
    nvvm.cluster.wait
    llvm.return
  }
}

