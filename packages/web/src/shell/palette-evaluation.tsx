import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Database, FlaskConical, ListChecks } from 'lucide-react'
import { datasetQuery } from '#data/datasets.ts'
import { searchExperimentsQuery } from '#data/projects.ts'
import { queueQuery } from '#data/queues.ts'
import { type Go, LATE_PREFIX, PaletteGroup, PaletteItem } from './palette-sections.tsx'

interface ItemsProps {
  tenant: string
  go: Go
}

/** The datasets with the newest experiments, and the annotation queues. */
export function EvaluationItems({ tenant, go }: ItemsProps) {
  const router = useRouter()
  const datasets = useInfiniteQuery({ ...datasetQuery.list(), staleTime: 60_000 })
  const queues = useQuery({ ...queueQuery.list(), staleTime: 60_000 })
  return (
    <>
      <PaletteGroup heading="Datasets">
        {datasets.data?.pages.flat().map(({ id, name }) => (
          <PaletteItem
            key={id}
            value={`${name} ${id}`}
            icon={<Database size={14} />}
            onSelect={go(() =>
              router.navigate({ to: '/o/$tenant/datasets/$datasetId', params: { tenant, datasetId: id } }),
            )}
          >
            {name}
          </PaletteItem>
        ))}
      </PaletteGroup>
      <PaletteGroup heading="Annotation queues">
        {queues.data?.map(({ id, name }) => (
          <PaletteItem
            key={id}
            value={`${name} ${id}`}
            icon={<ListChecks size={14} />}
            onSelect={go(() =>
              router.navigate({ to: '/o/$tenant/annotation-queues/$queueId', params: { tenant, queueId: id } }),
            )}
          >
            {name}
          </PaletteItem>
        ))}
      </PaletteGroup>
    </>
  )
}

/** Experiments and datasets that the server finds by name; those that are listed above are left out. */
export function FoundEvaluation({ tenant, go, typed }: ItemsProps & { typed: string }) {
  const router = useRouter()
  const text = typed.trim()
  const experiments = useQuery(searchExperimentsQuery(text))
  const loaded = useInfiniteQuery(datasetQuery.list())
  const known = new Set(loaded.data?.pages.flat().map(({ id }) => id))
  const datasets = useQuery({ ...datasetQuery.search(text), enabled: loaded.hasNextPage })
  const more = datasets.data?.filter(({ id }) => !known.has(id)) ?? []
  return (
    <>
      {more.length > 0 && (
        <PaletteGroup heading="More datasets">
          {more.map(({ id, name }) => (
            <PaletteItem
              key={id}
              value={`${LATE_PREFIX}${name} ${id}`}
              icon={<Database size={14} />}
              onSelect={go(() =>
                router.navigate({ to: '/o/$tenant/datasets/$datasetId', params: { tenant, datasetId: id } }),
              )}
            >
              {name}
            </PaletteItem>
          ))}
        </PaletteGroup>
      )}
      {experiments.data && experiments.data.length > 0 && (
        <PaletteGroup heading="Experiments">
          {experiments.data.map(({ id, name, reference_dataset_id: datasetId }) => (
            <PaletteItem
              key={id}
              value={`${LATE_PREFIX}${name} ${id}`}
              icon={<FlaskConical size={14} />}
              onSelect={go(() =>
                router.navigate({
                  to: '/o/$tenant/datasets/$datasetId/compare',
                  params: { tenant, datasetId: datasetId ?? '' },
                  search: { selectedSessions: id },
                }),
              )}
            >
              {name}
            </PaletteItem>
          ))}
        </PaletteGroup>
      )}
    </>
  )
}
