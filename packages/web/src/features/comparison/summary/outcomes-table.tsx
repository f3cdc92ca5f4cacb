import { cx } from '#lib/browser.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import type { Comparison } from '../comparison.ts'
import { formatMeasure, formatMeasureDelta, getMeasureLabel } from '../format-measure.ts'
import { chooseMetric } from '../logic/compare-state.ts'
import type { ComparedExperiment } from '../logic/comparison.ts'
import { countOutcomes, type Measure, summarizeMeasure } from '../logic/comparison-measures.ts'
import { useVerdicts } from './use-verdicts.ts'
import { VerdictText } from './verdict-text.tsx'

export interface SummaryProps {
  comparison: Comparison
  /** Experiment id → name of a color token. */
  colors: ReadonlyMap<string, string>
}

interface OutcomesTableProps extends SummaryProps {
  metrics: readonly Measure[]
}

/** Every metric of every experiment: mean, verdict, and how many examples are better or worse than in the baseline. */
export function OutcomesTable({ comparison, colors, metrics }: OutcomesTableProps) {
  const { cells, measured, change } = comparison
  return (
    <section
      aria-label="Metrics"
      className="relative shrink-0 overflow-x-auto rounded-card border border-border bg-surface"
    >
      <table className="w-full text-row">
        <caption className="sr-only">Means of all metrics, with wins and losses against the baseline</caption>
        <thead className="text-left text-meta text-fg-subtle">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-normal">
              Metric
            </th>
            {cells.experiments.map(({ id, name }, at) => (
              <th
                key={id}
                scope="col"
                className={cx(
                  'px-3 py-1.5 font-normal',
                  at === measured.baseline ? 'max-w-52 max-sm:max-w-32' : 'min-w-48 max-w-72',
                )}
              >
                <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
                  <span
                    aria-hidden
                    className="size-2.5 shrink-0 rounded-full"
                    style={{ backgroundColor: `var(--${colors.get(id)})` }}
                  />
                  <span className="min-w-0 max-w-[calc(100%-1rem)] truncate text-fg" title={name}>
                    {name}
                  </span>
                  {at === measured.baseline && <span className="shrink-0">baseline</span>}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.map((measure) => {
            const label = getMeasureLabel(measure)
            const metric = measure.kind === 'score' ? measure.key : measure.kind
            const isChosen = label === getMeasureLabel(measured.measure)
            return (
              <tr key={metric} className={cx('border-t border-border align-top', isChosen && 'bg-selected')}>
                <th scope="row" className="px-3 py-2 text-left font-normal">
                  <button
                    type="button"
                    aria-pressed={isChosen}
                    title="Use this metric on the page"
                    onClick={() => change(chooseMetric(metric))}
                    className="max-w-48 truncate text-left aria-pressed:font-semibold hover:underline coarse:-my-2 coarse:min-h-10"
                  >
                    {label}
                  </button>
                </th>
                {cells.experiments.map((experiment, at) => (
                  <td key={experiment.id} className="px-3 py-2">
                    <MetricCell comparison={comparison} measure={measure} experiment={experiment} at={at} />
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

interface MetricCellProps {
  comparison: Comparison
  measure: Measure
  experiment: ComparedExperiment
  at: number
}

function MetricCell({ comparison, measure, experiment, at }: MetricCellProps) {
  const { cells, measures } = comparison
  const measured = isSame(comparison.measured.measure, measure) ? comparison.measured : measures(measure)
  const { mean, delta, pairs } = summarizeMeasure(measured, at, cells.exampleIds.keys())
  const verdicts = useVerdicts(comparison)
  const verdict = measure.kind === 'score' ? verdicts.find(experiment.id, measure.key) : undefined
  return (
    <div className="flex flex-col gap-1">
      <p className="flex items-baseline gap-2 tabular-nums">
        <span className="font-medium">{formatMeasure(measure, mean)}</span>
        {!Number.isNaN(delta) && (
          <span className="text-fg-muted">
            {formatMeasureDelta(measure, delta)} on {pluralize(pairs, 'shared example')}
          </span>
        )}
      </p>
      {!Number.isNaN(delta) && <WinsAndLosses {...countOutcomes(measured, at, cells.exampleIds.keys())} />}
      {verdict !== undefined && <VerdictText comparison={verdict} isLowerBetter={measured.isLowerBetter} />}
    </div>
  )
}

function isSame(one: Measure, other: Measure): boolean {
  return one.kind === other.kind && getMeasureLabel(one) === getMeasureLabel(other)
}

/** A bar with the shares of better, equal and worse examples, and the numbers. */
function WinsAndLosses({ better, worse, same }: { better: number; worse: number; same: number }) {
  const total = better + worse + same
  if (total === 0) return null
  const parts = [
    { name: 'better', count: better, color: 'bg-ok' },
    { name: 'same', count: same, color: 'bg-border-strong' },
    { name: 'worse', count: worse, color: 'bg-err' },
  ]
  return (
    <>
      <span aria-hidden className="flex h-1.5 max-w-56 gap-px overflow-hidden rounded-full">
        {parts.map(
          ({ name, count, color }) =>
            count > 0 && <span key={name} className={color} style={{ flexGrow: count, flexBasis: 0 }} />,
        )}
      </span>
      <p className="text-meta tabular-nums text-fg-muted">
        {parts.map(({ name, count }) => `${formatCount(count)} ${name}`).join(', ')}
      </p>
    </>
  )
}
