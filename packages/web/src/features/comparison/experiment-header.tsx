import { Pin, X } from 'lucide-react'
import { Suspense, useMemo } from 'react'
import { assignColors } from '#features/experiments/colors.ts'
import { toExperimentRow } from '#features/experiments/experiment-row.ts'
import { cx } from '#lib/browser.ts'
import { formatCount, formatLatency, formatTokens, pluralize } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { CostText } from '#ui/cost-text.tsx'
import { useNow } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import type { Comparison } from './comparison.ts'
import { OutcomeFilters } from './filters/outcome-filters.tsx'
import { formatMeasure, formatMeasureDelta } from './format-measure.ts'
import { removeExperiment } from './logic/compare-state.ts'
import type { ComparedExperiment } from './logic/comparison.ts'
import { summarizeMeasure } from './logic/comparison-measures.ts'
import { computeMean, computeRunFigures } from './logic/distribution.ts'
import { useVerdicts } from './summary/use-verdicts.ts'
import { VerdictText } from './summary/verdict-text.tsx'

const ConfigDiff = lazyExtra(() => import('./summary/config-diff.tsx').then((module) => module.ConfigDiff))

export interface ExperimentHeaderProps {
  comparison: Comparison
  /** Index of the experiment. */
  experiment: number
}

/**
 * One experiment of the comparison: its mean, the verdict against the baseline in words, how many examples are better or
 * worse, its figures, and what differs in its configuration.
 */
export function ExperimentHeader({ comparison, experiment }: ExperimentHeaderProps) {
  const { cells, measured, baseline } = comparison
  const compared = cells.experiments[experiment]
  if (compared === undefined) return null
  const isBaseline = measured.baseline !== undefined && experiment === baseline
  const isCompared = measured.baseline !== undefined && !isBaseline
  return (
    <article
      aria-label={compared.name}
      className={cx(
        'relative flex min-w-64 flex-1 flex-col gap-1 rounded-card border bg-surface px-2.5 py-1.5',
        isBaseline ? 'border-border-strong' : 'border-border',
        cells.experiments.length === 1 && 'max-w-xl',
      )}
    >
      <Title comparison={comparison} compared={compared} isBaseline={isBaseline} />
      <MeanLine comparison={comparison} experiment={experiment} />
      {isCompared && <Verdict comparison={comparison} experiment={compared} />}
      <OutcomeFilters comparison={comparison} experiment={experiment} />
      <FiguresLine experiment={compared} />
      {isCompared && (
        <div className="flex min-w-0 max-sm:hidden">
          <Suspense>
            <ConfigDiff comparison={comparison} experiment={experiment} />
          </Suspense>
        </div>
      )}
    </article>
  )
}

interface TitleProps {
  comparison: Comparison
  compared: ComparedExperiment
  isBaseline: boolean
}

function Title({ comparison, compared, isBaseline }: TitleProps) {
  const { cells, measured, change, search } = comparison
  return (
    <header className="flex min-w-0 items-center gap-1.5">
      <Swatch comparison={comparison} experiment={cells.experiments.indexOf(compared)} />
      <h2 dir="auto" className="min-w-0 flex-1 truncate text-row font-medium" title={compared.name}>
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
  )
}

function MeanLine({ comparison, experiment }: ExperimentHeaderProps) {
  const { cells, measured } = comparison
  const { delta, pairs } = summarizeMeasure(measured, experiment, cells.exampleIds.keys())
  const { mean, margin, count } = computeMean(measured.means[experiment], cells.exampleIds.keys())
  const { measure } = measured
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-row tabular-nums">
      <span className="text-base font-semibold">{formatMeasure(measure, mean)}</span>
      {Number.isNaN(delta) ? (
        margin !== undefined && (
          <span className="text-fg-subtle" title="Half the width of the 95 % interval of the mean">
            ± {formatMeasure(measure, margin)}
          </span>
        )
      ) : (
        <span className="text-fg-muted" title={`Mean difference over ${pluralize(pairs, 'example')} that both have`}>
          {formatMeasureDelta(measure, delta)} on {pluralize(pairs, 'shared example')}
        </span>
      )}
      <span className="text-meta text-fg-subtle">
        {formatCount(count)} {measure.kind === 'score' ? 'scored' : 'examples'}
      </span>
      <ProgressText comparison={comparison} experiment={experiment} />
    </p>
  )
}

/** The verdict on the metric of the page. */
function Verdict({ comparison, experiment }: { comparison: Comparison; experiment: ComparedExperiment }) {
  const { measured } = comparison
  const verdicts = useVerdicts(comparison)
  if (measured.measure.kind !== 'score') return null
  if (verdicts.query.isError) return <p className="text-meta text-fg-muted">Could not load the verdict.</p>
  const found = verdicts.find(experiment.id, measured.measure.key)
  if (found !== undefined) return <VerdictText comparison={found} isLowerBetter={measured.isLowerBetter} />
  if (verdicts.query.isPending) return <p className="text-row text-fg-subtle">Computing the verdict…</p>
  return <p className="text-row text-fg-muted">No example was scored in both experiments.</p>
}

/** Median latency, tokens and cost of its runs. */
function FiguresLine({ experiment }: { experiment: ComparedExperiment }) {
  const { latencyP50Ms, tokens, cost, reportedCost } = useMemo(() => computeRunFigures(experiment), [experiment])
  return (
    <p className="flex flex-wrap gap-x-3 text-meta tabular-nums text-fg-muted max-sm:hidden">
      <span title="Median latency">p50 {formatLatency(latencyP50Ms)}</span>
      {!Number.isNaN(tokens) && <span>{formatTokens(tokens)} tokens</span>}
      {!Number.isNaN(cost) && <CostText total={cost} reported={Number.isNaN(reportedCost) ? null : reportedCost} />}
    </p>
  )
}

/** `212/412` while the experiment is running. */
export function ProgressText({ comparison, experiment }: ExperimentHeaderProps) {
  const now = useNow(10_000)
  const { cells, projects, exampleCount } = comparison
  const project = projects.get(cells.experiments[experiment]?.id ?? '')
  if (project === undefined) return null
  const { state, runCount, expected } = toExperimentRow(project, { now, exampleCount }).progress
  if (state === 'done') return null
  const count =
    expected === undefined ? pluralize(runCount, 'run') : `${formatCount(runCount)}/${formatCount(expected)}`
  return (
    <span role="status" className={cx('ml-auto text-meta', state === 'running' ? 'text-run' : 'text-warn')}>
      {count} · {state}
    </span>
  )
}

/** The color of an experiment, the same on every page. */
export function Swatch({ comparison, experiment }: ExperimentHeaderProps) {
  const { experiments } = comparison.cells
  const color = assignColors(experiments.map(({ id }) => id)).get(experiments[experiment]?.id ?? '')
  return (
    <span
      aria-hidden
      style={{ background: `var(--${color})` }}
      className="inline-block size-2.5 shrink-0 rounded-full forced-color-adjust-none"
    />
  )
}
