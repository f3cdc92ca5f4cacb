import { bigintAt, floatAt, intAt } from '#lib/columns.ts'
import type { ColorBy } from '#lib/page-search.ts'
import { runTypeLook } from '#lib/run-types.ts'
import { shownEndAt, type Trace } from './trace.ts'
import { countTypes } from './visible-rows.ts'

/** One color of a visualization: its meaning and its CSS values, which follow the theme. */
export interface RunColor {
  label: string
  /** Edges, and bars too small for an edge. */
  solid: string
  /** Fill of bars; text on it is `--fg`. */
  tint: string
}

export interface RunColors {
  by: ColorBy
  /** Color of each run, an index into `classes`. */
  codes: Uint8Array
  classes: readonly RunColor[]
}

/** The color of each run: by type, by share of the trace's time or cost, or by model. */
export function colorRuns(trace: Trace, by: ColorBy): RunColors {
  switch (by) {
    case 'type':
      return byType(trace)
    case 'latency':
      return byShare(
        trace,
        by,
        (row) => (shownEndAt(trace, row) - floatAt(trace.start, row)) / Math.max(trace.duration, 1),
      )
    case 'cost': {
      const total = Number(sumTraceCost(trace))
      return byShare(trace, by, (row) => (total > 0 ? Number(bigintAt(trace.subtreeCost, row)) / total : 0))
    }
    case 'model':
      return byModel(trace)
  }
}

export function colorAt(colors: RunColors, row: number): RunColor {
  return colors.classes[intAt(colors.codes, row)]!
}

function byType(trace: Trace): RunColors {
  const types = countTypes(trace).map(([type]) => type)
  const codeOf = trace.drawn.words.map((word) => types.indexOf(word))
  return {
    by: 'type',
    codes: Uint8Array.from(trace.drawn.codes, (code) => codeOf[code] ?? 0),
    classes: types.map(runTypeLook),
  }
}

const SHARES: readonly { below: number; label: string; strength: number }[] = [
  { below: 0.01, label: 'under 1 %', strength: 0 },
  { below: 0.05, label: '1 to 5 %', strength: 35 },
  { below: 0.25, label: '5 to 25 %', strength: 70 },
  { below: Number.POSITIVE_INFINITY, label: '25 % and more', strength: 100 },
]

function byShare(trace: Trace, by: ColorBy, shareOf: (row: number) => number): RunColors {
  const codes = new Uint8Array(trace.size)
  for (let row = 0; row < trace.size; row++) {
    const share = shareOf(row)
    codes[row] = SHARES.findIndex(({ below }) => share < below)
  }
  return { by, codes, classes: SHARES.map(({ label, strength }) => tinted(label, mixed(strength))) }
}

const SERIES = ['blue', 'orange', 'green', 'pink', 'teal', 'gold', 'violet']

/** The most used models have their own colors; the others share one. */
function byModel(trace: Trace): RunColors {
  const counts = new Map<number, number>()
  for (const code of trace.models.codes) counts.set(code, (counts.get(code) ?? 0) + 1)
  const named = [...counts.keys()]
    .filter((code) => trace.models.words[code] !== '')
    .sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  const own = named.slice(0, SERIES.length)
  const others = named.length - own.length
  const classes = [
    tinted('no model', 'var(--border-strong)'),
    ...own.map((code, i) => tinted(trace.models.words[code] ?? '', `var(--series-${SERIES[i]})`)),
    ...(others > 0 ? [tinted(`${others} other models`, 'var(--series-slate)')] : []),
  ]
  const classOf = trace.models.words.map((word, code) =>
    word === '' ? 0 : own.includes(code) ? own.indexOf(code) + 1 : classes.length - 1,
  )
  return { by: 'model', codes: Uint8Array.from(trace.models.codes, (code) => classOf[code] ?? 0), classes }
}

function sumTraceCost(trace: Trace): bigint {
  let cost = 0n
  for (let row = 0; row < trace.size; row = intAt(trace.subtreeEnd, row)) cost += bigintAt(trace.subtreeCost, row)
  return cost
}

function mixed(strength: number): string {
  return `color-mix(in srgb, var(--series-orange) ${strength}%, var(--border-strong))`
}

function tinted(label: string, solid: string): RunColor {
  return { label, solid, tint: `color-mix(in srgb, ${solid} 35%, var(--surface))` }
}
