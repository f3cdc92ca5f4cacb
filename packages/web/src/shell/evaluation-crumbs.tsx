import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { queueQuery } from '#features/annotation-queues/queries.ts'
import { datasetQuery, findCachedDataset } from '#features/datasets/queries.ts'
import { type PromptKey, toPromptName } from '#features/prompts/prompt-key.ts'
import { promptQuery } from '#features/prompts/queries.ts'
import { PROMPTS_SEARCH_DEFAULTS } from '#features/prompts/search.ts'
import { Crumb, CrumbName, CrumbSwitcher, SiblingList } from './crumb.tsx'

const nameLook = 'truncate text-fg hover:underline'

/** The open dataset. */
export function DatasetCrumb({ tenant, datasetId }: { tenant: string; datasetId: string }) {
  const queryClient = useQueryClient()
  const dataset = useQuery({
    ...datasetQuery.one(datasetId),
    placeholderData: () => findCachedDataset(queryClient, datasetId),
  })
  return (
    <Crumb>
      <Link to="/o/$tenant/datasets/$datasetId" params={{ tenant, datasetId }} className={nameLook}>
        <CrumbName name={dataset.data?.name ?? datasetId.slice(0, 8)} />
      </Link>
      <CrumbSwitcher label="Switch dataset">
        {(close) => <DatasetSiblings tenant={tenant} datasetId={datasetId} onPick={close} />}
      </CrumbSwitcher>
    </Crumb>
  )
}

/** The pages of a dataset that stay open when the user switches to another dataset. */
const PAGES = [
  { path: '/experiments', to: '/o/$tenant/datasets/$datasetId/experiments' },
  { path: '/compare', to: '/o/$tenant/datasets/$datasetId/experiments' },
  { path: '/pairwise', to: '/o/$tenant/datasets/$datasetId/pairwise' },
  { path: '/versions', to: '/o/$tenant/datasets/$datasetId/versions' },
  { path: '/settings', to: '/o/$tenant/datasets/$datasetId/settings' },
] as const

function DatasetSiblings({ tenant, datasetId, onPick }: { tenant: string; datasetId: string; onPick: () => void }) {
  const rest = useRouterState({ select: ({ location }) => location.pathname.split(datasetId)[1] ?? '' })
  const to = PAGES.find(({ path }) => rest.startsWith(path))?.to ?? '/o/$tenant/datasets/$datasetId'
  const { data } = useInfiniteQuery(datasetQuery.list())
  return (
    <SiblingList
      noun="dataset"
      items={data?.pages.flat() ?? []}
      currentId={datasetId}
      link={({ id }, look) => <Link to={to} params={{ tenant, datasetId: id }} onClick={onPick} {...look} />}
    />
  )
}

/** The open annotation queue. */
export function QueueCrumb({ tenant, queueId }: { tenant: string; queueId: string }) {
  const queue = useQuery(queueQuery.one(queueId))
  return (
    <Crumb>
      <Link to="/o/$tenant/annotation-queues/$queueId" params={{ tenant, queueId }} className={nameLook}>
        <CrumbName name={queue.data?.name ?? queueId.slice(0, 8)} />
      </Link>
      <CrumbSwitcher label="Switch annotation queue">
        {(close) => <QueueSiblings tenant={tenant} queueId={queueId} onPick={close} />}
      </CrumbSwitcher>
    </Crumb>
  )
}

function QueueSiblings({ tenant, queueId, onPick }: { tenant: string; queueId: string; onPick: () => void }) {
  const { data } = useQuery(queueQuery.list())
  return (
    <SiblingList
      noun="annotation queue"
      items={data ?? []}
      currentId={queueId}
      link={({ id }, look) => (
        <Link to="/o/$tenant/annotation-queues/$queueId" params={{ tenant, queueId: id }} onClick={onPick} {...look} />
      )}
    />
  )
}

/** The open prompt. */
export function PromptCrumb({ tenant, prompt }: { tenant: string; prompt: PromptKey }) {
  return (
    <Crumb>
      <Link
        to="/o/$tenant/prompts/$owner/$repo/{-$commit}"
        params={{ tenant, ...prompt, commit: undefined }}
        className={nameLook}
      >
        <CrumbName name={toPromptName(prompt)} />
      </Link>
      <CrumbSwitcher label="Switch prompt">
        {(close) => <PromptSiblings tenant={tenant} prompt={prompt} onPick={close} />}
      </CrumbSwitcher>
    </Crumb>
  )
}

function PromptSiblings({ tenant, prompt, onPick }: { tenant: string; prompt: PromptKey; onPick: () => void }) {
  const { data } = useInfiniteQuery(promptQuery.list(PROMPTS_SEARCH_DEFAULTS))
  const prompts = data?.pages.flatMap(({ repos }) => repos) ?? []
  return (
    <SiblingList
      noun="prompt"
      items={prompts.map(({ repo_handle }) => ({ id: repo_handle, name: repo_handle }))}
      currentId={prompt.owner === '-' ? prompt.repo : ''}
      link={({ id }, look) => (
        <Link
          to="/o/$tenant/prompts/$owner/$repo/{-$commit}"
          params={{ tenant, owner: '-', repo: id, commit: undefined }}
          onClick={onPick}
          {...look}
        />
      )}
    />
  )
}
