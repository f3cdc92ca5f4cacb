import { useNavigate } from '@tanstack/react-router'
import type { PublicDatasetSearch } from '#lib/datasets/search.ts'
import { PublicDatasetFrame } from './-public-dataset-frame.tsx'
import { PublicExamples } from './-public-examples.tsx'
import { PublicExperiments } from './-public-experiments.tsx'

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
          <input
            type="search"
            aria-label="Search examples"
            placeholder="Search"
            value={search.q}
            onChange={(event) => setText(event.target.value)}
            className="h-7 w-64 min-w-32 rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
          />
        )
      }
    >
      {(dataset) =>
        search.tab === 'experiments' ? (
          <PublicExperiments token={token} />
        ) : (
          <PublicExamples token={token} dataset={dataset} q={search.q} onClearSearch={() => setText('')} />
        )
      }
    </PublicDatasetFrame>
  )
}
