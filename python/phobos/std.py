"""ph.std: functions written in the kernel language itself.

python/phobos/std.py is built into the compiler, which reads it, where a kernel uses it, as it reads the kernel's own device functions: they are inlined.

Unless a function says otherwise, x is a tile of any shape, or a number, of any floating dtype. What is computed is computed in f32, or in f64 if x
is that, and converted once to the dtype of x; other tiles may have other dtypes, and broadcast. `f_grad(x, …, dy)` is the gradient with respect
to x: dy times the derivative of `f(x, …)`. A result is as exact as the built-ins that it is made of, and a few roundings more. Where torch.nn.functional
has the function, defaults, kinks and special values are torch's; NaN gives NaN. Settings such as axis, alpha and eps are constants of the call.
Shapes are written [R, C]: rows, and classes or features of each. `axis` is an int, or in norms and moments a tuple of ints.
`length` is for tiles that are longer than what they hold: so many elements of the last axis count.
"""

from __future__ import annotations

import phobos.lang as ph

from ._activations import *  # noqa: F403 - the library goes on there
from ._attention import *  # noqa: F403
from ._losses import *  # noqa: F403

## Basics

cdiv = ph.cdiv  # known to the compiler: of constants it is one


@ph.fn
def grouped(pid, n_m, n_n, GROUP):
    """Block (row, column) number `pid` of n_m x n_n in grouped order: GROUP rows at a time, column by column; the last group has the rows that
    are left. What @ph.swizzle(GROUP) does to ph.ctx.block, for kernels that number their blocks themselves."""
    in_group: ph.let = GROUP * n_n
    first: ph.let = pid // in_group * GROUP
    rows: ph.let = ph.max(ph.min(n_m - first, GROUP), 1)
    return first + pid % in_group % rows, pid % in_group // rows


@ph.fn
def widen(x):
    """x as f32, or as f64 if it is that; integers and bools as f32."""
    return x * ph.f32(1)  # joins with an f32; the product itself is folded away


@ph.fn
def widen_for(x, dy):
    """dy, widened to what x is widened to at least: a number as dy is as exact as x."""
    return dy * widen(x.dtype(1))


@ph.fn
def sign(x):
    """-1, 0 or 1; 0 for NaN, as in torch."""
    return x.dtype(ph.where(x > 0, 1.0, ph.where(x < 0, -1.0, 0.0)))


@ph.fn
def expm1(x):
    """exp(x) - 1, exact near 0: 2 tanh(x/2) / (1 - tanh(x/2)) between -1 and 1."""
    t: ph.let = widen(x)
    h: ph.let = ph.tanh(0.5 * t)
    return x.dtype(ph.where(ph.abs(t) < 1, 2 * h / (1 - h), ph.exp(t) - 1))


## Softmax
# Elements of -inf count for nothing, so a tile longer than its row is loaded with other=-float("inf"). Nothing but -inf gives NaN.


@ph.fn
def softmax(x, axis=-1):
    """exp(x) / sum(exp(x)) along an axis, computed from the differences to the greatest element."""
    t: ph.let = widen(x)
    e: ph.let = ph.exp(t - ph.max(t, axis=axis, keepdims=True))
    return x.dtype(e * (1 / ph.sum(e, axis=axis, keepdims=True)))


@ph.fn
def softmax_grad(y, dy, axis=-1):
    """y (dy - sum(y dy)), where y is what softmax gave."""
    t: ph.let = widen(y)
    return y.dtype(t * (dy - ph.sum(t * dy, axis=axis, keepdims=True)))


@ph.fn
def log_softmax(x, axis=-1):
    """log(softmax(x)), without its underflow."""
    t: ph.let = widen(x)
    z: ph.let = t - ph.max(t, axis=axis, keepdims=True)
    return x.dtype(z - ph.log(ph.sum(ph.exp(z), axis=axis, keepdims=True)))


@ph.fn
def log_softmax_grad(y, dy, axis=-1):
    """dy - exp(y) sum(dy), where y is what log_softmax gave."""
    d: ph.let = widen(dy)
    return y.dtype(d - ph.exp(widen(y)) * ph.sum(d, axis=axis, keepdims=True))


@ph.fn
def log_sum_exp(x, axis=-1, keepdims=False):
    """log(sum(exp(x))) along an axis, without overflow; of nothing but -inf it is -inf. Its gradient is dy softmax(x)."""
    t: ph.let = widen(x)
    most: ph.let = ph.max(t, axis=axis, keepdims=True)
    finite: ph.let = ph.where(ph.isinf(most), 0, most)  # inf - inf would be NaN
    whole: ph.let = finite + ph.log(ph.sum(ph.exp(t - finite), axis=axis, keepdims=True))
    return x.dtype(ph.sum(whole, axis=axis, keepdims=keepdims))


## Moments and norms
# Weight and bias broadcast to x: [C] for rows of C, [C, 1] for channels that come first.


@ph.fn
def mean(x, axis=-1, keepdims=False, length=None):
    """The mean along the axes, in f32 at least: it keeps that dtype. With a length, the rest of the last axis is left out, whatever is there."""
    t: ph.let = widen(x)
    if length is None:
        total = ph.sum(t, axis=axis, keepdims=keepdims)
        kept: ph.let = ph.sum(t, axis=axis, keepdims=True)  # of which only the shape is used
        count: ph.var = 1
        for i in ph.unroll(x.ndim):
            count *= x.shape[i] // kept.shape[i]
        return total / count
    return ph.sum(ph.where(ph.iota(x.shape[-1]) < length, t, 0), axis=axis, keepdims=keepdims) / length


@ph.fn
def moments(x, axis=-1, length=None):
    """(mean, variance) along the axes, which stay with extent 1, in f32 at least. The variance is the mean of the squared differences to the mean, which
    loses nothing where the mean is large; times n / (n - 1) it is the unbiased one."""
    t: ph.let = widen(x)
    middle: ph.let = mean(t, axis, True, length)
    away: ph.let = t - middle
    return middle, mean(away * away, axis, True, length)


@ph.fn
def standardise_grad(n, scale, dn, axis=-1, length=None):
    """(dn - mean(dn) - n mean(n dn)) scale: the gradient with respect to x of n = (x - mean) scale, scale = 1 / √(variance + eps). What is left of layer_norm_grad for
    a kernel that has kept mean and scale."""
    d: ph.let = widen(dn)
    return (d - mean(d, axis, True, length) - n * mean(d * n, axis, True, length)) * scale


@ph.fn
def layer_norm(x, weight=1.0, bias=0.0, eps=1e-5, axis=-1, length=None):
    """(x - mean) / √(variance + eps) weight + bias, with the moments along the axes."""
    middle, variance = moments(x, axis, length)
    return x.dtype((widen(x) - middle) * ph.rsqrt(variance + eps) * weight + bias)


@ph.fn
def layer_norm_grad(x, dy, weight=1.0, eps=1e-5, axis=-1, length=None):
    """(dx, dy n), where n is x normalised: summed over the rows, dy n is the gradient with respect to the weight, in f32 at least, and dy that
    with respect to the bias."""
    middle, variance = moments(x, axis, length)
    scale: ph.let = ph.rsqrt(variance + eps)
    n: ph.let = (widen(x) - middle) * scale
    d: ph.let = widen_for(x, dy)
    return x.dtype(standardise_grad(n, scale, d * weight, axis, length)), d * n


@ph.fn
def rms_norm(x, weight=1.0, eps=1e-6, axis=-1, length=None):
    """x / √(mean(x²) + eps) weight (Zhang and Sennrich, Root Mean Square Layer Normalization, 2019)."""
    t: ph.let = widen(x)
    return x.dtype(t * ph.rsqrt(mean(t * t, axis, True, length) + eps) * weight)


@ph.fn
def rms_norm_grad(x, dy, weight=1.0, eps=1e-6, axis=-1, length=None):
    """(dx, dy n), where n is x normalised: summed over the rows, dy n is the gradient with respect to the weight, in f32 at least."""
    t: ph.let = widen(x)
    scale: ph.let = ph.rsqrt(mean(t * t, axis, True, length) + eps)
    n: ph.let = t * scale
    d: ph.let = widen_for(x, dy)
    g: ph.let = d * weight
    return x.dtype((g - n * mean(g * n, axis, True, length)) * scale), d * n


@ph.fn
def group_norm(x, groups, weight=1.0, bias=0.0, eps=1e-5):
    """layer_norm of each of so many groups of neighbouring channels, where x is one sample, with channels first: [C, …]; weight and bias are [C, 1, …].
    Extents are powers of two, as ph.reshape has them."""
    n: ph.let = layer_norm(ph.reshape(widen(x), groups, -1), eps=eps)
    return x.dtype(ph.reshape(n, x.shape) * weight + bias)


@ph.fn
def batch_norm(x, mean, variance, weight=1.0, bias=0.0, eps=1e-5):
    """(x - mean) / √(variance + eps) weight + bias with moments that are given, as in inference; all broadcast to x."""
    return x.dtype((widen(x) - mean) * ph.rsqrt(widen(variance) + eps) * weight + bias)


@ph.fn
def batch_norm_grad(x, dy, variance, weight=1.0, eps=1e-5):
    """dy weight / √(variance + eps): the moments are constants here."""
    return x.dtype(widen_for(x, dy) * ph.rsqrt(widen(variance) + eps) * weight)


@ph.fn
def l2_normalize(x, axis=-1, eps=1e-12):
    """x / max(√sum(x²), eps), torch's normalize. The squares are summed in f32 at least: above 1e19 they overflow there."""
    t: ph.let = widen(x)
    return x.dtype(t / ph.max(ph.sqrt(ph.sum(t * t, axis=axis, keepdims=True)), eps))


@ph.fn
def l2_normalize_grad(x, dy, axis=-1, eps=1e-12):
    """(dy - y sum(y dy)) / norm, where y = x / norm; dy / eps where eps was the greater."""
    t: ph.let = widen(x)
    norm: ph.let = ph.sqrt(ph.sum(t * t, axis=axis, keepdims=True))
    y: ph.let = t / ph.max(norm, eps)
    along: ph.let = ph.where(norm >= eps, ph.sum(y * dy, axis=axis, keepdims=True), 0)
    return x.dtype((dy - y * along) / ph.max(norm, eps))


## Dropout


@ph.fn
def dropout(x, p, seed, offset):
    """x / (1 - p), or with probability p 0. What is dropped is a function of the seed and of the offset, an integer for each element that no other element of
    the tensor has: its place, say. So the mask can be made again, and is kept nowhere."""
    scale: ph.let = 1 / (widen(x.dtype(1)) - p)
    return x.dtype(ph.where(ph.rand(seed, offset) >= p, widen(x) * scale, 0))


@ph.fn
def dropout_grad(dy, p, seed, offset):
    """dy under the same mask and factor: dropout of dy with the same seed and offset."""
    return dropout(dy, p, seed, offset)


## Combinations
# For ph.reduce and ph.scan, which call them with numbers. A pair or triple of numbers stands for a pair or triple of tiles.


@ph.fn
def add(a, b):
    """a + b, for running and other sums in the tile's own dtype."""
    return a + b


@ph.fn
def multiply(a, b):
    """a b."""
    return a * b


@ph.fn
def maximum(a, b):
    """The greater of two; NaN if one is."""
    return ph.max(a, b)


@ph.fn
def minimum(a, b):
    """The lesser of two; NaN if one is."""
    return ph.min(a, b)


@ph.fn
def affine(a, b, c, d):
    """x -> a x + b, then x -> c x + d: ph.scan((a, b), axis, ph.std.affine) solves y[i] = a[i] y[i - 1] + b[i], whose values are its second result."""
    return a * c, b * c + d


@ph.fn
def greater_at(a, i, b, j):
    """The greater of two values and its place; of equal ones the lower place. With ph.iota as second tile, maximum and argmax at once."""
    other: ph.let = (b > a) | ((b == a) & (j < i))
    return ph.where(other, b, a), ph.where(other, j, i)


@ph.fn
def log_add_exp(a, b):
    """log(exp(a) + exp(b)) without overflow."""
    most: ph.let = ph.max(a, b)
    return ph.where(ph.isinf(most), most, most + ph.log1p(ph.exp(-ph.abs(a - b))))


@ph.fn
def softmax_parts(most, total, other_most, other_total):
    """Of two parts of a row: the greatest element, and the sum of exp(x - greatest). Begin with (x, 1), or join the parts of a row that is walked over
    in turns: the online softmax (Milakov and Gimelshein, 2018). The greatest elements are finite."""
    new: ph.let = ph.max(most, other_most)
    return new, total * ph.exp(most - new) + other_total * ph.exp(other_most - new)


@ph.fn
def welford(mean, squares, count, other_mean, other_squares, other_count):
    """Mean, sum of squared differences to it, and count, of two parts together (Chan, Golub and LeVeque, 1979). Begin with (x, 0, 1);
    a count of 0 is a part that is empty."""
    all: ph.let = count + other_count
    share: ph.let = ph.where(all > 0, other_count / all, 0)
    away: ph.let = other_mean - mean
    return mean + away * share, squares + other_squares + away * away * count * share, all


## Quantisation


@ph.fn
def absmax_scale(x, largest=127.0, axis=-1):
    """max(abs(x)) / largest along the axes, which stay with extent 1, in f32 at least: x / scale is then between -largest and largest. That is 127 for i8, 448 for f8e4m3
    and 57344 for f8e5m2. 0 where x is nothing but 0, which quantises to 0."""
    return ph.max(ph.abs(widen(x)), axis=axis, keepdims=True) / largest


@ph.fn
def quantise_i8(x, scale):
    """x / scale rounded to the nearest integer, halves to even, and held between -128 and 127; NaN becomes 0."""
    return ph.i8(ph.round(widen(x) / scale))


@ph.fn
def quantise_f8(x, scale, dtype=ph.f8e4m3):
    """x / scale in an 8-bit float, f8e4m3 or f8e5m2: rounded to nearest, and at most its largest finite number. 0 for a scale of 0."""
    return dtype(ph.where(scale == 0, 0, widen(x) / scale))


@ph.fn
def dequantise(q, scale, dtype=ph.f32):
    """q scale, of i8 or f8, computed in f32 at least and given as dtype."""
    return dtype(widen(q) * scale)
