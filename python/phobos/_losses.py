"""ph.std, continued: losses."""

from __future__ import annotations

import phobos.lang as ph

## Losses, element by element
# What torch.nn.functional has with reduction="none": a kernel sums as it likes. dy is 1 unless given.


@ph.fn
def mse(x, target):
    """(x - target)²."""
    d: ph.let = ph.std.widen(x) - target
    return x.dtype(d * d)


@ph.fn
def mse_grad(x, target, dy=1.0):
    """dy 2 (x - target)."""
    return x.dtype(2 * (ph.std.widen(x) - target) * dy)


@ph.fn
def l1(x, target):
    """abs(x - target)."""
    return x.dtype(ph.abs(ph.std.widen(x) - target))


@ph.fn
def l1_grad(x, target, dy=1.0):
    """dy ph.std.sign(x - target)."""
    return x.dtype(ph.std.sign(ph.std.widen(x) - target) * dy)


@ph.fn
def smooth_l1(x, target, beta=1.0):
    """d² / (2 beta) where d = abs(x - target) is below beta, d - beta/2 elsewhere; beta > 0."""
    d: ph.let = ph.abs(ph.std.widen(x) - target)
    return x.dtype(ph.where(d < beta, d * d * (0.5 / beta), d - 0.5 * beta))


@ph.fn
def smooth_l1_grad(x, target, dy=1.0, beta=1.0):
    """dy (x - target) / beta, the quotient held between -1 and 1."""
    return x.dtype(ph.clamp((ph.std.widen(x) - target) / beta, -1, 1) * dy)


@ph.fn
def huber(x, target, delta=1.0):
    """d² / 2 where d = abs(x - target) is up to delta, delta (d - delta/2) elsewhere."""
    d: ph.let = ph.abs(ph.std.widen(x) - target)
    return x.dtype(ph.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)))


@ph.fn
def huber_grad(x, target, dy=1.0, delta=1.0):
    """dy (x - target), the difference held between -delta and delta."""
    return x.dtype(ph.clamp(ph.std.widen(x) - target, -delta, delta) * dy)


@ph.fn
def binary_cross_entropy(x, target):
    """-(target log(x) + (1 - target) log(1 - x)) of a probability x; the logarithms are at least -100, as in torch."""
    p: ph.let = ph.std.widen(x)
    t: ph.let = ph.std.widen(target)
    return x.dtype((t - 1) * ph.max(ph.log1p(-p), -100) - t * ph.max(ph.log(p), -100))


@ph.fn
def binary_cross_entropy_grad(x, target, dy=1.0):
    """dy (x - target) / (x (1 - x)), the divisor at least 1e-12."""
    p: ph.let = ph.std.widen(x)
    return x.dtype(dy * (p - target) / ph.max((1 - p) * p, 1e-12))


@ph.fn
def binary_cross_entropy_with_logits(x, target, pos_weight=1.0):
    """-(pos_weight target ph.std.log_sigmoid(x) + (1 - target) ph.std.log_sigmoid(-x)): binary_cross_entropy of sigmoid(x), without overflow."""
    z: ph.let = ph.std.widen(x)
    t: ph.let = ph.std.widen(target)
    return x.dtype((t - 1) * ph.std.log_sigmoid(-z) - pos_weight * t * ph.std.log_sigmoid(z))


@ph.fn
def binary_cross_entropy_with_logits_grad(x, target, dy=1.0, pos_weight=1.0):
    """dy ((1 - target) sigmoid(x) - pos_weight target sigmoid(-x))."""
    z: ph.let = ph.std.widen(x)
    t: ph.let = ph.std.widen(target)
    return x.dtype(dy * ((1 - t) * ph.sigmoid(z) - pos_weight * t * ph.sigmoid(-z)))


@ph.fn
def focal(x, target, alpha=0.25, gamma=2.0):
    """binary_cross_entropy_with_logits times a (1 - q)^gamma: q is the probability that sigmoid(x) gives the target, a is alpha for targets of 1 and 1 - alpha
    for 0, and 1 if alpha is negative (Lin et al., Focal Loss for Dense Object Detection, 2017; torchvision's sigmoid_focal_loss)."""
    z: ph.let = ph.std.widen(x)
    t: ph.let = ph.std.widen(target)
    missed: ph.let = ph.sigmoid(z) * (1 - t) + ph.sigmoid(-z) * t
    a: ph.let = alpha * t + (1 - alpha) * (1 - t) if alpha >= 0 else t * 0 + 1
    return x.dtype(a * ph.pow(missed, gamma) * binary_cross_entropy_with_logits(z, t))


@ph.fn
def focal_grad(x, target, dy=1.0, alpha=0.25, gamma=2.0):
    """With m = 1 - q and L the cross entropy: dy a (gamma m^(gamma - 1) m' L + m^gamma L'); gamma is 0 or at least 1."""
    z: ph.let = ph.std.widen(x)
    t: ph.let = ph.std.widen(target)
    p: ph.let = ph.sigmoid(z)
    q: ph.let = ph.sigmoid(-z)
    missed: ph.let = p * (1 - t) + q * t
    a: ph.let = alpha * t + (1 - alpha) * (1 - t) if alpha >= 0 else t * 0 + 1
    slope: ph.let = ph.pow(missed, gamma) * ((1 - t) * p - t * q)
    if gamma == 0:
        return x.dtype(dy * a * slope)
    return x.dtype(dy * a * (slope + gamma * ph.pow(missed, gamma - 1) * (1 - 2 * t) * p * q * binary_cross_entropy_with_logits(z, t)))


@ph.fn
def kl_div(x, target, log_target=False):
    """target (log(target) - x), where x is the logarithm of a probability; 0 log(0) is 0. With log_target the target is a logarithm too."""
    t: ph.let = ph.std.widen(target)
    if log_target:
        return x.dtype(ph.exp(t) * (t - x))
    return x.dtype(ph.where(t > 0, t * ph.log(t), t * 0) - t * x)


@ph.fn
def kl_div_grad(x, target, dy=1.0, log_target=False):
    """-dy target, or -dy exp(target)."""
    t: ph.let = ph.std.widen(target)
    return x.dtype(-dy * (ph.exp(t) if log_target else t))


@ph.fn
def poisson_nll(x, target, log_input=True, full=False, eps=1e-8):
    """exp(x) - target x, or without log_input x - target log(x + eps). full adds Stirling's t log(t) - t + log(2π t) / 2 for targets above 1."""
    z: ph.let = ph.std.widen(x)
    t: ph.let = ph.std.widen(target)
    loss: ph.let = ph.exp(z) - t * z if log_input else z - t * ph.log(z + eps)
    if full:
        return x.dtype(loss + ph.where(t > 1, t * ph.log(t) - t + 0.5 * ph.log(6.283185307179586 * t), 0))
    return x.dtype(loss)


@ph.fn
def poisson_nll_grad(x, target, dy=1.0, log_input=True, eps=1e-8):
    """dy (exp(x) - target), or dy (1 - target / (x + eps))."""
    z: ph.let = ph.std.widen(x)
    return x.dtype(dy * (ph.exp(z) - target if log_input else 1 - target / (z + eps)))


@ph.fn
def gaussian_nll(x, target, variance, full=False, eps=1e-6):
    """(log(v) + (x - target)² / v) / 2, where v is the variance or eps, whichever is greater; full adds log(2π) / 2."""
    v: ph.let = ph.max(ph.std.widen(variance), eps)
    d: ph.let = ph.std.widen(x) - target
    return x.dtype(0.5 * (ph.log(v) + d * d / v) + (0.9189385332046727 if full else 0.0))


@ph.fn
def gaussian_nll_grad(x, target, variance, dy=1.0, eps=1e-6):
    """Two gradients: with respect to x, dy (x - target) / v, and to the variance, dy (1 / v - ((x - target) / v)²) / 2."""
    v: ph.let = ph.max(ph.std.widen(variance), eps)
    d: ph.let = (ph.std.widen(x) - target) / v
    return x.dtype(dy * d), variance.dtype(dy * (0.5 * (1 / v - d * d)))


@ph.fn
def hinge(x, target, margin=1.0):
    """max(0, margin - target x), for targets of -1 and 1: that of support vector machines. It is not in torch."""
    return x.dtype(ph.max(margin - ph.std.widen(x) * target, 0))


@ph.fn
def hinge_grad(x, target, dy=1.0, margin=1.0):
    """-dy target where target x <= margin, else 0."""
    t: ph.let = ph.std.widen(target)
    return x.dtype(ph.where(t * x <= margin, -t * dy, 0))


@ph.fn
def hinge_embedding(x, target, margin=1.0):
    """x where the target is 1, max(0, margin - x) where it is -1."""
    t: ph.let = ph.std.widen(x)
    return x.dtype(ph.where(target == 1, t, ph.max(margin - t, 0)))


@ph.fn
def hinge_embedding_grad(x, target, dy=1.0, margin=1.0):
    """dy where the target is 1; where it is -1, -dy for x <= margin, else 0."""
    d: ph.let = ph.std.widen_for(x, dy)
    return x.dtype(ph.where(target == 1, d, ph.where(x <= margin, -d, 0)))


@ph.fn
def margin_ranking(x, other, target, margin=0.0):
    """max(0, margin - target (x - other)): target 1 says that x should be the greater, -1 that other should."""
    return x.dtype(ph.max(margin - target * (ph.std.widen(x) - other), 0))


@ph.fn
def margin_ranking_grad(x, other, target, dy=1.0, margin=0.0):
    """-dy target where the loss is not cut off, else 0; with respect to other it is the negative."""
    t: ph.let = ph.std.widen(target)
    return x.dtype(ph.where(margin - t * (ph.std.widen(x) - other) >= 0, -t * dy, 0))


@ph.fn
def soft_margin(x, target):
    """log(1 + exp(-target x)), without overflow, for targets of -1 and 1."""
    return x.dtype(-ph.std.log_sigmoid(ph.std.widen(x) * target))


@ph.fn
def soft_margin_grad(x, target, dy=1.0):
    """-dy target sigmoid(-target x)."""
    t: ph.let = ph.std.widen(target)
    return x.dtype(-dy * t * ph.sigmoid(-t * x))


## Losses of rows
# A row's classes or features are the last axis: x is [R, C], what is one for each row is [R], a number if x has one row only and is [C].


@ph.fn
def beside(v):
    """[R] as [R, 1]; a number as it is."""
    return v if v.ndim == 0 else ph.expand(v, -1)


@ph.fn
def one_hot(labels, classes):
    """Bools of [R, classes]: is this class the row's label?"""
    return ph.iota(classes) == beside(labels)


@ph.fn
def cross_entropy(x, labels, label_smoothing=0.0, ignore_index=-100, length=None):
    """-log(ph.std.softmax(x)) at the row's label, for logits [R, C] and integer labels [R]; 0 where the label is ignore_index. Label smoothing s makes it 1 - s of that and s
    of the mean over all classes. A tile longer than the classes is loaded with other=-float("inf"), and needs length for smoothing."""
    t: ph.let = ph.std.widen(x)
    z: ph.let = t - ph.max(t, axis=-1, keepdims=True)
    total: ph.let = ph.log(ph.sum(ph.exp(z), axis=-1))
    loss: ph.let = total - ph.sum(ph.where(one_hot(labels, x.shape[-1]), z, 0), axis=-1)
    smoothed: ph.let = loss if label_smoothing == 0 else (1 - label_smoothing) * loss + label_smoothing * (total - ph.std.mean(z, -1, length=length))
    return x.dtype(ph.where(labels == ignore_index, 0, smoothed))


@ph.fn
def cross_entropy_grad(x, labels, dy=1.0, label_smoothing=0.0, ignore_index=-100, length=None):
    """dy (ph.std.softmax(x) - p), where p is 1 - s at the label, and s / C more everywhere; dy is [R] or a number."""
    count: ph.let = x.shape[-1] if length is None else length
    d: ph.let = ph.where(labels == ignore_index, 0, ph.std.widen_for(x, dy))
    q: ph.let = ph.std.softmax(ph.std.widen(x))
    return x.dtype((ph.where(one_hot(labels, x.shape[-1]), q - (1 - label_smoothing), q) - label_smoothing / count) * beside(d))


@ph.fn
def nll(x, labels, ignore_index=-100):
    """-x at the row's label, for logarithms of probabilities [R, C] and integer labels [R]; 0 where the label is ignore_index."""
    picked: ph.let = ph.sum(ph.where(one_hot(labels, x.shape[-1]), x, 0), axis=-1)
    return x.dtype(ph.where(labels == ignore_index, 0, -picked))


@ph.fn
def nll_grad(x, labels, dy=1.0, ignore_index=-100):
    """-dy at the label, 0 elsewhere; dy is [R] or a number."""
    d: ph.let = ph.where(labels == ignore_index, 0, ph.std.widen_for(x, dy))
    return x.dtype(ph.where(one_hot(labels, x.shape[-1]), -beside(d), 0))


@ph.fn
def cosine_similarity(x, other, eps=1e-8):
    """sum(x other) / (max(norm of x, eps) max(norm of other, eps)) of each row: [R]."""
    a: ph.let = ph.std.widen(x)
    b: ph.let = ph.std.widen(other)
    lengths: ph.let = ph.max(ph.sqrt(ph.sum(a * a, axis=-1)), eps) * ph.max(ph.sqrt(ph.sum(b * b, axis=-1)), eps)
    return x.dtype(ph.sum(a * b, axis=-1) / lengths)


@ph.fn
def cosine_similarity_grad(x, other, dy=1.0, eps=1e-8):
    """With respect to x; dy is [R] or a number. For the other one change places."""
    return ph.std.l2_normalize_grad(x, ph.std.l2_normalize(ph.std.widen(other), -1, eps) * beside(ph.std.widen_for(x, dy)), -1, eps)


@ph.fn
def cosine_embedding(x, other, target, margin=0.0):
    """Of each row [R]: 1 - c where its target is 1, max(0, c - margin) where it is -1; c is the cosine similarity."""
    c: ph.let = cosine_similarity(ph.std.widen(x), other)
    return x.dtype(ph.where(target == 1, 1 - c, ph.max(c - margin, 0)))


@ph.fn
def cosine_embedding_grad(x, other, target, dy=1.0, margin=0.0):
    """With respect to x; dy is [R] or a number. For the other one change places."""
    d: ph.let = ph.std.widen_for(x, dy)
    beyond: ph.let = cosine_similarity(ph.std.widen(x), other) >= margin
    return cosine_similarity_grad(x, other, ph.where(target == 1, -d, ph.where(beyond, d, 0)))
