import type { SeriesLine } from './time-series.tsx'

export interface SeriesTableProps {
  caption: string
  times: readonly number[]
  lines: readonly SeriesLine[]
  format: (value: number | null) => string
  nameOfTime: (time: number) => string
  /** Whether a bucket has something to open. */
  isOpen: (index: number) => boolean
  /** The element is where the answer belongs. */
  onPick: (index: number) => void
}

/** The same figures as text: a row per bucket, the newest first. */
export function SeriesTable({ caption, times, lines, format, nameOfTime, isOpen, onPick }: SeriesTableProps) {
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
