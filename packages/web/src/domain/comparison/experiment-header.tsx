import { Pin, X } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { readProgress, readRequestedRepetitions, removeExperiment } from '#lib/experiments/compare-state.ts'
import { summarizeMeasure } from '#lib/experiments/comparison-measures.ts'
import { formatCount, formatScore } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { useNow } from '#ui/hooks.tsx'
import type { Comparison } from './comparison.ts'
import { OutcomeFilters } from './outcome-filters.tsx'
import { formatSigned } from './score-chip.tsx'

export interface ExperimentHeaderProps {
  comparison: Comparison
  /** Index of the experiment. */
  experiment: number
}

/** One experiment of the comparison: its mean, the difference to the baseline, and how many examples are better or worse. */
export function ExperimentHeader({ comparison, experiment }: ExperimentHeaderProps) {
  const { cells, measured, baseline, change, search } = comparison
  const compared = cells.experiments[experiment]
  if (compared === undefined) return null
  const isBaseline = measured.baseline !== undefined && experiment === baseline
  const { mean, delta, count } = summarizeMeasure(measured, experiment, cells.exampleIds.keys())
  return (
    <article
      aria-label={compared.name}
      className={cx(
        'flex min-w-56 flex-1 flex-col gap-1 rounded-card border bg-surface px-2.5 py-1.5',
        isBaseline ? 'border-border-strong' : 'border-border',
      )}
    >
      <header className="flex min-w-0 items-center gap-1">
        <h2 className="min-w-0 flex-1 truncate text-row font-medium" title={compared.name}>
          {compared.name}
        </h2>
        {isBaseline ? (
          <span className="shrink-0 text-meta text-fg-muted">baseline</span>
        ) : (
          measured.baseline !== undefined && (
            <IconButton
              icon={Pin}
              label={`Compare with ${compared.name}`}
              onClick={() => change({ baseline: compared.id })}
            />
          )
        )}
        {cells.experiments.length > 1 && (
          <IconButton
            icon={X}
            label={`Remove ${compared.name}`}
            onClick={() => change(removeExperiment(search, compared.id))}
          />
        )}
      </header>
      <p className="flex items-baseline gap-2 text-row tabular-nums">
        <span className="text-base font-semibold">{formatScore(mean)}</span>
        {!Number.isNaN(delta) && <span className="text-fg-muted">{formatSigned(delta)}</span>}
        <span className="text-meta text-fg-subtle">{formatCount(count)} scored</span>
        <ProgressText comparison={comparison} experiment={experiment} />
      </p>
      <OutcomeFilters comparison={comparison} experiment={experiment} />
    </article>
  )
}

/** `212/412` while the experiment is running. */
export function ProgressText({ comparison, experiment }: ExperimentHeaderProps) {
  const now = useNow(10_000)
  const { cells, projects, exampleCount } = comparison
  const compared = cells.experiments[experiment]
  if (compared === undefined) return null
  const project = projects.get(compared.id)
  const expected = exampleCount === undefined ? undefined : exampleCount * readRequestedRepetitions(project?.extra)
  const { done, total, isRunning } = readProgress(compared, project, expected, now)
  if (!isRunning) return null
  return (
    <span role="status" className="ml-auto text-meta text-run">
      {total === undefined ? `${formatCount(done)} runs` : `${formatCount(done)}/${formatCount(total)}`} · running
    </span>
  )
}
