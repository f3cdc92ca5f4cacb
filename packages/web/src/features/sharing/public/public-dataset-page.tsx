import { useNavigate } from '@tanstack/react-router'
import type { PublicDatasetSearch } from '#features/datasets/search.ts'
import { SearchField } from '#ui/search-field.tsx'
import { PublicDatasetFrame } from './public-dataset-frame.tsx'
import { PublicExamples } from './public-examples.tsx'
import { PublicExperiments } from './public-experiments.tsx'
import { PublicPairwise } from './public-pairwise.tsx'

/** A shared dataset with its examples and experiments, readable without an account. */
export function PublicDatasetPage({ token, search }: { token: string; search: PublicDatasetSearch }) {
  const navigate = useNavigate({ from: '/public/$token/d/' })
  const setText = (q: string) => void navigate({ search: (kept) => ({ ...kept, q }), replace: true })
  return (
    <PublicDatasetFrame
      token={token}
      tab={search.tab}
      toolbar={
        search.tab === 'examples' && (
          <SearchField label="Search examples" placeholder="Search" value={search.q} onChange={setText} />
        )
      }
    >
      {(dataset) =>
        search.tab === 'experiments' ? (
          <PublicExperiments token={token} />
        ) : search.tab === 'pairwise' ? (
          <PublicPairwise token={token} datasetId={dataset.id} />
        ) : (
          <PublicExamples token={token} dataset={dataset} q={search.q} onClearSearch={() => setText('')} />
        )
      }
    </PublicDatasetFrame>
  )
}
