import type { KeyComparison } from '@touchstone/sdk'
import { assignColors } from '#features/experiments/colors.ts'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import type { SeriesColor } from '#lib/series-colors.ts'
import { countPreferences, type PairFilter, type PairRow, type Preference, signTest } from './pairwise.ts'

/** The names and colors of both sides. */
export interface Sides {
  readonly names: { readonly a: string; readonly b: string }
  readonly colors: { readonly a: SeriesColor; readonly b: SeriesColor }
}

/** @param view  ids of the experiments of both sides */
export function getSides(view: { readonly a: string; readonly b: string }, names: Sides['names']): Sides {
  const colors = assignColors([view.a, view.b])
  return {
    names,
    colors: { a: colors.get(view.a) ?? 'series-blue', b: colors.get(view.b) ?? 'series-orange' },
  }
}

/** The name of a side behind its letter, which the filters use. */
export function labelSide({ names }: Sides, side: 'a' | 'b'): string {
  return `${side.toUpperCase()}: ${names[side]}`
}

export interface WinBarsProps {
  sides: Sides
  keys: readonly string[]
  rows: readonly PairRow[]
  /** Figures of the server by key; until they are loaded, the rows are counted. */
  statistics: ReadonlyMap<string, KeyComparison> | undefined
  /** The key and the filter of the table below. */
  active: string | undefined
  filter: PairFilter | undefined
  onPick: (key: string, filter: PairFilter | undefined) => void
}

/** For each key, how often either side wins, and how sure that is. A part of a bar filters the table. */
export function WinBars({ sides, keys, rows, statistics, active, filter, onPick }: WinBarsProps) {
  return (
    <section
      aria-label="Results"
      className="flex max-h-[40vh] shrink-0 flex-col gap-2 overflow-y-auto border-b border-border bg-surface px-3 py-2"
    >
      {keys.map((key) => (
        <WinBar
          key={key}
          feedbackKey={key}
          sides={sides}
          counts={toCounts(statistics?.get(key)) ?? countPreferences(rows, key)}
          filter={key === active ? filter : undefined}
          isActive={key === active}
          onPick={(part) => onPick(key, part)}
        />
      ))}
    </section>
  )
}

/** The server compares B with A. */
function toCounts(figures: KeyComparison | undefined): Readonly<Record<Preference, number>> | undefined {
  return figures && { a: figures.losses, b: figures.wins, tie: figures.ties }
}

interface WinBarProps {
  feedbackKey: string
  sides: Sides
  counts: Readonly<Record<Preference, number>>
  filter: PairFilter | undefined
  isActive: boolean
  onPick: (filter: PairFilter | undefined) => void
}

function WinBar({ feedbackKey, sides, counts, filter, isActive, onPick }: WinBarProps) {
  const { names, colors } = sides
  const p = signTest(counts.a, counts.b)
  const total = counts.a + counts.b + counts.tie
  const parts = [
    { id: 'a', label: `${labelSide(sides, 'a')} wins`, count: counts.a, color: `var(--${colors.a})` },
    { id: 'tie', label: 'Ties', count: counts.tie, color: 'var(--border-strong)' },
    { id: 'b', label: `${labelSide(sides, 'b')} wins`, count: counts.b, color: `var(--${colors.b})` },
  ] as const
  return (
    <article aria-label={feedbackKey} className="flex flex-col gap-1">
      <header className="flex flex-wrap items-baseline gap-x-3 text-row">
        <h2 className={cx('font-medium', isActive ? 'text-fg' : 'text-fg-muted')}>
          <button type="button" className="hover:underline coarse:min-h-10" onClick={() => onPick(undefined)}>
            {feedbackKey}
          </button>
        </h2>
        <span>{describePreference(counts, names, p)}</span>
        <span className="tabular-nums text-fg-muted" title={describeTest(p)}>
          {describeChance(counts, p)}
        </span>
      </header>
      <div className="flex h-2 gap-px overflow-hidden rounded-control" aria-hidden>
        {parts.map(
          ({ id, count, color }) =>
            count > 0 && <span key={id} style={{ width: `${(count / total) * 100}%`, background: color }} />,
        )}
      </div>
      <div className="flex flex-wrap justify-between gap-x-3">
        {parts.map(({ id, label, count, color }) => (
          <button
            key={id}
            type="button"
            aria-pressed={filter === id}
            onClick={() => onPick(filter === id ? undefined : id)}
            className="inline-flex h-6 min-w-0 items-center gap-1.5 rounded-control px-1 text-row text-fg-muted hover:bg-hover hover:text-fg aria-pressed:bg-selected aria-pressed:text-fg coarse:h-10"
          >
            <span className="size-2 shrink-0 rounded-full" style={{ background: color }} aria-hidden />
            <span className="truncate">{label}</span>
            <span className="font-medium tabular-nums text-fg">{formatCount(count)}</span>
          </button>
        ))}
      </div>
    </article>
  )
}

/** The verdict in words; a difference counts below p = 0.05. */
export function describePreference(
  { a, b }: Readonly<Record<Preference, number>>,
  names: { readonly a: string; readonly b: string },
  p: number | undefined,
): string {
  if (p === undefined) return 'No preference'
  if (p >= 0.05) return 'No preference shown'
  return `${a > b ? names.a : names.b} is preferred`
}

/** How often two equally good experiments would differ this much, for readers who do not know tests. */
function describeChance({ a, b }: Readonly<Record<Preference, number>>, p: number | undefined): string {
  if (p === undefined) return 'No pair is decided'
  if (a === b) return 'Both won equally often'
  const percent = p < 0.001 ? 'less than 0.1' : String(Number((p * 100).toPrecision(2)))
  return `Chance alone gives such a lead in ${percent} % of cases`
}

function describeTest(p: number | undefined): string {
  const test = 'Two-sided exact sign test over the pairs that are not ties'
  return p === undefined ? test : `${test}: p ${p < 0.001 ? '< 0.001' : Number(p.toPrecision(2))}`
}
