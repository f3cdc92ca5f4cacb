import { summarizeMeasure } from '#lib/experiments/comparison-measures.ts'
import { formatScore } from '#lib/format.ts'
import type { Comparison } from '../comparison.ts'
import { formatSigned } from '../score-chip.tsx'

/** All metrics of all experiments at a glance. */
export function SummaryLayout({ comparison }: { comparison: Comparison }) {
  const { cells, measures } = comparison
  return (
    <div className="min-w-0 flex-1 overflow-auto p-3">
      <table className="text-row">
        <caption className="sr-only">Means of all metrics</caption>
        <thead>
          <tr>
            <th className="p-2 text-left font-medium">Metric</th>
            {cells.experiments.map(({ id, name }) => (
              <th key={id} className="p-2 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cells.keys.map(({ key }) => (
            <tr key={key} className="border-t border-border">
              <th className="p-2 text-left font-normal">{key}</th>
              {cells.experiments.map(({ id }, at) => {
                const measured = measures({ kind: 'score', key })
                const { mean, delta } = summarizeMeasure(measured, at, cells.exampleIds.keys())
                return (
                  <td key={id} className="p-2 text-right tabular-nums">
                    {formatScore(mean)}{' '}
                    {!Number.isNaN(delta) && <span className="text-fg-muted">{formatSigned(delta)}</span>}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
