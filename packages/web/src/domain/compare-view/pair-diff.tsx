import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RunDocument, readPayload, traceQuery } from '#data/traces.ts'
import { DiffView } from '#domain/diff-view/diff-view.tsx'
import { askDiff, type DiffRequest } from '#lib/diff/ask-diff.ts'
import { formatBytes } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { answerOf, turnsOf } from './turns-of.ts'

export const DIFF_TABS = ['chat', 'json', 'text'] as const
export type DiffTab = (typeof DIFF_TABS)[number]

export interface PairDiffProps {
  /** Ids of the two runs; one of them may be missing. */
  a: string | undefined
  b: string | undefined
  tab: DiffTab | undefined
  onTab: (tab: DiffTab) => void
}

/** Larger payloads are compared when asked: their text has to be held twice. */
const AT_ONCE_BYTES = 2_000_000

/** What two runs were given and what they answered, as a difference. */
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
  const [asked, setAsked] = useState(false)
  const bytes = (a?.json.bytes ?? 0) + (b?.json.bytes ?? 0)
  const isLarge = bytes > AT_ONCE_BYTES && !asked
  const isChat = [a, b].some((document) => document?.payload && turnsOf(document.payload) !== undefined)
  const shown = tab ?? (isChat ? 'chat' : 'json')
  const diff = useQuery({
    queryKey: ['run-diff', shown, a?.run.id, a?.readAt, b?.run.id, b?.readAt],
    queryFn: async ({ signal }) => askDiff(await requestOf(shown, a, b), signal),
    enabled: !isLarge,
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    // A run that is still going is read every few seconds; what is known of it stays until then.
    placeholderData: (known, query) => (query?.queryKey[1] === shown ? known : undefined),
  })
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-border px-2 coarse:h-12">
        <Segmented label="Compare as" value={shown} onChange={onTab} options={TABS} />
        <span className="ml-auto text-meta text-fg-muted">
          {a && b ? 'A is -, B is +' : a ? 'only in A' : 'only in B'}
        </span>
      </div>
      <section
        aria-label="Differences"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        {isLarge ? (
          <EmptyState
            title={`The payloads have ${formatBytes(bytes)}`}
            actions={<Button onClick={() => setAsked(true)}>Compare them</Button>}
          >
            They are read whole first.
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
  { value: 'text', label: 'Text', hint: 'What was answered, by words' },
]

async function requestOf(tab: DiffTab, a: RunDocument | undefined, b: RunDocument | undefined): Promise<DiffRequest> {
  if (tab === 'json') return { kind: 'json', a: await jsonOf(a), b: await jsonOf(b) }
  const [cargoA, cargoB] = [await cargoOf(a), await cargoOf(b)]
  if (tab === 'chat') return { kind: 'chat', a: turnsOf(cargoA) ?? [], b: turnsOf(cargoB) ?? [] }
  return { kind: 'text', a: textOf(a, cargoA), b: textOf(b, cargoB) }
}

/** Inputs, outputs and error as they are stored, digit for digit. */
async function jsonOf(document: RunDocument | undefined): Promise<string> {
  if (!document) return ''
  const fields = document.json.fields.filter(({ key }) => ['inputs', 'outputs', 'error'].includes(key))
  const members = await Promise.all(
    fields.map(async ({ key, start, end }) => `${JSON.stringify(key)}:${await document.json.call('text', start, end)}`),
  )
  return `{${members.join(',')}}`
}

async function cargoOf(document: RunDocument | undefined): Promise<{ inputs: unknown; outputs: unknown }> {
  if (!document) return { inputs: undefined, outputs: undefined }
  return document.payload ?? (await readPayload(document.json))
}

function textOf(document: RunDocument | undefined, cargo: { inputs: unknown; outputs: unknown }): string {
  return [answerOf(cargo), document?.run.error ?? ''].filter((text) => text !== '').join('\n\n')
}
