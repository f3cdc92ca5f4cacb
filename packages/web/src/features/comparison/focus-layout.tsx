import { ChevronDown, ChevronUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { type Comparison, findShownRun } from './comparison.ts'
import { Swatch } from './experiment-header.tsx'
import { useCellDiff, useWholeExample } from './grid/diff-cell.tsx'
import { CellFooter, RowTextsProvider } from './grid/output-cell.tsx'
import { getRunsOfExample } from './logic/comparison.ts'
import { getOutcome } from './logic/comparison-measures.ts'
import { findOnlyText } from './logic/row-texts.ts'

export interface FocusLayoutProps {
  comparison: Comparison
  /** Index of the example in the shown rows. */
  row: number
  activeExperiment: number
  onMove: (by: 1 | -1) => void
  /** Opens a run beside the comparison; absent where runs cannot be opened. */
  onPeek?: ((runId: string) => void) | undefined
}

/** One example at full height: input, reference, and all outputs side by side. */
export function FocusLayout({ comparison, row, activeExperiment, onMove, onPeek }: FocusLayoutProps) {
  const { cells, rows } = comparison
  const example = rows[row]
  const whole = useWholeExample(comparison, example ?? 0, example !== undefined)
  if (example === undefined) return null
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-1 border-b border-border px-3 text-row text-fg-muted">
        <IconButton
          icon={ChevronUp}
          label="Previous example"
          keys="k"
          disabled={row === 0}
          onClick={() => onMove(-1)}
        />
        <IconButton
          icon={ChevronDown}
          label="Next example"
          keys="j"
          disabled={row === rows.length - 1}
          onClick={() => onMove(1)}
        />
        <span role="status" className="tabular-nums">
          Example {formatCount(row + 1)} of {formatCount(rows.length)}
        </span>
        <span className="ml-2 truncate">{cells.splits[example]?.filter((split) => split !== 'base').join(', ')}</span>
      </div>
      {whole.error && !whole.data ? (
        <ErrorState title="Could not load the example" error={whole.error} onRetry={() => void whole.refetch()} />
      ) : whole.isPending ? (
        <SkeletonRows rows={8} label="Loading the example" />
      ) : (
        <section
          aria-label="Example"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="relative min-h-0 flex-1 overflow-auto p-3 outline-offset-[-2px]"
        >
          <div className="flex gap-3 max-sm:flex-col">
            <Column title="Input">
              <Value value={whole.data?.inputs} />
            </Column>
            <Column title="Reference">
              <Value value={whole.data?.outputs} />
            </Column>
            {cells.experiments.map((experiment, at) => (
              <Answer
                key={experiment.id}
                comparison={comparison}
                example={example}
                experiment={at}
                isActive={at === activeExperiment}
                onPeek={onPeek}
              />
            ))}
          </div>
        </section>
      )}
    </div>
  )
}

interface ColumnProps {
  title: ReactNode
  actions?: ReactNode
  className?: string
  children: ReactNode
}

function Column({ title, actions, className, children }: ColumnProps) {
  return (
    <article
      className={cx(
        'flex w-72 min-w-56 flex-1 flex-col gap-2 self-start rounded-card border border-border bg-surface p-3 max-sm:w-full',
        className,
      )}
    >
      <header className="flex min-w-0 items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate text-row font-medium">{title}</h2>
        {actions}
      </header>
      {children}
    </article>
  )
}

/** A payload at full length: its only text, otherwise JSON. */
export function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <p className="text-row text-fg-subtle">None</p>
  const text = findOnlyText(value)
  return text === undefined ? (
    <pre className="whitespace-pre-wrap font-mono text-row [overflow-wrap:anywhere]">
      {JSON.stringify(value, null, 2)}
    </pre>
  ) : (
    <p dir="auto" className="whitespace-pre-wrap text-base [overflow-wrap:anywhere]">
      {text}
    </p>
  )
}

interface AnswerProps extends Pick<FocusLayoutProps, 'comparison' | 'onPeek'> {
  example: number
  experiment: number
  isActive: boolean
}

function Answer({ comparison, example, experiment, isActive, onPeek }: AnswerProps) {
  const { cells, measured, search, baseline } = comparison
  const compared = cells.experiments[experiment]
  const whole = useWholeExample(comparison, example)
  const shown = findShownRun(comparison, experiment, example)
  const against = search.diff === 'baseline' && experiment === baseline ? 'off' : search.diff
  const diff = useCellDiff(comparison, experiment, example, against)
  if (compared === undefined) return null
  const runId = shown === undefined ? undefined : compared.runs.id[shown]
  const run = whole.data?.runs.find(({ id }) => id === runId)
  const outcome = getOutcome(measured, experiment, example)
  const repetitions = getRunsOfExample(compared, example).length
  return (
    <Column
      title={
        <span className="flex items-center gap-1.5">
          <Swatch comparison={comparison} experiment={experiment} />
          <span className="truncate">{compared.name}</span>
        </span>
      }
      className={cx(
        isActive && 'ring-1 ring-accent',
        outcome === 'worse' && 'border-l-2 border-l-err',
        outcome === 'better' && 'border-l-2 border-l-ok',
      )}
      actions={
        runId !== undefined &&
        onPeek && (
          <Button look="quiet" onClick={() => onPeek(runId)}>
            Trace
          </Button>
        )
      }
    >
      <RowTextsProvider comparison={comparison} example={example}>
        <CellFooter comparison={comparison} experiment={experiment} example={example} maxChips={20} />
      </RowTextsProvider>
      {repetitions > 1 && shown !== undefined && (
        <p className="text-meta text-fg-muted">
          Repetition {(compared.runs.repetition[shown] ?? 0) + 1} of {repetitions}
        </p>
      )}
      {runId === undefined ? (
        <p className="text-row text-fg-subtle">No run</p>
      ) : against !== 'off' && diff.data !== undefined ? (
        <DiffView diff={diff.data} />
      ) : (
        <>
          {run?.error && <p className="whitespace-pre-wrap text-row text-err [overflow-wrap:anywhere]">{run.error}</p>}
          <Value value={run?.outputs} />
        </>
      )}
    </Column>
  )
}
