import { useQuery } from '@tanstack/react-query'
import type { Rule, RuleVersion } from '@touchstone/sdk'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { Select } from '#ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { ruleQuery } from '../queries.ts'

/** The versions, newest first, and the differences of any two. */
export function VersionsTab({ rule }: { rule: Rule }) {
  const { data, error, refetch } = useQuery(ruleQuery.versions(rule.id))
  if (data !== undefined) return <Versions versions={data} />
  if (error === null) return <SkeletonRows label="Loading versions" />
  return <ErrorState title="Could not load the versions" error={error} onRetry={() => void refetch()} />
}

function Versions({ versions }: { versions: readonly RuleVersion[] }) {
  const [newest, parent] = versions
  // Until two are chosen, the newest ones, also when a version is added meanwhile.
  const [chosen, setChosen] = useState<{ from: number; to: number }>()
  const { from, to } = chosen ?? { from: parent?.version ?? 0, to: newest?.version ?? 0 }
  const find = (number: number) => versions.find(({ version }) => version === number)
  const [a, b] = [find(from), find(to)]
  const options = versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` }))
  return (
    <div className="flex min-h-full max-lg:flex-col">
      <ol aria-label="Versions" className="min-w-0 border-border max-lg:border-b lg:w-[38%] lg:border-r">
        {versions.map(({ version, created_at, created_by }, at) => (
          <li key={version} className="flex items-start gap-2 border-b border-border px-3 py-1.5 text-row">
            <div className="flex min-w-0 flex-1 flex-col">
              <span className="font-medium">Version {version}</span>
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
          <EmptyState title="Nothing to compare">This is the only version of the rule.</EmptyState>
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
            <Difference a={a} b={b} />
          </>
        )}
      </section>
    </div>
  )
}

function Difference({ a, b }: { a: RuleVersion; b: RuleVersion }) {
  const request = { kind: 'json' as const, a: JSON.stringify(a.definition), b: JSON.stringify(b.definition) }
  const { data, error } = useQuery({
    queryKey: ['rule-diff', request],
    queryFn: ({ signal }) => askDiff(request, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })
  if (request.a === request.b) {
    return (
      <p role="status" className="text-row text-fg-muted">
        {a.version === b.version ? 'This is the same version.' : 'The two versions have the same definition.'}
      </p>
    )
  }
  return (
    <section aria-label="Definition" className="overflow-hidden rounded-card border border-border bg-surface">
      {error !== null && <ErrorState compact title="Could not compare the versions" error={error} />}
      {error === null && data === undefined && <SkeletonRows rows={3} label="Comparing the versions" />}
      {data && <DiffView diff={data} sides={[`Version ${a.version}`, `Version ${b.version}`]} />}
    </section>
  )
}
