import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { Prompt } from '@touchstone/sdk'
import { Database, FlaskConical, ListChecks, MessageSquareCode } from 'lucide-react'
import { queueQuery } from '#features/annotation-queues/queries.ts'
import { datasetQuery } from '#features/datasets/queries.ts'
import { searchExperimentsQuery } from '#features/projects/queries.ts'
import { promptQuery } from '#features/prompts/queries.ts'
import { PROMPTS_SEARCH_DEFAULTS } from '#features/prompts/search.ts'
import { useSettledText } from '#ui/search-field.tsx'
import { type Go, LATE_PREFIX, PaletteGroup, PaletteItem } from './palette-sections.tsx'

interface ItemsProps {
  tenant: string
  go: Go
}

/** The datasets, prompts and annotation queues. */
export function EvaluationItems({ tenant, go }: ItemsProps) {
  const router = useRouter()
  const datasets = useInfiniteQuery({ ...datasetQuery.list(), staleTime: 60_000 })
  const prompts = useInfiniteQuery({ ...promptQuery.list(PROMPTS_SEARCH_DEFAULTS), staleTime: 60_000 })
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
      <PromptItems
        heading="Prompts"
        prompts={prompts.data?.pages.flatMap(({ repos }) => repos)}
        tenant={tenant}
        go={go}
      />
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

interface PromptItemsProps extends ItemsProps {
  heading: string
  prompts: readonly Prompt[] | undefined
  /** Whether the server found them by the typed text. @default false */
  isLate?: boolean
}

function PromptItems({ heading, prompts = [], tenant, go, isLate = false }: PromptItemsProps) {
  const router = useRouter()
  if (prompts.length === 0) return null
  return (
    <PaletteGroup heading={heading}>
      {prompts.map(({ id, repo_handle }) => (
        <PaletteItem
          key={id}
          value={`${isLate ? LATE_PREFIX : ''}${repo_handle} ${id}`}
          icon={<MessageSquareCode size={14} />}
          onSelect={go(() =>
            router.navigate({
              to: '/o/$tenant/prompts/$owner/$repo/{-$commit}',
              params: { tenant, owner: '-', repo: repo_handle, commit: undefined },
            }),
          )}
        >
          {repo_handle}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

/** Experiments, datasets and prompts that the server finds by name; those that are listed above are left out. */
export function FoundEvaluation({ tenant, go, typed }: ItemsProps & { typed: string }) {
  const router = useRouter()
  const text = typed.trim()
  const experiments = useQuery(searchExperimentsQuery(text))
  const loaded = useInfiniteQuery(datasetQuery.list())
  const known = new Set(loaded.data?.pages.flat().map(({ id }) => id))
  const datasets = useQuery({ ...datasetQuery.search(useSettledText(text)), enabled: loaded.hasNextPage })
  const listed = useInfiniteQuery(promptQuery.list(PROMPTS_SEARCH_DEFAULTS))
  const knownPrompts = new Set(listed.data?.pages.flatMap(({ repos }) => repos).map(({ id }) => id))
  const prompts = useQuery({ ...promptQuery.search(useSettledText(text)), enabled: listed.hasNextPage })
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
      <PromptItems
        heading="More prompts"
        prompts={prompts.data?.filter(({ id }) => !knownPrompts.has(id))}
        tenant={tenant}
        go={go}
        isLate
      />
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
