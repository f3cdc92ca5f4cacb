import { useQuery } from '@tanstack/react-query'
import type { Rule, RuleVersion } from '@touchstone/sdk'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { DiffView } from '#ui/diff-view.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { SameVersions, VersionsView } from '#ui/versions-view.tsx'
import { ruleQuery } from '../queries.ts'

/** The versions, newest first, and the differences of any two. */
export function VersionsTab({ rule }: { rule: Rule }) {
  const { data, error, refetch } = useQuery(ruleQuery.versions(rule.id))
  if (data !== undefined) {
    return (
      <VersionsView versions={data} noun="rule">
        {(a, b) => <Difference a={a} b={b} />}
      </VersionsView>
    )
  }
  if (error === null) return <SkeletonRows label="Loading versions" />
  return <ErrorState title="Could not load the versions" error={error} onRetry={() => void refetch()} />
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
    return <SameVersions isSame={a.version === b.version} />
  }
  return (
    <section aria-label="Definition" className="overflow-hidden rounded-card border border-border bg-surface">
      {error !== null && <ErrorState compact title="Could not compare the versions" error={error} />}
      {error === null && data === undefined && <SkeletonRows rows={3} label="Comparing the versions" />}
      {data && <DiffView diff={data} sides={[`Version ${a.version}`, `Version ${b.version}`]} />}
    </section>
  )
}
