import { cx } from '#lib/browser.ts'
import type { SeriesLine } from './time-series.tsx'

export interface LegendLine {
  id: string
  label: string
  color: string
  dash: readonly number[]
  /** Whether it is a line rather than a layer of bars. */
  isLine: boolean
  /** Opens details of this line instead of hiding the others. */
  onOpen?: (() => void) | undefined
}

export interface LegendProps {
  lines: readonly LegendLine[]
  solo: string | undefined
  hidden: ReadonlySet<string>
  onSolo: (id: string | undefined) => void
  onHidden: (hidden: ReadonlySet<string>) => void
}

/** The legend: a click shows only that line, Alt+click hides it; a second click shows all lines again. */
export function Legend({ lines, solo, hidden, onSolo, onHidden }: LegendProps) {
  function press(id: string, isHiding: boolean) {
    if (!isHiding) return onSolo(solo === id ? undefined : id)
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    onHidden(next)
  }
  return (
    <ul className="flex flex-wrap gap-x-1">
      {lines.map((line) => {
        const isShown = solo === undefined ? !hidden.has(line.id) : solo === line.id
        return (
          <li key={line.id} className="flex min-w-0 max-w-full">
            <button
              type="button"
              aria-pressed={isShown}
              title={`${line.label}: click to show alone, Alt-click to hide`}
              onClick={(event) => press(line.id, event.altKey)}
              className={cx(
                'flex h-6 min-w-0 items-center gap-1.5 rounded-control px-1.5 text-meta hover:bg-hover coarse:h-10',
                isShown ? 'text-fg-muted' : 'text-fg-subtle line-through',
              )}
            >
              <Swatch color={line.color} dash={line.dash} isLine={line.isLine} />
              <span className="max-w-44 truncate">{line.label}</span>
            </button>
            {line.onOpen && (
              <button
                type="button"
                onClick={line.onOpen}
                className="h-6 rounded-control px-1 text-meta text-accent hover:underline coarse:h-10"
              >
                list
                <span className="sr-only"> the groups of {line.label}</span>
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

interface SwatchProps {
  /** Name of a color token, without the dashes. */
  color: string
  dash: readonly number[]
  isLine: boolean
}

/** The color of a layer, or the color and dashes of a line. */
export function Swatch({ color, dash, isLine }: SwatchProps) {
  if (!isLine) {
    return (
      <span
        aria-hidden
        className="size-2.5 shrink-0 rounded-[2px] forced-color-adjust-none"
        style={{ backgroundColor: `var(--${color})` }}
      />
    )
  }
  return (
    <svg aria-hidden="true" width={dash.length === 0 ? 12 : 22} height={10} className="shrink-0">
      <line x1={0} x2={22} y1={5} y2={5} stroke={`var(--${color})`} strokeWidth={2} strokeDasharray={dash.join(' ')} />
    </svg>
  )
}

interface SeriesTableProps {
  caption: string
  times: readonly number[]
  lines: readonly SeriesLine[]
  format: (value: number | null) => string
  nameOfTime: (time: number) => string
  /** Buckets of which the range has only a part, by index, with the reason. */
  partial: ReadonlyMap<number, string>
  /** Whether a bucket has details to open. */
  isOpen: (index: number) => boolean
  /** @param index  the bucket whose details to open */
  onPick: (index: number) => void
}

/** The same values as a table: a row per bucket, the newest first. */
export function SeriesTable({ caption, times, lines, partial, format, nameOfTime, isOpen, onPick }: SeriesTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div tabIndex={0} role="region" aria-label={caption} className="h-[168px] overflow-auto">
      <table className="w-full text-row tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-surface text-meta text-fg-subtle">
          <tr>
            <th scope="col" className="px-1 text-left font-normal">
              Time
            </th>
            {lines.map((line) => (
              <th key={line.id} scope="col" className="max-w-32 truncate px-1 text-right font-normal">
                {line.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((time, index) => (
              <tr key={time} className="border-t border-border">
                <th scope="row" className="whitespace-nowrap px-1 text-left font-normal">
                  {isOpen(index) ? (
                    <button type="button" className="h-6 text-accent hover:underline" onClick={() => onPick(index)}>
                      {nameOfTime(time)}
                    </button>
                  ) : (
                    <span className="inline-flex h-6 items-center text-fg-muted">{nameOfTime(time)}</span>
                  )}
                  {partial.has(index) && (
                    <span className="pl-1.5 text-meta text-fg-subtle" title={partial.get(index)}>
                      partial
                    </span>
                  )}
                </th>
                {lines.map((line) => (
                  <td key={line.id} className="whitespace-nowrap px-1 text-right">
                    {format(line.values[index] ?? null)}
                  </td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </div>
  )
}
