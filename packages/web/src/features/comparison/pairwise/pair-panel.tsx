import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FeedbackRecord } from '#features/feedback/feedback-record.tsx'
import { PeekPane } from '#ui/peek-pane.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toReadableText } from '../logic/row-texts.ts'
import { type ComparisonView, comparisonQuery } from '../queries.ts'
import type { PairRow } from './pairwise.ts'
import { labelSide, type Sides } from './win-bars.tsx'

/** The whole texts of a pair, by example and runs. */
export function usePairTexts(view: ComparisonView, row: PairRow | undefined) {
  const stamp = row === undefined ? '' : `${row.runA} ${row.runB}`
  return useQuery({ ...comparisonQuery.whole(view, row?.exampleId ?? '', stamp), enabled: row !== undefined })
}

interface PairPanelProps {
  view: ComparisonView
  row: PairRow
  sides: Sides
  onClose: () => void
}

/** A pair with its whole texts and every verdict, beside the table. */
export function PairPanel({ view, row, sides, onClose }: PairPanelProps) {
  const texts = usePairTexts(view, row)
  const isPublic = view.share !== undefined
  useShortcuts('Compare', [{ keys: 'escape', label: 'Close the pair', run: onClose }])
  const outputOf = (id: string) => {
    const run = texts.data?.runs.find((one) => one.id === id)
    return run?.error || toReadableText(run?.outputs)
  }
  const names = new Map([
    [row.runA, labelSide(sides, 'a')],
    [row.runB, labelSide(sides, 'b')],
  ])
  return (
    <PeekPane
      label="Pair"
      className="w-2/5"
      onClose={onClose}
      header={<h2 className="text-row font-semibold">Pair</h2>}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
        {texts.isPending && <SkeletonRows rows={6} label="Loading the pair" />}
        {texts.isError && <ErrorState title="Could not load the pair" error={texts.error} onRetry={texts.refetch} />}
        {texts.data && (
          <>
            <PairText title="Input" text={toReadableText(texts.data.inputs)} />
            {texts.data.outputs && <PairText title="Reference" text={toReadableText(texts.data.outputs)} />}
            <PairText title={labelSide(sides, 'a')} text={outputOf(row.runA)} runId={isPublic ? undefined : row.runA} />
            <PairText title={labelSide(sides, 'b')} text={outputOf(row.runB)} runId={isPublic ? undefined : row.runB} />
          </>
        )}
        {row.records.map((record) => (
          <div key={record.id} className="flex flex-col gap-0.5">
            <p className="truncate text-meta text-fg-muted">On {names.get(record.run_id ?? '') ?? 'a repetition'}</p>
            <FeedbackRecord record={record} mayOpen={!isPublic} />
          </div>
        ))}
      </div>
    </PeekPane>
  )
}

/** A named text of a pair; a link opens its run. */
export function PairText({ title, text, runId }: { title: string; text: string; runId?: string | undefined }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1">
      <h3 className="flex min-w-0 items-baseline gap-2 text-row font-medium text-fg-muted">
        <span className="truncate" title={title}>
          {title}
        </span>
        {runId !== undefined && (
          <Link to="/go/$id" params={{ id: runId }} className="ml-auto shrink-0 text-meta text-accent hover:underline">
            Open trace
          </Link>
        )}
      </h3>
      <div className="max-h-[50vh] overflow-y-auto whitespace-pre-wrap break-words rounded-card border border-border bg-surface px-3 py-2 text-form">
        {text || <span className="text-fg-subtle">Empty</span>}
      </div>
    </section>
  )
}
