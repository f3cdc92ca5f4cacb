import { useMemo } from 'react'
import { assignColors } from '#features/experiments/colors.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import type { Comparison } from '../comparison.ts'
import { NO_FILTERS } from '../filters/row-filters.tsx'
import { FIGURES, type Measure } from '../logic/comparison-measures.ts'
import { isFiltering } from '../logic/row-filter.ts'
import { CostQuality } from './cost-quality.tsx'
import { DistributionCard } from './distribution-card.tsx'
import { OutcomesTable } from './outcomes-table.tsx'
import { ScatterCard } from './scatter-card.tsx'

/** All metrics of all experiments at a glance: verdicts, wins and losses, distributions, pairs, and costs against quality. */
export function SummaryLayout({ comparison }: { comparison: Comparison }) {
  const { cells, measured } = comparison
  const ids = cells.experiments.map(({ id }) => id).join()
  const colors = useMemo(() => assignColors(ids.split(',')), [ids])
  const metrics = useMemo(() => listMeasures(comparison), [comparison])
  const props = { comparison, colors }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-3 overflow-auto bg-bg p-3">
      <FilterNote comparison={comparison} />
      <OutcomesTable {...props} metrics={metrics} />
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] gap-3">
        {measured.baseline !== undefined &&
          cells.experiments.map(
            ({ id }, at) => at !== measured.baseline && <ScatterCard key={id} {...props} experiment={at} />,
          )}
        <CostQuality {...props} />
        {metrics.map((measure) => (
          <DistributionCard
            key={measure.kind === 'score' ? `score ${measure.key}` : measure.kind}
            {...props}
            measure={measure}
          />
        ))}
      </div>
    </div>
  )
}

/** Feedback keys, then latency, tokens and cost where any run has them. */
function listMeasures({ cells }: Comparison): readonly Measure[] {
  const hasFigure = {
    latency: cells.experiments.some(({ runs }) => runs.latencyMs.some((value) => !Number.isNaN(value))),
    tokens: cells.experiments.some(({ runs }) => runs.tokens.some((value) => value > 0)),
    cost: cells.experiments.some(({ runs }) => runs.cost.some((value) => !Number.isNaN(value))),
  }
  return [
    ...cells.keys.map(({ key }): Measure => ({ kind: 'score', key })),
    ...FIGURES.filter((kind) => hasFigure[kind]).map((kind): Measure => ({ kind })),
  ]
}

/** Shown while only some examples match the filters. */
function FilterNote({ comparison }: { comparison: Comparison }) {
  const { filter, rows, cells, change } = comparison
  if (!isFiltering(filter)) return null
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-card border border-border bg-surface px-3 py-2 text-row"
    >
      <p className="min-w-0 flex-1">
        {formatCount(rows.length)} of {pluralize(cells.exampleIds.length, 'example')} match the filters. Verdicts are
        over all examples.
      </p>
      <Button onClick={() => change({ layout: 'grid' })}>Show in grid</Button>
      <Button onClick={() => change(NO_FILTERS)}>Clear filters</Button>
    </div>
  )
}
