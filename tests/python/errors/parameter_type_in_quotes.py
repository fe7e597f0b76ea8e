from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: "ph.tensor[ph.f32][N]"):
    x[0:+64] = 0.0


# $ phobosc parameter_type_in_quotes.py
# parameter_type_in_quotes.py:7:14: error: expected a dtype or a tensor as the type of a parameter, got a string
#     def apply(x: "ph.tensor[ph.f32][N]"):
#                  ^~~~~~~~~~~~~~~~~~~~~~
# exit status 1
