import { useQuery } from '@tanstack/react-query'
import type { SavedEvaluatorVersion } from '@touchstone/sdk'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { DiffView } from '#ui/diff-view.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { SameVersions, VersionsView } from '#ui/versions-view.tsx'
import { type DefinitionDiff, listDefinitionDiffs } from './diff.ts'

/** The versions, newest first, and the differences of any two. */
export function VersionsTab({ versions }: { versions: readonly SavedEvaluatorVersion[] }) {
  return (
    <VersionsView versions={versions} noun="evaluator">
      {(a, b) => <Differences a={a} b={b} />}
    </VersionsView>
  )
}

function Differences({ a, b }: { a: SavedEvaluatorVersion; b: SavedEvaluatorVersion }) {
  const diffs = listDefinitionDiffs(a.definition, b.definition)
  if (diffs.length === 0) {
    return <SameVersions isSame={a.version === b.version} />
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
