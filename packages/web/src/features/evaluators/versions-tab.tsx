import { useQuery } from '@tanstack/react-query'
import type { SavedEvaluatorVersion } from '@touchstone/sdk'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { Select } from '#ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { type DefinitionDiff, listDefinitionDiffs } from './diff.ts'

/** The versions, newest first, and the differences of any two. */
export function VersionsTab({ versions }: { versions: readonly SavedEvaluatorVersion[] }) {
  const [newest, parent] = versions
  // Until two are chosen, the newest ones, also when a version is added meanwhile.
  const [chosen, setChosen] = useState<{ from: number; to: number }>()
  const { from, to } = chosen ?? { from: parent?.version ?? 0, to: newest?.version ?? 0 }
  const find = (number: number) => versions.find(({ version }) => version === number)
  const [a, b] = [find(from), find(to)]
  const options = versions.map(({ version, note }) => ({
    value: String(version),
    label: `Version ${version}${note === '' ? '' : ` · ${note.slice(0, 40)}`}`,
  }))
  return (
    <div className="flex min-h-full max-lg:flex-col">
      <ol aria-label="Versions" className="min-w-0 border-border max-lg:border-b lg:w-[38%] lg:border-r">
        {versions.map(({ version, note, created_at, created_by }, at) => (
          <li key={version} className="flex items-start gap-2 border-b border-border px-3 py-1.5 text-row">
            <div className="flex min-w-0 flex-1 flex-col">
              <span className="font-medium">Version {version}</span>
              <span dir="auto" className="[overflow-wrap:anywhere]">
                {note || <span className="text-fg-subtle">No note</span>}
              </span>
              <span className="text-meta text-fg-muted" title={formatAbsoluteTime(created_at)}>
                {formatRelativeTime(created_at).replace(/\.\d{3}$/, '')}
                {created_by && ` by ${created_by.slice(0, 60)}`}
              </span>
            </div>
            {at < versions.length - 1 && (
              <Button
                aria-label={`Compare version ${version} with the one before`}
                onClick={() => setChosen({ from: versions[at + 1]?.version ?? from, to: version })}
              >
                Compare
              </Button>
            )}
          </li>
        ))}
      </ol>
      <section aria-label="Differences" className="flex min-w-0 flex-1 flex-col gap-3 p-3">
        {a === undefined || b === undefined ? (
          <EmptyState title="Nothing to compare">This is the only version of the evaluator.</EmptyState>
        ) : (
          <>
            <div className="flex flex-wrap items-center gap-2">
              <Select
                aria-label="From version"
                size="toolbar"
                value={String(from)}
                onChange={(value) => setChosen({ from: Number(value), to })}
                options={options}
              />
              <ArrowRight size={14} className="text-fg-subtle" aria-hidden />
              <Select
                aria-label="To version"
                size="toolbar"
                value={String(to)}
                onChange={(value) => setChosen({ from, to: Number(value) })}
                options={options}
              />
            </div>
            <Differences a={a} b={b} />
          </>
        )}
      </section>
    </div>
  )
}

function Differences({ a, b }: { a: SavedEvaluatorVersion; b: SavedEvaluatorVersion }) {
  const diffs = listDefinitionDiffs(a.definition, b.definition)
  if (diffs.length === 0) {
    return (
      <p role="status" className="text-row text-fg-muted">
        {a.version === b.version ? 'This is the same version.' : 'The two versions have the same definition.'}
      </p>
    )
  }
  return diffs.map((diff) => (
    <Difference key={`${a.version} ${b.version} ${diff.title}`} diff={diff} versions={[a.version, b.version]} />
  ))
}

function Difference({ diff, versions }: { diff: DefinitionDiff; versions: readonly [number, number] }) {
  const { title, request } = diff
  const { data, error } = useQuery({
    queryKey: ['evaluator-diff', versions, title, request],
    queryFn: ({ signal }) => askDiff(request, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })
  return (
    <section
      aria-label={`Differences in ${title}`}
      className="overflow-hidden rounded-card border border-border bg-surface"
    >
      <h3 className="border-b border-border bg-sunken px-3 py-1 text-row font-medium">{title}</h3>
      {error !== null && <ErrorState compact title={`Could not compare ${title}`} error={error} />}
      {error === null && data === undefined && <SkeletonRows rows={3} label={`Comparing ${title}`} />}
      {data && <DiffView diff={data} sides={[`Version ${versions[0]}`, `Version ${versions[1]}`]} />}
    </section>
  )
}
