import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readConversation } from '@touchstone/formats/messages'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { type Ref, Suspense, useImperativeHandle, useRef } from 'react'
import { ChatTab } from '#features/runs/panel/chat-tab.tsx'
import { InOut } from '#features/runs/panel/in-out.tsx'
import { type RunDocument, traceQuery } from '#features/traces/queries.ts'
import { createPreference } from '#lib/preferences.ts'
import { usePreference } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { TerminalText } from '#ui/terminal-text.tsx'
import type { QueueItemRow } from '../queries.ts'
import type { CorrectionHandle } from './correction.tsx'
import type { CorrectionDrafts } from './logic/correction-drafts.ts'
import type { ReviewRecord } from './logic/review-records.ts'
import type { ReviewPlace } from './queries.ts'
import { Reference } from './reference.tsx'

const Correction = lazyExtra(() => import('./correction.tsx').then((module) => module.Correction))
const ThreadItem = lazyExtra(() => import('./thread-item.tsx').then((module) => module.ThreadItem))

export interface ReviewItemProps {
  tenant: string
  row: QueueItemRow
  queue: AnnotationQueueWithDetails
  authorId: string | null
  /** What was said about it; undefined while that is loading. */
  records: readonly ReviewRecord[] | undefined
  drafts: CorrectionDrafts<ReviewPlace>
  isReadOnly: boolean
  ref?: Ref<ReviewItemHandle>
}

export interface ReviewItemHandle {
  /** Opens the editor of the output. Pairs have none. */
  edit?: () => void
  addToDataset?: () => void
  /** Switches between messages and JSON. */
  toggleRaw: () => void
}

type Mode = 'messages' | 'json'

const modePreference = createPreference<Mode | 'auto'>(
  'review-mode',
  'auto',
  (value): value is Mode | 'auto' => value === 'messages' || value === 'json' || value === 'auto',
)

/** The run or the thread to review, with its correction. */
export function ReviewItem(props: ReviewItemProps) {
  const { row, tenant } = props
  if (row.item.item_type === 'THREAD') {
    return (
      <Suspense fallback={<SkeletonRows rows={8} label="Loading the thread" />}>
        <ThreadItem tenant={tenant} item={row.item} />
      </Suspense>
    )
  }
  return <RunItem {...props} runId={row.item.run_id ?? ''} />
}

function RunItem(props: ReviewItemProps & { runId: string }) {
  const { tenant, row, queue, runId, records, ref } = props
  const read = useQuery(traceQuery.run(runId))
  const [preferred, setPreferred] = usePreference(modePreference)
  const correction = useRef<CorrectionHandle>(null)
  const document = read.data
  const mode = preferred === 'auto' ? (document && !hasMessages(document) ? 'json' : 'messages') : preferred
  useImperativeHandle(ref, () => ({
    edit: () => correction.current?.edit(),
    addToDataset: () => correction.current?.addToDataset(),
    toggleRaw: () => setPreferred(mode === 'json' ? 'messages' : 'json'),
  }))
  return (
    <>
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-b border-border bg-surface px-3 py-1 text-row">
        <Segmented
          label="Shown as"
          value={mode}
          onChange={setPreferred}
          options={[
            { value: 'messages', label: 'Messages' },
            { value: 'json', label: 'JSON' },
          ]}
        />
        <span dir="auto" className="min-w-0 truncate text-fg-muted">
          {row.run?.name}
        </span>
        <ItemLinks tenant={tenant} row={row} />
      </div>
      <div className="min-h-0 flex-1 md:overflow-y-auto">
        {read.isPending && <SkeletonRows rows={8} label="Loading the run" />}
        {read.isError && !document && (
          <ErrorState title="Could not load the run" error={read.error} onRetry={() => void read.refetch()} />
        )}
        {document && (
          <>
            {document.run.error && (
              <pre className="whitespace-pre-wrap break-words border-b border-border bg-del-bg px-3 py-2 font-mono text-row">
                <TerminalText text={document.run.error} />
              </pre>
            )}
            {mode === 'messages' ? (
              <ChatTab document={document} share={undefined} onRaw={() => setPreferred('json')} />
            ) : (
              <div className="flex h-[60vh] min-h-64 flex-col overflow-auto">
                <InOut document={document} path={undefined} onPath={ignore} />
              </div>
            )}
            {row.run?.reference_example_id && <Reference exampleId={row.run.reference_example_id} />}
            {records && (
              <Suspense>
                <Correction
                  ref={correction}
                  tenant={tenant}
                  item={row.item}
                  queue={queue}
                  document={document}
                  authorId={props.authorId}
                  records={records}
                  drafts={props.drafts}
                  isReadOnly={props.isReadOnly}
                />
              </Suspense>
            )}
          </>
        )}
      </div>
    </>
  )
}

const ignore = () => undefined

function hasMessages({ payload }: RunDocument): boolean {
  return payload !== undefined && readConversation(payload.inputs, payload.outputs) !== undefined
}

function ItemLinks({ tenant, row: { item, run } }: Pick<ReviewItemProps, 'tenant' | 'row'>) {
  const look = { className: 'whitespace-nowrap text-accent hover:underline' }
  return (
    <span className="ml-auto flex items-center gap-3">
      <Link
        to="/o/$tenant/projects/p/$projectId/r/$runId"
        params={{ tenant, projectId: item.project_id, runId: item.run_id ?? '' }}
        search={{ trace_id: run?.trace_id }}
        target="_blank"
        {...look}
      >
        Open run
      </Link>
    </span>
  )
}
