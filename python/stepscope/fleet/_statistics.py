"""The test of ``stepscope diff`` for runs: exact Mann-Whitney, its interval, false discovery rates, change points."""
from __future__ import annotations

import functools
import math
from typing import Sequence


def median(values: Sequence[float]) -> float:
    """The lower middle, as the report has it."""
    return sorted(values)[(len(values) - 1) // 2]


def _double_ranks(values: Sequence[float]) -> list[int]:
    """Twice the midrank of each value: whole numbers with ties, too."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for at in range(first, last + 1):
            ranks[order[at]] = first + last + 2
        first = last + 1
    return ranks


@functools.lru_cache(maxsize=4096)
def _rank_sums(ranks: tuple[int, ...], chosen: int) -> tuple[int, ...]:
    """How many ways there are to choose so many of the ranks, by their sum."""
    most = sum(ranks)
    ways = [[0] * (most + 1) for _ in range(chosen + 1)]
    ways[0][0] = 1
    for rank in ranks:
        for count in range(chosen, 0, -1):
            row, below = ways[count], ways[count - 1]
            for total in range(most, rank - 1, -1):
                if below[total - rank]:
                    row[total] += below[total - rank]
    return tuple(ways[chosen])


def mann_whitney(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p. Exact up to 20 values a side, ties included; beyond, normal with corrections."""
    if not a or not b:
        return 1.0
    ranks = _double_ranks([*a, *b])
    total = sum(ranks[: len(a)])
    n, m = len(a), len(b)
    expected = n * (n + m + 1)  # twice the mean rank sum
    if max(n, m) <= 20:
        ways = _rank_sums(tuple(sorted(ranks)), n)
        off = abs(total - expected)
        extreme = sum(count for at, count in enumerate(ways) if abs(at - expected) >= off)
        return min(1.0, extreme / math.comb(n + m, n))
    ties: dict[int, int] = {}
    for rank in ranks:
        ties[rank] = ties.get(rank, 0) + 1
    all_of = n + m
    correction = sum(count**3 - count for count in ties.values()) / (all_of * (all_of - 1))
    variance = n * m / 12 * (all_of + 1 - correction)
    if variance <= 0:
        return 1.0
    z = max(0.0, abs(total - expected) / 2 - 0.5) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


@functools.lru_cache(maxsize=4096)
def _critical(n: int, m: int, alpha: float) -> int:
    """How many of the ordered differences lie outside of the interval at each end; -1: none is possible."""
    ways = _rank_sums(tuple(2 * rank for rank in range(1, n + m + 1)), n)
    all_ways = math.comb(n + m, n)
    least = n * (n + 1)
    below, outside = 0, -1
    for u in range(n * m + 1):
        below += ways[least + 2 * u]
        if 2 * below > alpha * all_ways:
            break
        outside = u
    return outside


def shift_interval(a: Sequence[float], b: Sequence[float], alpha: float = 0.05) -> tuple[float, float] | None:
    """Of the shift from a to b, by inverting the test; none where so few values allow none at this level."""
    differences = sorted(y - x for x in a for y in b)
    outside = _critical(len(a), len(b), alpha)
    if outside < 0:
        return None
    return differences[outside], differences[len(differences) - 1 - outside]


def false_discovery_rates(p_values: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg: q for each p, in the order given."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__, reverse=True)
    rates, least = [0.0] * len(p_values), 1.0
    for place, at in enumerate(order):
        least = min(least, p_values[at] * len(p_values) / (len(p_values) - place))
        rates[at] = least
    return rates


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 300):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return value


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def student_p(t: float, degrees: float) -> float:
    """Two-sided p of Student's t."""
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


def trimmed_t(a: Sequence[float], b: Sequence[float], least_deviation: float = 0.0, trim: float = 0.2) -> float:
    """Two-sided p of the two-sample trimmed t (Yuen and Dixon 1973): Student's on trimmed means with winsorised
    scatter, which single wild values do not move. Scatter is that of both samples together, so that few values on one
    side suffice. Samples that scatter less than `least_deviation` count as if they did: clocks are no more exact."""
    if len(a) < 2 or len(b) < 2:
        return 1.0
    t, degrees = _trimmed_statistic(a, b, least_deviation, trim)
    return student_p(t, degrees) if math.isfinite(t) else 0.0


def _trimmed_statistic(a: Sequence[float], b: Sequence[float], least_deviation: float,
                       trim: float) -> tuple[float, int]:
    (mean_a, spread_a, left_a), (mean_b, spread_b, left_b) = _trimmed(a, trim), _trimmed(b, trim)
    degrees = left_a + left_b - 2
    variance = max((spread_a + spread_b) / degrees, least_deviation**2) * (1 / left_a + 1 / left_b)
    if variance == 0:
        return (0.0 if mean_a == mean_b else math.inf), degrees
    return (mean_b - mean_a) / math.sqrt(variance), degrees


def change_point(values: Sequence[float], least: int = 4) -> int | None:
    """The first value after the most likely change: the split that leaves the smallest distances from the medians of
    both sides. None where no split leaves less than the median of all does."""
    best, where = _distances(values), None
    for split in range(least, len(values) - least + 1):
        left = _distances(values[:split]) + _distances(values[split:])
        if left < best:
            best, where = left, split
    return where


def _distances(values: Sequence[float]) -> float:
    middle = median(values)
    return math.fsum(abs(value - middle) for value in values)


def _trimmed(values: Sequence[float], trim: float) -> tuple[float, float, int]:
    """The trimmed mean, the sum of squares of the winsorised sample, and how many values are left."""
    ordered = sorted(values)
    cut = int(trim * len(ordered))
    left = len(ordered) - 2 * cut
    winsorised = [min(max(value, ordered[cut]), ordered[cut + left - 1]) for value in ordered]
    middle = math.fsum(winsorised) / len(winsorised)
    return math.fsum(ordered[cut:cut + left]) / left, math.fsum((value - middle) ** 2 for value in winsorised), left
