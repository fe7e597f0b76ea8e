"""Losses, and their gradients where public kernels compute them in the same walk."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

CHUNK = 128  # of the vocabulary
ROWS = 4


@ph.kernel
@ph.launch(64)
def cross_entropy(
    logits: ph.tensor[ph.f32][R, V],
    labels: ph.tensor[ph.i32][R],
    loss: ph.tensor[ph.f32][R],
    smoothing: ph.f32,
    ignored: ph.i32,
    scale: ph.f32,
):
    """Smoothed cross entropy over chunks of the vocabulary; the gradient is written over the logits. After Liger-Kernel's cross_entropy.py."""
    row: ph.let = ph.ctx.block.x
    label: ph.let = labels[row]
    if label == ignored:
        loss[row] = 0.0
        for j in range(0, V, CHUNK):
            logits[row, j:+CHUNK] = ph.zeros((CHUNK,))
        return
    most: ph.var = -3.0e38
    total: ph.var = 0.0
    plain: ph.var = 0.0
    for j in range(0, V, CHUNK):
        x = ph.load(logits[row, j:+CHUNK], other=-float("inf"))
        chunk_most = ph.max(x)
        most, total = ph.std.softmax_parts(most, total, chunk_most, ph.sum(ph.exp(x - chunk_most)))
        plain += ph.sum(logits[row, j:+CHUNK])
    log_sum = most + ph.log(total)
    loss[row] = log_sum - (1 - smoothing) * logits[row, label] - smoothing / V * plain
    for j in range(0, V, CHUNK):
        column = j + ph.iota(CHUNK)
        p = ph.exp(logits[row, j:+CHUNK] - log_sum)
        logits[row, j:+CHUNK] = (p - smoothing / V - ph.where(column == label, 1 - smoothing, 0.0)) * scale


@case(cross_entropy, (4, 256, 0.0), (5, 301, 0.1))
def check_cross_entropy(given, r, v, smoothing):
    logits, labels, loss = given.normal(r, v), given.integers(0, v, r), given.out(r)
    labels[1] = -100
    wide = exact(logits).requires_grad_()
    cross_entropy[r](logits, labels, loss, smoothing, -100, 1 / r)
    want = given.torch.nn.functional.cross_entropy(
        wide, labels.cpu().long(), label_smoothing=smoothing, reduction="none"
    )
    want.sum().div(r).backward()
    return [(loss, want.detach(), 1e-6), (logits, wide.grad, 1e-6)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def linear_cross_entropy(
    hidden: ph.tensor[ph.f16][R, D],
    head: ph.tensor[ph.f16][V, D],
    labels: ph.tensor[ph.i32][R],
    loss: ph.tensor[ph.f32][R],
):
    """Cross entropy of hidden @ head.T without the logits in memory. After Helion's and Liger-Kernel's fused_linear_cross_entropy."""
    row: ph.let = ph.ctx.block.x * 16
    label: ph.let = labels[row:+16]
    most: ph.var[ph.tile[ph.f32][16]] = -3.0e38
    total: ph.var[ph.tile[ph.f32][16]] = 0.0
    right: ph.var[ph.tile[ph.f32][16]] = 0.0
    for j in range(0, V, 64):
        x: ph.var[ph.tile[ph.f32][16, 64]] = 0.0
        for k in range(0, D, 32):
            x += ph.dot_t(hidden[row:+16, k:+32], head[j:+64, k:+32])
        column = j + ph.iota(64)
        right += ph.sum(ph.where(column[None, :] == label[:, None], x, 0.0), axis=1)
        x = ph.where(column[None, :] < V, x, -float("inf"))
        new = ph.max(most, ph.max(x, axis=1))
        total = total * ph.exp(most - new) + ph.sum(ph.exp(x - new[:, None]), axis=1)
        most = new
    loss[row:+16] = most + ph.log(total) - right


@case(linear_cross_entropy, (16, 128, 64), (21, 100, 40))
def check_linear_cross_entropy(given, r, v, d):
    hidden, head = given.normal(r, d, dtype="f16"), given.normal(v, d, dtype="f16")
    labels, loss = given.integers(0, v, r), given.out(r)
    linear_cross_entropy[cdiv(r, 16)](hidden, head, labels, loss)
    logits = exact(hidden) @ exact(head).t()
    return [(loss, given.torch.nn.functional.cross_entropy(logits, labels.cpu().long(), reduction="none"), 1e-5)]


@ph.kernel
@ph.launch(128)
def kl_div(
    x: ph.tensor[ph.f32][R, V],
    target: ph.tensor[ph.f32][R, V],
    loss: ph.tensor[ph.f32][R],
    grad: ph.tensor[ph.f32][R, V],
):
    """Kullback-Leibler divergence of rows from logarithms, with its gradient. After Liger-Kernel's kl_div.py."""
    row: ph.let = ph.ctx.block.x * ROWS
    total: ph.var[ph.tile[ph.f32][ROWS]] = 0.0
    for j in range(0, V, CHUNK):
        t = target[row:+ROWS, j:+CHUNK]
        total += ph.sum(ph.std.kl_div(x[row:+ROWS, j:+CHUNK], t), axis=1)
        grad[row:+ROWS, j:+CHUNK] = -t / R
    loss[row:+ROWS] = total


@case(kl_div, (8, 128), (6, 200))
def check_kl_div(given, r, v):
    x, target = given.normal(r, v).log_softmax(1), given.normal(r, v).softmax(1)
    target[:, 3] = 0
    loss, grad = given.out(r), given.out(r, v)
    kl_div[cdiv(r, ROWS)](x, target, loss, grad)
    want = given.torch.nn.functional.kl_div(exact(x), exact(target), reduction="none").sum(1)
    return [(loss, want, 1e-5), (grad, -exact(target) / r, 1e-6)]


@ph.kernel
@ph.launch(64)
def jensen_shannon(
    x: ph.tensor[ph.f32][R, V],
    y: ph.tensor[ph.f32][R, V],
    loss: ph.tensor[ph.f32][R],
    dx: ph.tensor[ph.f32][R, V],
    beta: ph.f32,
):
    """Generalised Jensen-Shannon divergence of rows from logarithms, with its gradient. After Liger-Kernel's jsd.py."""
    row: ph.let = ph.ctx.block.x
    total: ph.var[ph.tile[ph.f32][CHUNK]] = 0.0
    for j in range(0, V, CHUNK):
        log_q = ph.load(x[row, j:+CHUNK], other=-float("inf"))
        log_p = ph.load(y[row, j:+CHUNK], other=-float("inf"))
        q = ph.exp(log_q)
        p = ph.exp(log_p)
        there = j + ph.iota(CHUNK) < V
        log_m = ph.log(beta * p + (1 - beta) * q)
        total += ph.where(there, beta * p * (log_p - log_m) + (1 - beta) * q * (log_q - log_m), 0.0)
        dx[row, j:+CHUNK] = (1 - beta) * q * (log_q - log_m)
    loss[row] = ph.sum(total)


@case(jensen_shannon, (3, 256, 0.5), (4, 190, 0.1))
def check_jensen_shannon(given, r, v, beta):
    x, y, loss, dx = given.normal(r, v).log_softmax(1), given.normal(r, v).log_softmax(1), given.out(r), given.out(r, v)
    jensen_shannon[r](x, y, loss, dx, beta)
    log_q, log_p = exact(x).requires_grad_(), exact(y)
    log_m = (beta * log_p.exp() + (1 - beta) * log_q.exp()).log()
    want = (beta * log_p.exp() * (log_p - log_m) + (1 - beta) * log_q.exp() * (log_q - log_m)).sum(1)
    want.sum().backward()
    return [(loss, want.detach(), 1e-6), (dx, log_q.grad, 1e-6)]


@ph.kernel
@ph.launch(64)
def total_variation(
    p: ph.tensor[ph.bf16][R, V], q: ph.tensor[ph.bf16][R, V], loss: ph.tensor[ph.f32][1], dp: ph.tensor[ph.bf16][R, V]
):
    """Total variation distance, the mean over rows by atomics, with its gradient. After Liger-Kernel's tvd.py."""
    row: ph.let = ph.ctx.block.x
    total: ph.var = 0.0
    for j in range(0, V, CHUNK):
        d = ph.f32(p[row, j:+CHUNK]) - ph.f32(q[row, j:+CHUNK])
        total += 0.5 * ph.sum(ph.abs(d))
        dp[row, j:+CHUNK] = ph.where(d > 0, 0.5, -0.5) / R
    ph.atomic_add(loss[0], total / R)


@case(total_variation, (4, 128), (3, 300))
def check_total_variation(given, r, v):
    p, q = (given.normal(r, v).softmax(1).bfloat16() for _ in range(2))
    loss, dp = given.zeros(1), given.out(r, v, dtype="bf16")
    total_variation[r](p, q, loss, dp)
    d = exact(p) - exact(q)
    return [(loss, (0.5 * d.abs().sum() / r).view(1), 1e-5), (dp, given.torch.where(d > 0, 0.5, -0.5) / r, 4e-3)]


@ph.kernel
@ph.launch(64)
def policy_loss(
    logits: ph.tensor[ph.f32][R, V],
    tokens: ph.tensor[ph.i32][R],
    old: ph.tensor[ph.f32][R],
    reference: ph.tensor[ph.f32][R],
    advantage: ph.tensor[ph.f32][R],
    loss: ph.tensor[ph.f32][R],
    clipped: ph.tensor[ph.bool][R],
    temperature: ph.f32,
    beta: ph.f32,
    low: ph.f32,
    high: ph.f32,
):
    """The clipped objective of group-relative policy optimisation for each token. After Liger-Kernel's grpo_loss.py."""
    row: ph.let = ph.ctx.block.x
    most: ph.var = -3.0e38
    total: ph.var = 0.0
    for j in range(0, V, CHUNK):
        x = ph.load(logits[row, j:+CHUNK], other=-float("inf")) / temperature
        m = ph.max(x)
        most, total = ph.std.softmax_parts(most, total, m, ph.sum(ph.exp(x - m)))
    log_p = logits[row, tokens[row]] / temperature - most - ph.log(total)
    ratio = ph.exp(log_p - old[row])
    a: ph.let = advantage[row]
    held = ph.clamp(ratio, 1 - low, 1 + high)
    away = reference[row] - log_p
    loss[row] = -ph.min(ratio * a, held * a) + beta * (ph.exp(away) - away - 1)
    clipped[row] = (ratio < 1 - low and a < 0) or (ratio > 1 + high and a > 0)


@case(policy_loss, (6, 256), (5, 130))
def check_policy_loss(given, r, v):
    logits, tokens, advantage = given.normal(r, v), given.integers(0, v, r), given.normal(r)
    loss, clipped = given.out(r), given.out(r, dtype="bool")
    log_p = (exact(logits) / 0.9).log_softmax(1).gather(1, tokens.cpu().long()[:, None])[:, 0]
    old, reference = log_p.float().cuda() + 0.3 * given.normal(r), log_p.float().cuda() + 0.3 * given.normal(r)
    policy_loss[r](logits, tokens, old, reference, advantage, loss, clipped, 0.9, 0.04, 0.2, 0.25)
    ratio, a, away = (log_p - exact(old)).exp(), exact(advantage), exact(reference) - log_p
    want = -given.torch.min(ratio * a, ratio.clamp(0.8, 1.25) * a) + 0.04 * (away.exp() - away - 1)
    return [(loss, want, 1e-5), (clipped, ((ratio < 0.8) & (a < 0)) | ((ratio > 1.25) & (a > 0)), 0)]


@ph.kernel
@ph.launch(128)
def contrastive(a: ph.tensor[ph.f32][B, D], b: ph.tensor[ph.f32][B, D], loss: ph.tensor[ph.f32][B], scale: ph.f32):
    """Each row of one batch told apart from all of another by cosine similarity. After OpenCLIP's loss, fused as in Inf-CL."""
    row: ph.let = ph.ctx.block.x * 16
    x = ph.std.l2_normalize(a[row:+16, 0:+32])
    most: ph.var[ph.tile[ph.f32][16]] = -3.0e38
    total: ph.var[ph.tile[ph.f32][16]] = 0.0
    right: ph.var[ph.tile[ph.f32][16]] = 0.0
    for j in range(0, B, 32):
        s = scale * ph.dot_t(x, ph.std.l2_normalize(b[j:+32, 0:+32]))
        column = (j + ph.iota(32))[None, :]
        right += ph.sum(ph.where(column == (row + ph.iota(16))[:, None], s, 0.0), axis=1)
        s = ph.where(column < B, s, -float("inf"))
        m = ph.max(s, axis=1)
        most, total = ph.std.softmax_parts(most, total, m, ph.sum(ph.exp(s - m[:, None]), axis=1))
    loss[row:+16] = most + ph.log(total) - right


@case(contrastive, (32, 32), (37, 20))
def check_contrastive(given, b, d):
    x, y, loss = given.normal(b, d), given.normal(b, d), given.out(b)
    contrastive[cdiv(b, 16)](x, y, loss, 10.0)
    normal = given.torch.nn.functional.normalize
    scores = 10 * normal(exact(x)) @ normal(exact(y)).t()
    return [(loss, given.torch.nn.functional.cross_entropy(scores, given.torch.arange(b), reduction="none"), 1e-5)]
