import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { DatasetFrame } from '#features/datasets/dataset-frame.tsx'
import type { CompareSearch } from '#features/experiments/search.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { PaneBoundary } from '#ui/states.tsx'
import type { SearchChange } from '../logic/compare-state.ts'
import { PairToolbar } from './pair-toolbar.tsx'
import { describeOrder } from './pairwise.ts'
import { PairwiseView } from './pairwise-view.tsx'
import { refreshPairwise } from './queries.ts'
import { usePair } from './use-pair.ts'
import { VoteView } from './vote-view.tsx'
import { getSides } from './win-bars.tsx'

export interface PairPageProps {
  tenant: string
  datasetId: string
  comparisonId: string
  search: CompareSearch
}

/** Key of the first votes on a comparison without judges. */
const FIRST_KEY = 'preference'

/** Two experiments, pair by pair: which one judges and people prefer. */
export function PairPage({ tenant, datasetId, comparisonId, search }: PairPageProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate({ from: '/o/$tenant/datasets/$datasetId/compare' })
  const change = (part: SearchChange, how: 'push' | 'replace' = 'push') =>
    void navigate({ search: (kept) => ({ ...kept, ...part }), replace: how === 'replace' })
  const pair = usePair({ datasetId, comparisonId, search, change })
  const { comparison, pairs, view, names, shown } = pair
  const sides = getSides(view, names)
  const mayVote = useMay('member')
  const isVoting = mayVote && search.vote === true
  // The wins count the votes.
  useEffect(() => (isVoting ? () => void refreshPairwise(queryClient) : undefined), [isVoting, queryClient])
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="pairwise"
      // The name of a comparison usually contains those of its experiments.
      title={isVoting ? 'Blind votes' : (comparison.data?.name ?? undefined)}
      toolbar={
        pairs &&
        !isVoting && <PairToolbar pair={pair} mayVote={mayVote} onVote={() => change({ vote: true, ex: undefined })} />
      }
      status={
        pairs && (
          <>
            <span role="status">
              {isVoting ? 'Blind votes' : `${formatCount(shown.length)} of ${pluralize(pairs.rows.length, 'pair')}`}
            </span>
            {pairs.unpaired > 0 && <span>{pluralize(pairs.unpaired, 'example')} with only one answer left out</span>}
            <span className="ml-auto">{describeOrder(comparison.data?.extra)}</span>
          </>
        )
      }
    >
      <PaneBoundary title="Could not show the comparison">
        {isVoting && pairs !== undefined && pairs.rows.length > 0 ? (
          <VoteView
            view={view}
            texts={pair.texts}
            rows={pairs.rows}
            sides={sides}
            feedbackKey={pair.key ?? FIRST_KEY}
            readerId={pair.readerId}
            onClose={() => change({ vote: undefined })}
          />
        ) : (
          <PairwiseView pair={pair} open={search.ex} />
        )}
      </PaneBoundary>
    </DatasetFrame>
  )
}
