import type { UsageReport } from '@touchstone/sdk'
import { FigureCells, FigureHeads } from './-figure-cells.tsx'

/** The days of the bars in figures, newest first; days without runs are left out. */
export function DayTable({ days }: { days: UsageReport['days'] }) {
  const busy = days.filter((day) => day.run_count > 0).toReversed()
  if (busy.length === 0) return null
  return (
    <section aria-labelledby="by-day" className="rounded-card border border-border bg-surface">
      <h2 id="by-day" className="px-4 py-2 text-form font-semibold">
        By day
      </h2>
      <table className="w-full text-left text-row">
        <thead className="border-y border-border text-meta text-fg-subtle">
          <tr className="h-7">
            <th scope="col" className="px-3 font-normal">
              Day
            </th>
            <FigureHeads />
          </tr>
        </thead>
        <tbody>
          {busy.map((day) => (
            <tr key={day.day} className="h-7 border-b border-border last:border-b-0 hover:bg-hover">
              <th scope="row" className="px-3 font-normal tabular-nums">
                {day.day}
              </th>
              <FigureCells figures={day} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
