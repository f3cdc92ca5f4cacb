"""Prints the reference values that the statistics of experiments are held against, as JSON.

    python3 -m venv .venv-statistics && .venv-statistics/bin/pip install scipy==1.17.1 numpy==2.4.6 statsmodels==0.15.0
    .venv-statistics/bin/python scripts/statistics/reference_values.py \
        > packages/server/src/features/experiments/statistics/reference-values.json

Every value is stored with the call that computed it, and with the data set, which a generator with a fixed seed makes.
"""

import json
import math
import platform
import warnings
from fractions import Fraction

import numpy as np
import scipy
import statsmodels
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests

warnings.simplefilter("ignore")
rng = np.random.default_rng(20260101)


def number(value):
    value = float(value)
    return value if math.isfinite(value) else None


def power_of_t(ncp, df, alpha):
    critical = stats.t.ppf(1 - alpha / 2, df)
    return stats.nct.sf(critical, df, ncp) + stats.nct.cdf(-critical, df, ncp)


def functions():
    return {
        "normal_cdf": {
            "by": "scipy.stats.norm.cdf(z)",
            "cases": [[z, number(stats.norm.cdf(z))] for z in (-30, -8.5, -3.2, -3, -2.9, -1, -0.1, 0, 0.5, 1.96, 4, 9)],
        },
        "normal_quantile": {
            "by": "scipy.stats.norm.ppf(p)",
            "cases": [[p, number(stats.norm.ppf(p))] for p in (1e-300, 1e-12, 1e-4, 0.025, 0.07, 0.3, 0.5, 0.9, 0.975, 0.9999)],
        },
        "two_sided_t": {
            "by": "2 * scipy.stats.t.sf(abs(t), df)",
            "cases": [
                [t, df, number(2 * stats.t.sf(abs(t), df))]
                for t in (0, 0.3, -1.7, 2.26, 5, 14)
                for df in (1, 2, 9, 29, 199, 9999)
            ],
        },
        "critical_t": {
            "by": "scipy.stats.t.ppf(1 - p / 2, df)",
            "cases": [[p, df, number(stats.t.ppf(1 - p / 2, df))] for p in (0.5, 0.05, 0.001) for df in (1, 2, 9, 199, 9999)],
        },
        "power_of_t": {
            "by": "scipy.stats.nct.sf(c, df, ncp) + scipy.stats.nct.cdf(-c, df, ncp), c = scipy.stats.t.ppf(1 - alpha / 2, df)",
            "cases": [
                [ncp, df, alpha, number(power_of_t(ncp, df, alpha))]
                for ncp in (0.5, 2, 3.5)
                for df in (1, 4, 29, 500)
                for alpha in (0.05, 0.01)
            ],
        },
        "incomplete_beta": {
            "by": "scipy.special.betainc(a, b, x)",
            "cases": [
                [x, a, b, number(scipy.special.betainc(a, b, x))]
                for x in (0.001, 0.3, 0.5, 0.98)
                for a, b in ((0.5, 0.5), (1, 3), (5, 0.5), (40, 60), (5000, 0.5), (4900, 5101))
            ],
        },
        "mcnemar": {
            "by": "scipy.stats.binomtest(wins, wins + losses, 0.5).pvalue",
            "cases": [
                [wins, losses, number(stats.binomtest(wins, wins + losses, 0.5).pvalue)]
                for wins, losses in ((1, 0), (0, 5), (6, 0), (3, 3), (12, 5), (60, 40), (1000, 1100), (3000, 2700), (900, 0))
            ],
        },
    }


def data_sets():
    normal = lambda n, mean: np.round(rng.normal(mean, 1, n), 3)
    return {
        "few": normal(8, 0.6),
        "thirty": normal(30, 0.3),
        "hundred": normal(100, 0.2),
        "thousand": normal(1000, 0.05),
        "skewed": np.round(rng.exponential(1, 60) - 0.8, 3),
        "levels with ties": rng.integers(-3, 4, 40).astype(float),
        "many ties": rng.integers(-2, 3, 400).astype(float),
        "binary": rng.choice([-1.0, 0.0, 1.0], 120, p=[0.1, 0.7, 0.2]),
        "few with ties": np.array([1.0, 1.0, -1.0, 2.0, 0.5, 0.0, 3.0, -0.5, 1.0, 2.0]),
        "mostly zero": np.array([0.0] * 50 + [0.25, -0.25, 0.5, 0.25, 0.75]),
    }


def exact_wilcoxon(differences):
    """All assignments of signs, also with shared ranks, counted in whole numbers of any size."""
    given = differences[differences != 0]
    ranks = [int(rank) for rank in 2 * stats.rankdata(np.abs(given))]
    ways = {0: 1}
    for rank in ranks:
        after = dict(ways)
        for total, count in ways.items():
            after[total + rank] = after.get(total + rank, 0) + count
        ways = after
    plus = sum(rank for rank, difference in zip(ranks, given) if difference > 0)
    smaller = min(plus, sum(ranks) - plus)
    below = sum(count for total, count in ways.items() if total <= smaller)
    return smaller / 2, float(min(Fraction(1), Fraction(2 * below, 2 ** len(ranks))))


def wilcoxon(differences):
    given = differences[differences != 0]
    has_ties = len(np.unique(np.abs(given))) < len(given)
    if len(given) <= 50 and has_ties:
        statistic, p = exact_wilcoxon(differences)
        return {"by": "scipy.stats.rankdata, all 2^n assignments of signs in whole numbers", "statistic": statistic, "p_value": p}
    if len(given) <= 50:
        result = stats.wilcoxon(given, method="exact")
        return {"by": "scipy.stats.wilcoxon(nonzero, method='exact')", "statistic": number(result.statistic), "p_value": number(result.pvalue)}
    result = stats.wilcoxon(given, method="asymptotic", correction=False)
    return {"by": "scipy.stats.wilcoxon(nonzero, method='asymptotic', correction=False)", "statistic": number(result.statistic), "p_value": number(result.pvalue)}


def of_differences(name, differences):
    n = len(differences)
    t = stats.ttest_1samp(differences, 0)
    interval = stats.bootstrap(
        (differences,), np.mean, n_resamples=99_999, method="BCa", confidence_level=0.95, batch=1000, rng=np.random.default_rng(7)
    )
    deviation = differences.std(ddof=1)
    ncp = optimize.brentq(lambda center: power_of_t(center, n - 1, 0.05) - 0.8, 1, 8, xtol=1e-14)
    return {
        "name": name,
        "differences": [float(value) for value in differences],
        "mean": number(differences.mean()),
        "standard_deviation": number(deviation),
        "paired_t": {"by": "scipy.stats.ttest_1samp(differences, 0)", "statistic": number(t.statistic), "p_value": number(t.pvalue)},
        "wilcoxon": wilcoxon(differences),
        "interval": {
            "by": "scipy.stats.bootstrap(mean, n_resamples=99999, method='BCa', confidence_level=0.95)",
            "low": number(interval.confidence_interval.low),
            "high": number(interval.confidence_interval.high),
            "standard_error": number(interval.standard_error),
        },
        "minimum_detectable_effect": {
            "by": "scipy.optimize.brentq of power_of_t - 0.8, alpha = 0.05, times the standard error",
            "value": number(ncp * deviation / math.sqrt(n)),
        },
    }


def variance_components():
    """Scores by example, of unequal counts, against the textbook sums of squares by numpy."""
    cases = []
    for spread in (1.0, 0.0, 3.0):
        groups = [np.round(rng.normal(rng.normal(0, spread), 0.5, rng.integers(1, 6)), 3) for _ in range(12)]
        scores = np.concatenate(groups)
        counts = np.array([len(group) for group in groups])
        within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (len(scores) - len(groups))
        mean_between = sum(len(group) * (group.mean() - scores.mean()) ** 2 for group in groups) / (len(groups) - 1)
        typical = (counts.sum() - (counts**2).sum() / counts.sum()) / (len(groups) - 1)
        between = max(0.0, (mean_between - within) / typical)
        full = [group for group in groups if len(group) > 1]
        cases.append(
            {
                "groups": [[float(score) for score in group] for group in groups],
                "within": number(within),
                "between": number(between),
                "reliability": number(between / (between + within)),
                "f": number(stats.f_oneway(*full).statistic),
            }
        )
    return {"by": "numpy: method of moments for one-way random effects", "cases": cases}


def holm():
    sets = [[0.01, 0.04, 0.03, 0.005], [0.5, 0.5, 0.9], [0.0001], [0.02, 0.02, 0.02, 0.9, 0.001], list(rng.uniform(0, 0.2, 12))]
    return {
        "by": "statsmodels.stats.multitest.multipletests(p, method='holm')[1]",
        "cases": [[[float(p) for p in ps], [float(p) for p in multipletests(ps, method="holm")[1]]] for ps in sets],
    }


print(
    json.dumps(
        {
            "origin": {
                "script": "scripts/statistics/reference_values.py",
                "python": platform.python_version(),
                "scipy": scipy.__version__,
                "numpy": np.__version__,
                "statsmodels": statsmodels.__version__,
            },
            "functions": functions(),
            "data_sets": [of_differences(name, differences) for name, differences in data_sets().items()],
            "variance_components": variance_components(),
            "holm": holm(),
        }
    )
)
