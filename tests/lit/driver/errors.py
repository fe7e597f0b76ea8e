# RUN: not phobosc %s 2>&1 | FileCheck %s --strict-whitespace
# RUN: not phobosc - < %s 2>&1 | FileCheck %s --check-prefix=STDIN
# RUN: sh -c 'phobosc %s; test $? -eq 1'
# An error in the kernel: file, line, column, source, caret; standard input has a name too.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
def wrong(x: ph.tensor[ph.f32][N]):
    x[0:+128] = undefined


# CHECK: errors.py:[[#@LINE-3]]:17: error:
# CHECK-NEXT:{{^        }}x[0:+128] = undefined
# CHECK-NEXT:{{^ +}}^~~~~~~~~
# STDIN: <stdin>:[[#@LINE-6]]:17: error:
