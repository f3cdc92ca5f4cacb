import { useQuery } from '@tanstack/react-query'
import type { Example } from '@touchstone/sdk'
import { ArrowRight, ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { formatAbsoluteTime, formatCount } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { DiffView, Sign } from '#ui/diff-view.tsx'
import { Select } from '#ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { VersionsSearch } from '../search.ts'
import { versionQuery } from './queries.ts'
import {
  type ComparedExample,
  describeExample,
  type FieldChange,
  listFieldChanges,
  toDiffRequest,
} from './version-diff.ts'
import type { TimelineVersion } from './version-timeline.ts'

interface VersionDiffProps {
  datasetId: string
  versions: readonly TimelineVersion[]
  compared: { from: string; to: string } | undefined
  onCompare: (search: VersionsSearch) => void
}

/** What differs between two versions: added, modified and removed examples, field by field. */
export function VersionDiff({ datasetId, versions, compared, onCompare }: VersionDiffProps) {
  return (
    <section aria-label="Differences" className="flex min-h-0 min-w-0 flex-1 flex-col max-lg:flex-none">
      {compared === undefined ? (
        <EmptyState title="Nothing to compare">This is the only version of the dataset.</EmptyState>
      ) : (
        <>
          <header className="flex flex-wrap items-center gap-2 border-b border-border bg-surface px-3 py-1.5 text-row">
            <VersionSelect
              label="From version"
              value={compared.from}
              versions={versions}
              onChange={(from) => onCompare({ from, to: compared.to })}
            />
            <ArrowRight size={14} className="text-fg-subtle" aria-hidden />
            <VersionSelect
              label="To version"
              value={compared.to}
              versions={versions}
              onChange={(to) => onCompare({ from: compared.from, to })}
            />
          </header>
          <DiffBody key={`${compared.from} ${compared.to}`} datasetId={datasetId} {...compared} />
        </>
      )}
    </section>
  )
}

interface VersionSelectProps {
  label: string
  value: string
  versions: readonly TimelineVersion[]
  onChange: (asOf: string) => void
}

function VersionSelect({ label, value, versions, onChange }: VersionSelectProps) {
  const selected = versions.find(({ as_of, tags }) => as_of === value || tags.includes(value))?.as_of ?? value
  return (
    <Select
      aria-label={label}
      size="toolbar"
      value={selected}
      onChange={onChange}
      options={[
        ...(versions.some(({ as_of }) => as_of === selected) ? [] : [{ value: selected, label: selected }]),
        ...versions.map(({ as_of, tags }) => ({
          value: as_of,
          label: [formatAbsoluteTime(as_of), ...tags].join(' · '),
        })),
      ]}
      className="max-w-64"
    />
  )
}

/** Examples that are shown at a time. */
const STEP = 50

type Change = { id: string; kind: 'added' | 'changed' | 'removed' }

function DiffBody({ datasetId, from, to }: { datasetId: string; from: string; to: string }) {
  const [shown, setShown] = useState(STEP)
  const { data: diff, error, refetch } = useQuery(versionQuery.diff(datasetId, from, to))
  if (error !== null) {
    return <ErrorState title="Could not compare the versions" error={error} onRetry={() => void refetch()} />
  }
  if (diff === undefined) return <SkeletonRows label="Comparing" />
  const changes: Change[] = [
    ...diff.examples_modified.map((id) => ({ id, kind: 'changed' as const })),
    ...diff.examples_added.map((id) => ({ id, kind: 'added' as const })),
    ...diff.examples_removed.map((id) => ({ id, kind: 'removed' as const })),
  ]
  const pages = Array.from({ length: Math.ceil(Math.min(shown, changes.length) / STEP) }, (_, page) =>
    changes.slice(page * STEP, (page + 1) * STEP),
  )
  return (
    <div className="min-h-0 flex-1 overflow-y-auto max-lg:overflow-visible">
      <p role="status" className="border-b border-border px-3 py-1.5 text-row text-fg-muted">
        {changes.length === 0
          ? 'The two versions have the same examples.'
          : `${formatCount(diff.examples_added.length)} added, ${formatCount(diff.examples_modified.length)} modified, ${formatCount(diff.examples_removed.length)} removed`}
      </p>
      {pages.map((page) => (
        <DiffPage key={page[0]?.id} datasetId={datasetId} from={from} to={to} changes={page} />
      ))}
      {changes.length > shown && (
        <p className="p-3 text-center">
          <Button onClick={() => setShown(shown + STEP)}>
            Show {formatCount(Math.min(STEP, changes.length - shown))} more of {formatCount(changes.length - shown)}
          </Button>
        </p>
      )}
    </div>
  )
}

interface DiffPageProps {
  datasetId: string
  from: string
  to: string
  changes: readonly Change[]
}

function DiffPage({ datasetId, from, to, changes }: DiffPageProps) {
  const idsOf = (without: Change['kind']) => changes.filter(({ kind }) => kind !== without).map(({ id }) => id)
  const before = useQuery(versionQuery.examples(datasetId, from, idsOf('added')))
  const after = useQuery(versionQuery.examples(datasetId, to, idsOf('removed')))
  const error = before.error ?? after.error
  if (error !== null) {
    const retry = () => void Promise.all([before.refetch(), after.refetch()])
    return <ErrorState compact title="Could not load the examples" error={error} onRetry={retry} />
  }
  if (before.data === undefined || after.data === undefined) return <SkeletonRows rows={changes.length} />
  return (
    <ul>
      {changes.map((change, index) => (
        <ExampleDiff
          key={change.id}
          change={change}
          before={before.data.get(change.id)}
          after={after.data.get(change.id)}
          startsOpen={index === 0 && change.kind === 'changed'}
        />
      ))}
    </ul>
  )
}

interface ExampleDiffProps {
  change: Change
  before: Example | undefined
  after: Example | undefined
  startsOpen: boolean
}

const NOTHING: ComparedExample = {}

function ExampleDiff({ change: { id, kind }, before, after, startsOpen }: ExampleDiffProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  const fields = listFieldChanges(before ?? NOTHING, after ?? NOTHING)
  const names = kind === 'changed' ? fields.map(({ field }) => field).join(', ') || 'attachments' : kind
  return (
    <li className="border-b border-border [content-visibility:auto]">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 w-full items-center gap-1.5 px-3 py-1 text-left text-row hover:bg-hover coarse:min-h-10"
      >
        {isOpen ? <ChevronDown size={13} aria-hidden /> : <ChevronRight size={13} aria-hidden />}
        <Sign kind={kind} />
        <span className="min-w-0 flex-1 truncate">{describeExample(after ?? before ?? NOTHING)}</span>
        <span className="max-w-[40%] truncate text-fg-muted">{names}</span>
        <span className="font-mono text-meta text-fg-subtle max-sm:hidden" title={id}>
          {id.slice(-8)}
        </span>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-2 px-3 pb-3">
          {fields.length === 0 && <p className="text-row text-fg-muted">Only its attachments changed.</p>}
          {fields.map((field) => (
            <FieldDiff key={field.field} id={id} change={field} />
          ))}
        </div>
      )}
    </li>
  )
}

function FieldDiff({ id, change }: { id: string; change: FieldChange }) {
  const request = toDiffRequest(change)
  const { data, error } = useQuery({
    queryKey: ['field-diff', id, change.field, request],
    queryFn: ({ signal }) => askDiff(request, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })
  return (
    <article aria-label={change.field} className="overflow-hidden rounded-card border border-border bg-surface">
      <h3 className="border-b border-border bg-sunken px-3 py-1 font-mono text-meta">{change.field}</h3>
      {error !== null && <ErrorState compact title="Could not compare the values" error={error} />}
      {data && <DiffView diff={data} />}
    </article>
  )
}
