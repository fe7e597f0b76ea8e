"""Products of 8-bit floats on the simulator of sm_90a, with all checks: the GPU's kernels on arrays of a type that NumPy lacks."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz import cases, formats
from gpu.test_float8 import SOURCE, VARIANTS, cdiv


@pytest.mark.parametrize("dtype", ["f8e4m3", "f8e5m2"])
@pytest.mark.parametrize("more", ["", "\n@ph.persistent"], ids=["plain", "roles"])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_product(variant, more, dtype, load_kernels):
    import phobos

    threads, m, n, k = variant
    kernels = load_kernels(SOURCE.format(threads=threads, m=m, n=n, k=k, more=more, dtype=dtype))
    for rows, columns, depth in ((m, n, k), (m - 8, n + 8, 3 * k + 16)):
        a, b = (cases.Buffer(cases.Array(name, dtype, (extent, depth), "unit", seed=extent)) for name, extent in (("A", rows), ("B", columns)))
        want = formats.decoded(a.view, dtype) @ formats.decoded(b.view, dtype).T
        for name in ("product", "promoted"):
            result = np.full((rows, columns), np.nan, np.float32)
            with phobos.target("host"), phobos.sim(check="all", arch="sm_90a", seed=1):
                getattr(kernels, name)[cdiv(rows, m), cdiv(columns, n)](a.on_host(), b.on_host(), result)
            assert np.abs(result - want).max() <= 1e-5 * np.abs(want).max()
