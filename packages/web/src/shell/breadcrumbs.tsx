import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams, useRouterState, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { findCachedProject, projectQuery } from '#features/projects/queries.ts'
import { AREAS, getArea, getAreaPath } from '#lib/areas.ts'
import { lazyExtra } from '#ui/lazy.tsx'
import { CommitCrumb, Crumb, CrumbName, CrumbSwitcher, IdCrumb, SiblingList } from './crumb.tsx'

/** Falls back to the name if the code of the label cannot be loaded. */
const ProjectLabel = lazyExtra(() => import('./project-label.tsx').then((module) => module.ProjectLabel), CrumbName)
const DatasetCrumb = lazyExtra(() => import('./evaluation-crumbs.tsx').then((module) => module.DatasetCrumb))
const ComparedProject = lazyExtra(() => import('./compared-project.tsx').then((module) => module.ComparedProject))
const QueueCrumb = lazyExtra(() => import('./evaluation-crumbs.tsx').then((module) => module.QueueCrumb))
const DraftCrumb = lazyExtra(() => import('./playground-crumbs.tsx').then((module) => module.DraftCrumb))
const EvaluatorCrumb = lazyExtra(() => import('./playground-crumbs.tsx').then((module) => module.EvaluatorCrumb))
const RuleCrumb = lazyExtra(() => import('./rule-crumb.tsx').then((module) => module.RuleCrumb))
const PromptCrumb = lazyExtra(() => import('./evaluation-crumbs.tsx').then((module) => module.PromptCrumb))

interface OpenIds {
  projectId?: string
  runId?: string
  datasetId?: string
  exampleId?: string
  queueId?: string
  owner?: string
  repo?: string
  /** Hash, beginning of a hash, or tag. */
  commit?: string
  evaluatorId?: string
  ruleId?: string
}

/** The path to this page, with menus to switch to another project, dataset or queue. */
export function Breadcrumbs({ tenant }: { tenant: string }) {
  const ids = useParams({ strict: false }) as OpenIds
  const { projectId, runId, datasetId, exampleId, queueId, owner, repo, commit, evaluatorId, ruleId } = ids
  const { draft } = useSearch({ strict: false }) as { draft?: string }
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const areaName = getArea(pathname)
  const areaLabel = AREAS.find(([area]) => area === areaName)?.[1]
  const isNew = pathname.endsWith('/new')
  const isInside = isNew || (projectId ?? datasetId ?? queueId ?? repo ?? evaluatorId ?? ruleId) !== undefined
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1 text-base text-fg-muted">
        <Crumb first hideOnPhone={isInside}>
          <Link to={getAreaPath(areaName)} params={{ tenant }} className="truncate hover:text-fg hover:underline">
            {areaLabel}
          </Link>
        </Crumb>
        {projectId !== undefined && <ProjectCrumb tenant={tenant} projectId={projectId} />}
        <Suspense>
          {pathname.endsWith('/compare-runs') && (
            <>
              <ComparedProject>{(id) => <ProjectCrumb tenant={tenant} projectId={id} />}</ComparedProject>
              <Crumb>
                <span className="truncate text-fg">Compare runs</span>
              </Crumb>
            </>
          )}
          {datasetId !== undefined && <DatasetCrumb tenant={tenant} datasetId={datasetId} />}
          {queueId !== undefined && <QueueCrumb tenant={tenant} queueId={queueId} />}
          {owner !== undefined && repo !== undefined && <PromptCrumb tenant={tenant} prompt={{ owner, repo }} />}
          {evaluatorId !== undefined && <EvaluatorCrumb tenant={tenant} evaluatorId={evaluatorId} />}
          {ruleId !== undefined && <RuleCrumb tenant={tenant} ruleId={ruleId} />}
          {areaName === 'playground' && draft !== undefined && <DraftCrumb draftId={draft} />}
        </Suspense>
        {isNew && (
          <Crumb>
            <span className="truncate text-fg">New {areaName === 'rules' ? 'rule' : 'evaluator'}</span>
          </Crumb>
        )}
        {repo !== undefined && commit !== undefined && <CommitCrumb reference={commit} />}
        {runId !== undefined && <IdCrumb id={runId} />}
        {exampleId !== undefined && <IdCrumb id={exampleId} />}
      </ol>
    </nav>
  )
}

function ProjectCrumb({ tenant, projectId }: { tenant: string; projectId: string }) {
  const queryClient = useQueryClient()
  const project = useQuery({
    ...projectQuery.one(projectId),
    placeholderData: () => findCachedProject(queryClient, projectId),
  })
  const name = project.data?.name ?? projectId.slice(0, 8)
  return (
    <Crumb>
      <Link
        to="/o/$tenant/projects/p/$projectId"
        params={{ tenant, projectId }}
        className="truncate text-fg hover:underline"
      >
        <Suspense fallback={<CrumbName name={name} />}>
          <ProjectLabel projectId={projectId} name={name} />
        </Suspense>
      </Link>
      <CrumbSwitcher label="Switch project">
        {(close) => <ProjectSiblings tenant={tenant} projectId={projectId} onPick={close} />}
      </CrumbSwitcher>
    </Crumb>
  )
}

/** The pages of a project that stay open when the user switches to another project. */
const PAGES = [
  { path: '/threads', to: '/o/$tenant/projects/p/$projectId/threads' },
  { path: '/monitor', to: '/o/$tenant/projects/p/$projectId/monitor' },
  { path: '/settings', to: '/o/$tenant/projects/p/$projectId/settings' },
] as const

function ProjectSiblings({ tenant, projectId, onPick }: { tenant: string; projectId: string; onPick: () => void }) {
  const rest = useRouterState({ select: ({ location }) => location.pathname.split(projectId)[1] ?? '' })
  const to = PAGES.find(({ path }) => rest.startsWith(path))?.to ?? '/o/$tenant/projects/p/$projectId'
  const { data } = useInfiniteQuery(projectQuery.names())
  return (
    <SiblingList
      noun="project"
      items={data?.pages.flat() ?? []}
      currentId={projectId}
      link={({ id }, look) => (
        <Link
          to={to}
          params={{ tenant, projectId: id }}
          // Filters and time range are kept; the saved view, the dashboard and the open run belong to the old project.
          search={(kept: object) => ({ ...kept, peek: undefined, view: undefined, board: undefined })}
          onClick={onPick}
          {...look}
        />
      )}
    />
  )
}
