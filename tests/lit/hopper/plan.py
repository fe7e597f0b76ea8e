# RUN: phobosc %s --kernel planned --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=PLANNED
# RUN: phobosc %s --kernel pitch --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=PITCH
# RUN: phobosc %s --kernel looked_up --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=PITCH
# RUN: phobosc %s --kernel counted --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=PITCH
# RUN: phobosc %s --kernel narrow --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=NARROW
# RUN: phobosc %s --kernel bytes --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=BYTES
# RUN: phobosc %s --kernel large --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=LARGE
# RUN: phobosc %s --kernel alone --arch sm_90a --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=ALONE
# RUN: phobosc %s --kernel planned --arch sm_80 --emit dot -o %t --remarks 2>&1 | FileCheck %s --check-prefix=ELSEWHERE --allow-empty
# What was planned for a product is said, and why it could not be wgmma's.
from __future__ import annotations

import phobos.lang as ph


# PLANNED: plan.py:[[@LINE+8]]:15: remark: by wgmma of 64 x 128, 2 times a step along k, on 1 warpgroup; the first operand from shared memory; 128 registers a thread for sums and operands; the sums stay in flight until the next turn's products have begun
# ELSEWHERE-NOT: wgmma
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def planned(A: ph.tensor[ph.f16][128, 256], B: ph.tensor[ph.f16][256, 128], C: ph.tensor[ph.f32][128, 128]):
    acc: ph.var = ph.zeros((128, 128))
    for k in range(0, 256, 64):
        acc = ph.dot(A[:, k:+64], B[k:+64, :], acc)
    C[:, :] = acc


# PITCH: remark: not by wgmma: its second operand is no slice of a tensor of the launch that the copy engine can bring in each turn: 16 bytes are the measure of its pitches and beginning, where it begins is known turns ahead, and nobody writes it
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def pitch(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 100], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(0, 256, 64):
        acc = ph.dot(A[:, k:+64], B[k:+64, 0:+64], acc)
    C[:, :] = acc


# A copy that begins turns ahead cannot wait for what a turn loads, or leaves for the next.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def looked_up(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], I: ph.tensor[ph.i32][4], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(4):
        acc = ph.dot(A[:, k * 64:+64], B[I[k] * 64:+64, :], acc)
    C[:, :] = acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def counted(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    at: ph.var = 0
    for k in range(0, 256, 64):
        acc = ph.dot(A[:, k:+64], B[at * 64:+64, :], acc)
        at += 1
    C[:, :] = acc


# NARROW: remark: not by wgmma: its tile is none of 64 rows or more and 16 to 256 columns for each of one, two or four warpgroups
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def narrow(A: ph.tensor[ph.f16][32, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][32, 64]):
    acc: ph.var = ph.zeros((32, 64))
    for k in range(0, 256, 64):
        acc = ph.dot(A[:, k:+64], B[k:+64, :], acc)
    C[:, :] = acc


# BYTES: remark: not by wgmma: operands of this type have to lie along k, and k has to be 32 bytes or a multiple
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def bytes(A: ph.tensor[ph.i8][64, 256], B: ph.tensor[ph.i8][256, 64], C: ph.tensor[ph.i32][64, 64]):
    acc: ph.var[ph.tile[ph.i32][64, 64]] = 0
    for k in range(0, 256, 64):
        acc = ph.dot(A[:, k:+64], B[k:+64, :], acc)
    C[:, :] = acc


# LARGE: remark: not by wgmma: sums and operands of its loop's products do not fit in registers
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def large(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 256], C: ph.tensor[ph.f32][64, 256], D: ph.tensor[ph.f32][64, 256]):
    acc: ph.var = ph.zeros((64, 256))
    more: ph.var = ph.zeros((64, 256))
    for k in range(0, 256, 64):
        acc = ph.dot(A[:, k:+64], B[k:+64, :], acc)
        more = ph.dot(A[:, k:+64], B[k:+64, :], more)
    C[:, :] = acc
    D[:, :] = more


# ALONE: remark: not by wgmma: it is in no loop over slices
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def alone(A: ph.tensor[ph.f16][64, 64], B: ph.tensor[ph.f16][64, 64], C: ph.tensor[ph.f32][64, 64]):
    C[:, :] = ph.dot(A[:, :], B[:, :])
