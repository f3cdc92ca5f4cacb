import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { formatBytes } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { type RunDocument, traceQuery } from '../queries.ts'
import { buildDiffRequest, type DiffTab, toTurns } from './diff-request.ts'

export interface PairDiffProps {
  /** Ids of the two runs; one of them may be missing. */
  a: string | undefined
  b: string | undefined
  tab: DiffTab | undefined
  onTab: (tab: DiffTab) => void
}

/** Larger payloads are compared on request, because their text is in memory twice. */
const MAX_AUTOMATIC_BYTES = 2_000_000

/** The differences between the inputs and outputs of two runs. */
export function PairDiff({ a, b, tab, onTab }: PairDiffProps) {
  const [one, other] = [
    useQuery({ ...traceQuery.run(a ?? ''), enabled: a !== undefined }),
    useQuery({ ...traceQuery.run(b ?? ''), enabled: b !== undefined }),
  ]
  const failed = one.error ?? other.error
  if (failed) {
    const retry = () => void Promise.all([one.error && one.refetch(), other.error && other.refetch()])
    return <ErrorState title="Could not load the runs" error={failed} onRetry={retry} />
  }
  const [documentA, documentB] = [a === undefined ? undefined : one.data, b === undefined ? undefined : other.data]
  if ((a !== undefined && !documentA) || (b !== undefined && !documentB))
    return <SkeletonRows rows={10} label="Loading the runs" />
  return <Loaded key={`${a} ${b}`} a={documentA} b={documentB} tab={tab} onTab={onTab} />
}

interface LoadedProps extends Pick<PairDiffProps, 'tab' | 'onTab'> {
  a: RunDocument | undefined
  b: RunDocument | undefined
}

function Loaded({ a, b, tab, onTab }: LoadedProps) {
  const [isRequested, setRequested] = useState(false)
  const bytes = (a?.json.bytes ?? 0) + (b?.json.bytes ?? 0)
  const isLarge = bytes > MAX_AUTOMATIC_BYTES && !isRequested
  const isChat = [a, b].some((document) => document?.payload && toTurns(document.payload) !== undefined)
  const shown = tab ?? (isChat ? 'chat' : 'json')
  const diff = useQuery({
    queryKey: ['run-diff', shown, a?.run.id, a?.readAt, b?.run.id, b?.readAt],
    queryFn: async ({ signal }) => askDiff(await buildDiffRequest(shown, a, b), signal),
    enabled: !isLarge,
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    // A running run is reloaded every few seconds. The previous difference stays visible meanwhile.
    placeholderData: (previous, query) => (query?.queryKey[1] === shown ? previous : undefined),
  })
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-border px-2 coarse:h-12">
        <Segmented label="Compare as" value={shown} onChange={onTab} options={TABS} />
        <span className="ml-auto text-meta text-fg-muted">{a && b ? '− A, + B' : a ? 'Only in A' : 'Only in B'}</span>
      </div>
      <section
        aria-label="Differences"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        {isLarge ? (
          <EmptyState
            title={`The payloads are large (${formatBytes(bytes)})`}
            actions={<Button onClick={() => setRequested(true)}>Compare</Button>}
          >
            Both payloads are loaded completely before they are compared.
          </EmptyState>
        ) : diff.error ? (
          <ErrorState title="Could not compare the runs" error={diff.error} onRetry={() => void diff.refetch()} />
        ) : diff.data ? (
          <DiffView diff={diff.data} />
        ) : (
          <SkeletonRows rows={10} label="Comparing" />
        )}
      </section>
    </div>
  )
}

const TABS: readonly { value: DiffTab; label: string; hint: string }[] = [
  { value: 'chat', label: 'Chat', hint: 'Messages by turn' },
  { value: 'json', label: 'JSON', hint: 'Inputs, outputs and error by path' },
  { value: 'text', label: 'Text', hint: 'The outputs, word by word' },
]
