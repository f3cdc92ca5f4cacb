import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { GitCompareArrows } from 'lucide-react'
import type { ReactNode } from 'react'
import { feedbackConfigQuery } from '#features/feedback/configs/queries.ts'
import { NotFoundPage } from '#features/projects/not-found-page.tsx'
import { Kbd } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { nameAt } from '../model/trace.ts'
import { compareRunsQuery, traceQuery } from '../queries.ts'
import { CompareHeader } from './compare-header.tsx'
import { CompareView } from './compare-view.tsx'
import { compareFeedback, compareMetadata } from './deltas.ts'
import { PairDiff } from './pair-diff.tsx'
import type { CompareRunsSearch } from './search.ts'

export interface CompareRunsPageProps {
  tenant: string
  search: CompareRunsSearch
  navigate: (to: { search: (kept: CompareRunsSearch) => CompareRunsSearch; replace?: boolean }) => unknown
}

/** Compares two runs with the runs below them, aligned step by step. */
export function CompareRunsPage({ tenant, search, navigate }: CompareRunsPageProps) {
  const { a, b } = search
  const query = useQuery({ ...compareRunsQuery(a ?? '', b ?? ''), enabled: a !== undefined && b !== undefined })
  const [runA, runB] = [
    useQuery({ ...traceQuery.run(a ?? ''), enabled: a !== undefined }),
    useQuery({ ...traceQuery.run(b ?? ''), enabled: b !== undefined }),
  ]
  const configs = useQuery(feedbackConfigQuery.list())
  if (a === undefined || b === undefined) return <NoSelection />
  if (query.error && !query.data)
    return <ErrorState title="Could not load the runs" error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) {
    return (
      <main className="min-h-0 flex-1 overflow-hidden">
        <SkeletonRows rows={24} height={26} label="Loading both traces" />
      </main>
    )
  }
  if ('missing' in query.data) return <NotFoundPage what="This run" id={query.data.missing} />

  const { compared } = query.data
  const lowerIsBetter = new Set(
    configs.data?.filter((one) => one.is_lower_score_better).map((one) => one.feedback_key) ?? [],
  )
  const places = { a: { ...query.data.a, run: a }, b: { ...query.data.b, run: b } }
  const change = (part: Partial<CompareRunsSearch>, how: 'push' | 'replace') =>
    navigate({ search: (kept) => ({ ...kept, ...part }), replace: how === 'replace' })
  const swap = () => change({ a: b, b: a }, 'push')
  const linkTo = (side: 'a' | 'b', name: ReactNode) => (
    <Link
      to="/o/$tenant/projects/p/$projectId/r/$runId"
      params={{ tenant, projectId: places[side].projectId, runId: places[side].run }}
      search={{ trace_id: places[side].traceId }}
      className="hover:underline"
    >
      {name}
    </Link>
  )
  return (
    <main className="flex min-h-0 flex-1 flex-col">
      <title>{`${nameAt(compared.a, compared.rootA)} compared · Touchstone`}</title>
      <CompareHeader
        compared={compared}
        linkTo={linkTo}
        feedback={
          runA.data && runB.data
            ? compareFeedback(runA.data.run.feedback_stats, runB.data.run.feedback_stats, lowerIsBetter)
            : []
        }
        metadata={runA.data && runB.data ? compareMetadata(runA.data.run, runB.data.run) : []}
        onSwap={swap}
      />
      <CompareView
        compared={compared}
        selectedId={search.run}
        onSelect={(run) => change({ run }, 'replace')}
        onlyDifferences={search.only === '1'}
        onOnlyDifferences={(on) => change({ only: on ? '1' : undefined }, 'push')}
        onSwap={swap}
      >
        {(one, other) => <PairDiff a={one} b={other} tab={search.tab} onTab={(tab) => change({ tab }, 'push')} />}
      </CompareView>
    </main>
  )
}

function NoSelection() {
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      <title>Compare two runs · Touchstone</title>
      <EmptyState icon={GitCompareArrows} heading="h1" title="Select two runs to compare">
        <p>
          Press <Kbd keys="m" /> on a run in a list or in a trace, then <Kbd keys="m" /> on another.
        </p>
      </EmptyState>
    </main>
  )
}
