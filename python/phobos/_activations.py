"""ph.std, continued: activations."""

from __future__ import annotations

import phobos.lang as ph

## Activations


@ph.fn
def relu(x):
    """max(x, 0)."""
    return ph.max(x, 0)


@ph.fn
def relu_grad(x, dy):
    """0 for x <= 0."""
    return x.dtype(ph.where(x <= 0, 0, dy))


@ph.fn
def relu6(x):
    """x, held between 0 and 6."""
    return ph.clamp(x, 0, 6)


@ph.fn
def relu6_grad(x, dy):
    """0 for x <= 0 and x >= 6."""
    return hardtanh_grad(x, dy, 0, 6)


@ph.fn
def leaky_relu(x, slope=0.01):
    """x where it is positive, slope x elsewhere."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(ph.where(t > 0, t, slope * t))


@ph.fn
def leaky_relu_grad(x, dy, slope=0.01):
    """dy slope for x <= 0."""
    d: ph.let = ph.std.widen_for(x, dy)
    return x.dtype(ph.where(x > 0, d, slope * d))


@ph.fn
def elu(x, alpha=1.0):
    """x where it is positive, alpha (exp(x) - 1) elsewhere; exact near 0."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(ph.where(t > 0, t, alpha * ph.std.expm1(t)))


@ph.fn
def elu_grad(x, dy, alpha=1.0):
    """dy alpha exp(x) for x <= 0."""
    d: ph.let = ph.std.widen_for(x, dy)
    return x.dtype(ph.where(x <= 0, d * alpha * ph.exp(ph.std.widen(x)), d))


@ph.fn
def selu(x):
    """elu with alpha = 1.6732632…, times 1.0507009…: keeps mean 0 and variance 1 (Klambauer et al., Self-Normalizing Neural Networks, 2017)."""
    return x.dtype(1.0507009873554805 * elu(ph.std.widen(x), 1.6732632423543772))


@ph.fn
def selu_grad(x, dy):
    """As elu_grad, times the same factor."""
    return x.dtype(1.0507009873554805 * elu_grad(ph.std.widen(x), dy, 1.6732632423543772))


@ph.fn
def celu(x, alpha=1.0):
    """x where it is positive, alpha (exp(x / alpha) - 1) elsewhere; exact near 0."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(ph.where(t > 0, t, alpha * ph.std.expm1(t / alpha)))


@ph.fn
def celu_grad(x, dy, alpha=1.0):
    """dy exp(x / alpha) for x <= 0."""
    d: ph.let = ph.std.widen_for(x, dy)
    return x.dtype(ph.where(x <= 0, d * ph.exp(ph.std.widen(x) / alpha), d))


@ph.fn
def gelu(x):
    """x Φ(x) = x/2 (1 + erf(x / √2)). For negative x the sum cancels, as in torch: the error is up to 2^-24 abs(x). With ph.libdevice.erfc, x/2 erfc(-x / √2) does not."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(0.5 * t * (1 + ph.erf(0.7071067811865476 * t)))


@ph.fn
def gelu_grad(x, dy):
    """dy (Φ(x) + x φ(x)), φ the density of the normal distribution."""
    t: ph.let = ph.std.widen(x)
    density: ph.let = 0.3989422804014327 * ph.exp(-0.5 * t * t)
    return x.dtype(dy * (0.5 * (1 + ph.erf(0.7071067811865476 * t)) + t * density))


@ph.fn
def gelu_tanh(x):
    """x/2 (1 + tanh(u)) with u = √(2/π) (x + 0.044715 x³), written x sigmoid(2 u), which does not cancel."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(t * ph.sigmoid(1.5957691216057308 * t * (1 + 0.044715 * t * t)))


@ph.fn
def gelu_tanh_grad(x, dy):
    """dy (s + x s (1 - s) d(2u)/dx), where s = sigmoid(2 u)."""
    t: ph.let = ph.clamp(ph.std.widen(x), -30, 30)  # beyond, s is 0 or 1, and the square may overflow
    u: ph.let = 1.5957691216057308 * t * (1 + 0.044715 * t * t)
    s: ph.let = ph.sigmoid(u)
    return x.dtype(dy * (s + t * s * ph.sigmoid(-u) * (1.5957691216057308 * (1 + 0.134145 * t * t))))


@ph.fn
def silu(x):
    """x sigmoid(x), also called swish."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(t * ph.sigmoid(t))


@ph.fn
def silu_grad(x, dy):
    """dy s (1 + x (1 - s)), where s = sigmoid(x)."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(dy * (ph.sigmoid(t) * (1 + t * ph.sigmoid(-t))))


@ph.fn
def mish(x):
    """x tanh(log(1 + exp(x))), written x n / (n + 2) with n = exp(x) (exp(x) + 2)."""
    t: ph.let = ph.std.widen(x)
    e: ph.let = ph.exp(ph.min(t, 40))  # beyond, the quotient is 1
    n: ph.let = e * (e + 2)
    return x.dtype(t * (n / (n + 2)))


@ph.fn
def mish_grad(x, dy):
    """dy (w + x (1 - w²) sigmoid(x)), where w = tanh(log(1 + exp(x)))."""
    t: ph.let = ph.min(ph.std.widen(x), 40)
    e: ph.let = ph.exp(t)
    n: ph.let = e * (e + 2)
    # (1 - w²) sigmoid(x) is 4 exp(x) (1 + exp(x)) / (n + 2)².
    return x.dtype(dy * (n / (n + 2) + 4 * (t * (e / (n + 2))) * ((e + 1) / (n + 2))))


@ph.fn
def softplus(x, beta=1.0, threshold=20.0):
    """log(1 + exp(beta x)) / beta without overflow; x itself where beta x is above the threshold."""
    z: ph.let = beta * ph.std.widen(x)
    return x.dtype(ph.where(z > threshold, ph.std.widen(x), (ph.max(z, 0) + ph.log1p(ph.exp(-ph.abs(z)))) / beta))


@ph.fn
def softplus_grad(x, dy, beta=1.0, threshold=20.0):
    """dy sigmoid(beta x); dy where beta x is above the threshold."""
    z: ph.let = beta * ph.std.widen(x)
    return x.dtype(ph.where(z > threshold, dy, dy * ph.sigmoid(z)))


@ph.fn
def softsign(x):
    """x / (1 + abs(x))."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(t / (1 + ph.abs(t)))


@ph.fn
def softsign_grad(x, dy):
    """dy / (1 + abs(x))²."""
    r: ph.let = 1 / (1 + ph.abs(ph.std.widen(x)))
    return x.dtype(dy * (r * r))


@ph.fn
def hardtanh(x, low=-1.0, high=1.0):
    """x, held between low and high."""
    return ph.clamp(x, low, high)


@ph.fn
def hardtanh_grad(x, dy, low=-1.0, high=1.0):
    """0 for x <= low and x >= high."""
    return x.dtype(ph.where((x <= low) | (x >= high), 0, dy))


@ph.fn
def hardsigmoid(x):
    """(x + 3) / 6, held between 0 and 1."""
    return x.dtype(ph.clamp(ph.std.widen(x) + 3, 0, 6) / 6)


@ph.fn
def hardsigmoid_grad(x, dy):
    """dy / 6 between -3 and 3, 0 elsewhere and at both."""
    return x.dtype(ph.where((x > -3) & (x < 3), ph.std.widen_for(x, dy) / 6, 0))


@ph.fn
def hardswish(x):
    """x times hardsigmoid(x)."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(t * hardsigmoid(t))


@ph.fn
def hardswish_grad(x, dy):
    """dy (x/3 + 1/2) between -3 and 3; 0 for x <= -3, dy for x >= 3. (Old versions of torch take the middle at -3 and 3 too.)"""
    d: ph.let = ph.std.widen_for(x, dy)
    return x.dtype(ph.where(x <= -3, 0, ph.where(x >= 3, d, d * (ph.std.widen(x) / 3 + 0.5))))


@ph.fn
def log_sigmoid(x):
    """log(sigmoid(x)) = min(x, 0) - log(1 + exp(-abs(x)))."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(ph.min(t, 0) - ph.log1p(ph.exp(-ph.abs(t))))


@ph.fn
def log_sigmoid_grad(x, dy):
    """dy sigmoid(-x)."""
    return x.dtype(dy * ph.sigmoid(-ph.std.widen(x)))


@ph.fn
def tanh_shrink(x):
    """x - tanh(x). Near 0 the difference cancels, as in torch: the error is up to 2^-22 abs(x)."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(t - ph.tanh(t))


@ph.fn
def tanh_shrink_grad(x, dy):
    """dy tanh(x)²."""
    h: ph.let = ph.tanh(ph.std.widen(x))
    return x.dtype(dy * (h * h))


@ph.fn
def soft_shrink(x, bound=0.5):
    """x moved towards 0 by the bound, 0 where that would pass it."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(t - ph.clamp(t, -bound, bound))


@ph.fn
def soft_shrink_grad(x, dy, bound=0.5):
    """0 where abs(x) <= bound."""
    return x.dtype(ph.where(ph.abs(x) <= bound, 0, dy))


@ph.fn
def hard_shrink(x, bound=0.5):
    """0 where abs(x) <= bound, else x."""
    return ph.where(ph.abs(x) <= bound, 0, x)


@ph.fn
def hard_shrink_grad(x, dy, bound=0.5):
    """0 where abs(x) <= bound."""
    return soft_shrink_grad(x, dy, bound)


@ph.fn
def threshold(x, limit, value):
    """x where it is above the limit, else the value."""
    return ph.where(x <= limit, value, x)


@ph.fn
def threshold_grad(x, dy, limit):
    """0 for x <= limit."""
    return x.dtype(ph.where(x <= limit, 0, dy))


## Gated units
# Of two tiles of one shape; the gradients are pairs, with respect to x and to the gate.


@ph.fn
def glu(x, gate):
    """x sigmoid(gate). torch.nn.functional.glu takes both as halves of one tensor, in this order."""
    return x.dtype(ph.std.widen(x) * ph.sigmoid(ph.std.widen(gate)))


@ph.fn
def glu_grad(x, gate, dy):
    """(dy s, dy x s (1 - s)), where s = sigmoid(gate)."""
    g: ph.let = ph.std.widen(gate)
    d: ph.let = dy * ph.sigmoid(g)
    return x.dtype(d), gate.dtype(d * x * ph.sigmoid(-g))


@ph.fn
def geglu(x, gate):
    """x gelu(gate) (Shazeer, GLU Variants Improve Transformer, 2020)."""
    return x.dtype(x * gelu(ph.std.widen(gate)))


@ph.fn
def geglu_grad(x, gate, dy):
    """(dy gelu(gate), dy x gelu'(gate))."""
    g: ph.let = ph.std.widen(gate)
    return x.dtype(dy * gelu(g)), gate.dtype(gelu_grad(g, ph.std.widen_for(x, dy) * x))


@ph.fn
def swiglu(x, gate):
    """x silu(gate) (as geglu)."""
    return x.dtype(x * silu(ph.std.widen(gate)))


@ph.fn
def swiglu_grad(x, gate, dy):
    """(dy silu(gate), dy x silu'(gate))."""
    g: ph.let = ph.std.widen(gate)
    return x.dtype(dy * silu(g)), gate.dtype(silu_grad(g, ph.std.widen_for(x, dy) * x))
