import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { correctByHolm } from '../compare-experiments.ts'
import { bootstrapMean } from './bootstrap.ts'
import {
  computePower,
  criticalT,
  incompleteBeta,
  normalCdf,
  normalQuantile,
  pairedT,
  twoSidedT,
} from './distributions.ts'
import { computeDeviation, computeMoments, computeVarianceComponents } from './moments.ts'
import { computeMinimumDetectableEffect, mcnemar, wilcoxon } from './significance-tests.ts'

/** Created by scripts/statistics/reference_values.py, which documents the methods and versions. */
const reference = JSON.parse(readFileSync(new URL('../reference-values.json', import.meta.url), 'utf8'))

/** Exact figures agree to this share of the value. */
const EXACT = 1e-6

function expectClose(found: number | null | undefined, wanted: number) {
  expect(Math.abs(found! - wanted)).toBeLessThanOrEqual(EXACT * Math.max(Math.abs(wanted), 1e-12))
}

describe('functions agree with SciPy', () => {
  const table: Record<string, (...given: number[]) => number> = {
    normal_cdf: (z) => normalCdf(z!),
    normal_quantile: (p) => normalQuantile(p!),
    two_sided_t: (t, df) => twoSidedT(t!, df!),
    critical_t: (p, df) => criticalT(p!, df!),
    power_of_t: (ncp, df, alpha) => computePower(df!, alpha!)(ncp!),
    incomplete_beta: (x, a, b) => incompleteBeta(x!, a!, b!),
    mcnemar: (wins, losses) => mcnemar(wins!, losses!).p_value,
  }

  for (const [name, { by, cases }] of Object.entries<{ by: string; cases: number[][] }>(reference.functions)) {
    it(`${name}: ${by}`, () => {
      for (const one of cases) {
        expect(one.length).toBeGreaterThan(1)
        expectClose(table[name]!(...one.slice(0, -1)), one.at(-1)!)
      }
    })
  }
})

interface DataSet {
  readonly name: string
  readonly differences: number[]
  readonly mean: number
  readonly standard_deviation: number
  readonly paired_t: { statistic: number; p_value: number }
  readonly wilcoxon: { statistic: number; p_value: number }
  readonly interval: { low: number; high: number; standard_error: number }
  readonly minimum_detectable_effect: { value: number }
}

describe.each(reference.data_sets as DataSet[])('figures of the data set "$name" agree with SciPy', (set) => {
  const differences = Float64Array.from(set.differences)
  const moments = computeMoments(differences)

  it('in mean and spread', () => {
    expectClose(moments.mean, set.mean)
    expectClose(computeDeviation(moments), set.standard_deviation)
  })

  it('in the paired t test', () => {
    expectClose(pairedT(moments)?.statistic, set.paired_t.statistic)
    expectClose(pairedT(moments)?.p_value, set.paired_t.p_value)
  })

  it('in the signed-rank test', () => {
    expectClose(wilcoxon(differences)?.statistic, set.wilcoxon.statistic)
    expectClose(wilcoxon(differences)?.p_value, set.wilcoxon.p_value)
  })

  it('in the minimum detectable effect', () => {
    expectClose(computeMinimumDetectableEffect(moments, 0.05, 0.8), set.minimum_detectable_effect.value)
  })

  it('in the bootstrap interval, to a tenth of the standard error', async () => {
    const pause = () => Promise.resolve()
    const found = await bootstrapMean(differences, { confidence: 0.95, resamples: 10_000, seed: 1, pause })
    expect(found!.method).toBe('bca')
    const { low, high, standard_error } = set.interval
    // Means of few levels lie on a grid: there an end may be one step away.
    const levels = new Set(set.differences).size
    const step = levels < 10 ? 1 / (2 * set.differences.length) : 0
    expect(Math.abs(found!.low - low)).toBeLessThanOrEqual(0.1 * standard_error + step)
    expect(Math.abs(found!.high - high)).toBeLessThanOrEqual(0.1 * standard_error + step)
  })
})

describe('the other figures agree with the reference', () => {
  it(`in variance components: ${reference.variance_components.by}`, () => {
    for (const { groups, within, between, reliability } of reference.variance_components.cases) {
      const sets = (groups as number[][]).map((scores) => computeMoments(Float64Array.from(scores)))
      const found = computeVarianceComponents({
        counts: Float64Array.from(sets, (set) => set.n),
        means: Float64Array.from(sets, (set) => set.mean),
        squares: Float64Array.from(sets, (set) => set.squares),
      })
      expectClose(found.within, within)
      expectClose(found.between, between)
      expectClose(found.reliability, reliability)
    }
  })

  it(`in Holm's correction: ${reference.holm.by}`, () => {
    for (const [given, wanted] of reference.holm.cases as [number[], number[]][]) {
      correctByHolm(given).forEach((p, at) => {
        expectClose(p, wanted[at]!)
      })
    }
  })
})
