import { Link, useParams } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import { type ReactNode, useMemo } from 'react'
import { JsonView } from '#features/payloads/json/json-view.tsx'
import type { RunDocument } from '#features/traces/queries.ts'
import { formatAbsoluteTime } from '#lib/format.ts'
import { toValueFilter } from '#lib/json/json-path.ts'
import { CopyButton } from '#ui/copy-button.tsx'
import { EmptyState } from '#ui/states.tsx'
import { FilterChipLink } from './list-links.tsx'
import { selectRoots, toMemoryKey } from './run-document.ts'

const FIELDS = ['extra', 'serialized', 'reference_example_id', 'feedback_stats']

/** The shortest object with a member has 6 bytes: `{"":1}`. None of the fields is a number or a short text. */
const isEmptyObject = ({ start, end }: { start: number; end: number }) => end - start < 6

/** Ids and times of the run, and its metadata as JSON. */
export function MetadataTab({
  document,
  isPublic,
  path,
  onPath,
}: {
  document: RunDocument
  /** Whether the page is public; public pages have no list to link to. */
  isPublic: boolean
  path: string | undefined
  onPath: (path: string) => void
}) {
  const { run, json } = document
  const roots = useMemo(() => selectRoots(json, FIELDS).filter((root) => !isEmptyObject(root)), [json])
  return (
    <div className="flex h-full min-h-0 flex-col">
      <dl className="grid max-h-[45%] shrink-0 grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 overflow-y-auto p-3 text-row">
        <Field name="Run">
          <Id value={run.id} />
        </Field>
        <Field name="Trace">
          <Id value={run.trace_id} />
        </Field>
        {run.parent_run_id && (
          <Field name="Parent">
            <Id value={run.parent_run_id} />
          </Field>
        )}
        {run.thread_id && (
          <Field name="Thread">
            <Id value={run.thread_id} />
            <ThreadLink run={run} threadId={run.thread_id} />
          </Field>
        )}
        <Field name="Started">
          <span title={run.start_time}>{formatAbsoluteTime(run.start_time)}</span>
        </Field>
        <Field name="Ended">
          <span title={run.end_time ?? undefined}>{formatAbsoluteTime(run.end_time)}</span>
        </Field>
        {!isPublic && hasMetadataChips(run) && (
          <Field name="Runs with the same">
            <MetadataChips run={run} />
          </Field>
        )}
      </dl>
      <div className="min-h-0 flex-1 border-t border-border">
        {roots.length === 0 ? (
          <EmptyState title="No metadata">This run was sent without metadata.</EmptyState>
        ) : (
          <JsonView
            host={json}
            label="metadata"
            foldKey={toMemoryKey(document, 'metadata')}
            roots={roots}
            path={path}
            onPath={onPath}
          />
        )}
      </div>
    </div>
  )
}

/** Link to the thread of the run; public pages have no workspace and no link. */
function ThreadLink({ run, threadId }: { run: Run; threadId: string }) {
  const { tenant } = useParams({ strict: false }) as { tenant?: string }
  if (tenant === undefined) return null
  return (
    <Link
      to="/o/$tenant/projects/p/$projectId/threads/$threadId"
      params={{ tenant, projectId: run.session_id, threadId }}
      className="text-accent hover:underline"
    >
      Open thread
    </Link>
  )
}

function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="py-1 text-fg-muted">{name}</dt>
      <dd className="min-w-0 py-1">{children}</dd>
    </>
  )
}

function Id({ value }: { value: string }) {
  return (
    <span className="-my-1.5 flex min-w-0 items-center gap-1">
      <span className="truncate font-mono">{value}</span>
      <CopyButton iconOnly text={value} label="Copy" />
    </span>
  )
}

/** Further values are only in the JSON below. */
const MAX_CHIPS = 24
const MAX_CHIP_LENGTH = 80

/** Short metadata values as links to the runs with the same value. */
function MetadataChips({ run }: { run: Run }) {
  const chips = toMetadataChips(run.extra?.metadata ?? {})
  const shown = chips.slice(0, MAX_CHIPS)
  return (
    <ul className="flex min-w-0 flex-wrap gap-1">
      {shown.map(({ key, text, filter }) => (
        <li
          key={key}
          className="inline-flex h-6 min-w-0 max-w-full items-center rounded-control bg-sunken px-1.5 text-meta coarse:h-10"
        >
          <FilterChipLink run={run} filter={filter} title={`Runs with ${key} = ${text}`}>
            <span className="text-fg-muted">{key}</span> {text}
          </FilterChipLink>
        </li>
      ))}
      {chips.length > shown.length && (
        <li className="px-1 text-meta text-fg-muted">and {chips.length - shown.length} more below</li>
      )}
    </ul>
  )
}

function hasMetadataChips(run: Run): boolean {
  return toMetadataChips(run.extra?.metadata ?? {}).length > 0
}

function toMetadataChips(metadata: object) {
  return Object.entries(metadata).flatMap(([key, value]) => {
    const kind = typeof value
    if (kind !== 'string' && kind !== 'number' && kind !== 'boolean') return []
    const text = String(value)
    // JSON.parse has already rounded integers this large.
    if (text === '' || text.length > MAX_CHIP_LENGTH || (Number.isInteger(value) && !Number.isSafeInteger(value)))
      return []
    const filter = toValueFilter(['extra', 'metadata', key], kind, text)
    return filter ? [{ key, text, filter }] : []
  })
}
