"""What ph.std is measured by: functions of torch.nn.functional, of float64.

A case is a call, its gradient, the reference, and with respect to what the gradient's results are (the first argument alone, if that is left out; _ for a result
that is not looked at). The names of the reference's parameters say what they hold (test_std.py makes them); wide is x, widened.
"""

from __future__ import annotations

# Sums of theirs cancel: what is small beside their terms is as exact as those.
CANCELLING = {"gelu", "geglu", "tanh_shrink", "kl_div", "poisson_nll", "gaussian_nll", "layer_norm", "batch_norm"}

ACTIVATIONS = [
    ("relu(x)", "relu_grad(x, dy)", lambda F, x: F.relu(x)),
    ("relu6(x)", "relu6_grad(x, dy)", lambda F, x: F.relu6(x)),
    ("leaky_relu(x)", "leaky_relu_grad(x, dy)", lambda F, x: F.leaky_relu(x)),
    ("leaky_relu(x, slope=0.3)", "leaky_relu_grad(x, dy, slope=0.3)", lambda F, x: F.leaky_relu(x, 0.3)),
    ("elu(x)", "elu_grad(x, dy)", lambda F, x: F.elu(x)),
    ("elu(x, alpha=0.3)", "elu_grad(x, dy, alpha=0.3)", lambda F, x: F.elu(x, 0.3)),
    ("selu(x)", "selu_grad(x, dy)", lambda F, x: F.selu(x)),
    ("celu(x, alpha=0.7)", "celu_grad(x, dy, alpha=0.7)", lambda F, x: 0.7 * F.elu(x / 0.7)),  # torch's celu and hardsigmoid have constants of f32
    ("gelu(x)", "gelu_grad(x, dy)", lambda F, x: F.gelu(x)),
    ("gelu_tanh(x)", "gelu_tanh_grad(x, dy)", lambda F, x: F.gelu(x, approximate="tanh")),
    ("silu(x)", "silu_grad(x, dy)", lambda F, x: F.silu(x)),
    ("mish(x)", "mish_grad(x, dy)", lambda F, x: F.mish(x)),
    ("softplus(x)", "softplus_grad(x, dy)", lambda F, x: F.softplus(x)),
    ("softplus(x, beta=2.0, threshold=5.0)", "softplus_grad(x, dy, beta=2.0, threshold=5.0)", lambda F, x: F.softplus(x, 2.0, 5.0)),
    ("softsign(x)", "softsign_grad(x, dy)", lambda F, x: F.softsign(x)),
    ("hardtanh(x)", "hardtanh_grad(x, dy)", lambda F, x: F.hardtanh(x)),
    ("hardtanh(x, -0.5, 2)", "hardtanh_grad(x, dy, -0.5, 2)", lambda F, x: F.hardtanh(x, -0.5, 2.0)),
    ("hardsigmoid(x)", "hardsigmoid_grad(x, dy)", lambda F, x: F.hardtanh(x, -3.0, 3.0) / 6 + 0.5),
    ("hardswish(x)", "hardswish_grad(x, dy)", lambda F, x: F.hardswish(x)),
    ("log_sigmoid(x)", "log_sigmoid_grad(x, dy)", lambda F, x: F.logsigmoid(x)),
    ("tanh_shrink(x)", "tanh_shrink_grad(x, dy)", lambda F, x: F.tanhshrink(x)),
    ("soft_shrink(x)", "soft_shrink_grad(x, dy)", lambda F, x: F.softshrink(x)),
    ("hard_shrink(x, bound=1.0)", "hard_shrink_grad(x, dy, bound=1.0)", lambda F, x: F.hardshrink(x, 1.0)),
    ("threshold(x, 0.5, -3.0)", "threshold_grad(x, dy, 0.5)", lambda F, x: F.threshold(x, 0.5, -3.0)),
    ("glu(x, y)", "glu_grad(x, y, dy)", lambda F, x, y: x * y.sigmoid(), "x y"),
    ("geglu(x, y)", "geglu_grad(x, y, dy)", lambda F, x, y: x * F.gelu(y), "x y"),
    ("swiglu(x, y)", "swiglu_grad(x, y, dy)", lambda F, x, y: x * F.silu(y), "x y"),
]
LOSSES = [
    ("mse(x, t)", "mse_grad(x, t, dy)", lambda F, x, t: F.mse_loss(x, t, reduction="none")),
    ("l1(x, t)", "l1_grad(x, t, dy)", lambda F, x, t: F.l1_loss(x, t, reduction="none")),
    ("smooth_l1(x, t)", "smooth_l1_grad(x, t, dy)", lambda F, x, t: F.smooth_l1_loss(x, t, reduction="none")),
    ("smooth_l1(x, t, beta=0.3)", "smooth_l1_grad(x, t, dy, beta=0.3)", lambda F, x, t: F.smooth_l1_loss(x, t, reduction="none", beta=0.3)),
    ("huber(x, t, delta=1.5)", "huber_grad(x, t, dy, delta=1.5)", lambda F, x, t: F.huber_loss(x, t, reduction="none", delta=1.5)),
    ("binary_cross_entropy(p, soft)", "binary_cross_entropy_grad(p, soft, dy)", lambda F, p, soft: F.binary_cross_entropy(p, soft, reduction="none")),
    (
        "binary_cross_entropy_with_logits(x, soft)", "binary_cross_entropy_with_logits_grad(x, soft, dy)",
        lambda F, x, soft: F.binary_cross_entropy_with_logits(x, soft, reduction="none"),
    ),
    (
        "binary_cross_entropy_with_logits(x, soft, pos_weight=3)", "binary_cross_entropy_with_logits_grad(x, soft, dy, pos_weight=3)",
        lambda F, x, soft: F.binary_cross_entropy_with_logits(x, soft, reduction="none", pos_weight=x.new_tensor(3.0)),
    ),
    ("focal(x, soft)", "focal_grad(x, soft, dy)", lambda F, x, soft: focal(F, x, soft, 0.25, 2.0)),
    ("focal(x, soft, alpha=-1, gamma=0)", "focal_grad(x, soft, dy, alpha=-1, gamma=0)", lambda F, x, soft: focal(F, x, soft, -1, 0.0)),
    ("kl_div(x, p)", "kl_div_grad(x, p, dy)", lambda F, x, p: F.kl_div(x, p, reduction="none")),
    ("kl_div(x, t, log_target=True)", "kl_div_grad(x, t, dy, log_target=True)", lambda F, x, t: F.kl_div(x, t, reduction="none", log_target=True)),
    ("poisson_nll(x, count)", "poisson_nll_grad(x, count, dy)", lambda F, x, count: F.poisson_nll_loss(x, count, reduction="none")),
    (
        "poisson_nll(v, count, log_input=False, full=True)", "poisson_nll_grad(v, count, dy, log_input=False)",
        lambda F, v, count: F.poisson_nll_loss(v, count, log_input=False, full=True, reduction="none"),
    ),
    (
        "gaussian_nll(x, t, v, full=True)", "gaussian_nll_grad(x, t, v, dy)",
        lambda F, x, t, v: F.gaussian_nll_loss(x, t, v, full=True, reduction="none"), "x v",
    ),
    ("hinge(x, side)", "hinge_grad(x, side, dy)", lambda F, x, side: (1 - x * side).clamp_min(0)),
    ("hinge_embedding(x, side)", "hinge_embedding_grad(x, side, dy)", lambda F, x, side: F.hinge_embedding_loss(x, side, reduction="none")),
    (
        "margin_ranking(x, t, side, margin=0.2)", "margin_ranking_grad(x, t, side, dy, margin=0.2)",
        lambda F, x, t, side: F.margin_ranking_loss(x, t, side, margin=0.2, reduction="none"),
    ),
    ("soft_margin(x, side)", "soft_margin_grad(x, side, dy)", lambda F, x, side: -F.logsigmoid(x * side)),  # torch's overflows
]  # fmt: skip


def focal(F, x, t, alpha: float, gamma: float):
    """torchvision.ops.sigmoid_focal_loss."""
    p = x.sigmoid()
    missed = p * (1 - t) + (1 - p) * t
    loss = F.binary_cross_entropy_with_logits(x, t, reduction="none") * missed**gamma
    return loss * (alpha * t + (1 - alpha) * (1 - t)) if alpha >= 0 else loss


def rows(F, x, axis: int):
    return F.layer_norm(x.transpose(axis, -1), x.shape[axis : axis + 1]).transpose(axis, -1)


# Of tiles [R, C]. dy has the result's shape.
OF_ROWS = [
    ("softmax(x)", "softmax_grad(ph.std.softmax(wide), dy)", lambda F, x: F.softmax(x, -1)),
    ("softmax(x, 0)", "softmax_grad(ph.std.softmax(wide, 0), dy, 0)", lambda F, x: F.softmax(x, 0)),
    ("log_softmax(x)", "log_softmax_grad(ph.std.log_softmax(wide), dy)", lambda F, x: F.log_softmax(x, -1)),
    ("log_softmax(x, axis=0)", "log_softmax_grad(ph.std.log_softmax(wide, 0), dy, axis=0)", lambda F, x: F.log_softmax(x, 0)),
    ("log_sum_exp(x)", "softmax(wide) * ph.expand(dy, -1)", lambda F, x: x.logsumexp(-1)),
    ("log_sum_exp(x, 0, keepdims=True)", "softmax(wide, 0) * dy", lambda F, x: x.logsumexp(0, keepdim=True)),
    ("layer_norm(x)", "layer_norm_grad(x, dy)", lambda F, x: rows(F, x, 1), "x _"),
    ("layer_norm(x, axis=0)", "layer_norm_grad(x, dy, axis=0)", lambda F, x: rows(F, x, 0), "x _"),
    ("layer_norm(x, axis=(0, 1))", "layer_norm_grad(x, dy, axis=(0, 1))", lambda F, x: F.layer_norm(x, x.shape), "x _"),
    ("layer_norm(x, w, bias, eps=0.1)", "layer_norm_grad(x, dy, w, eps=0.1)", lambda F, x, w, bias: F.layer_norm(x, x.shape[-1:], w, bias, 0.1), "x w"),
    ("rms_norm(x, w, eps=1e-3)", "rms_norm_grad(x, dy, w, eps=1e-3)", lambda F, x, w: x * (x.square().mean(-1, True) + 1e-3).rsqrt() * w, "x w"),
    ("batch_norm(x, w, v, bias, eps=1e-3)", "batch_norm_grad(x, dy, v, bias, eps=1e-3)", lambda F, x, w, v, bias: (x - w) / (v + 1e-3).sqrt() * bias),
    ("l2_normalize(x)", "l2_normalize_grad(x, dy)", lambda F, x: F.normalize(x)),
    ("l2_normalize(x, 0, eps=30.0)", "l2_normalize_grad(x, dy, 0, eps=30.0)", lambda F, x: F.normalize(x, dim=0, eps=30.0)),
    ("mean(x)", None, lambda F, x: x.mean(-1)),
    ("mean(x, axis=(0, 1), keepdims=True)", None, lambda F, x: x.mean().reshape(1, 1)),
    ("cross_entropy(x, labels)", "cross_entropy_grad(x, labels, dy)", lambda F, x, labels: F.cross_entropy(x, labels, reduction="none")),
    (
        "cross_entropy(x, labels, label_smoothing=0.2, ignore_index=3)", "cross_entropy_grad(x, labels, dy, label_smoothing=0.2, ignore_index=3)",
        lambda F, x, labels: F.cross_entropy(x, labels, reduction="none", label_smoothing=0.2, ignore_index=3),
    ),
    ("nll(x, labels)", "nll_grad(x, labels, dy)", lambda F, x, labels: F.nll_loss(x, labels, reduction="none")),
    ("cosine_similarity(x, y)", "cosine_similarity_grad(x, y, dy)", lambda F, x, y: F.cosine_similarity(x, y, -1)),
    (
        "cosine_embedding(x, y, sides, margin=0.1)", "cosine_embedding_grad(x, y, sides, dy, margin=0.1)",
        lambda F, x, y, sides: F.cosine_embedding_loss(x, y, sides, margin=0.1, reduction="none"),
    ),
]  # fmt: skip
