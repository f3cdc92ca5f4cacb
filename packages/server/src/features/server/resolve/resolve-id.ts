import { ApiError, contract, type Resolved } from '@touchstone/contract'
import { and, eq, isNull } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { idIn } from '../../../storage/analytics/run-aliases.ts'
import { sql, uuid } from '../../../storage/analytics/sql.ts'
import { columns, text } from '../../../storage/rows.ts'
import { selectQueue } from '../../annotation-queues/index.ts'
import { examples } from '../../datasets/examples/index.ts'
import { selectDataset } from '../../datasets/index.ts'
import { findProject } from '../../projects/index.ts'
import { appPath } from '../../runs/index.ts'

type ResolveDeps = Pick<Deps, 'analytics' | 'relational'>

/** Finds something in a workspace by its id. */
type Find = (deps: ResolveDeps, tenantId: string, id: string) => Promise<Omit<Resolved, 'id'> | undefined>

export function resolveRoutes(app: App, deps: ResolveDeps): void {
  serve(app, contract.traces.resolve, ({ params, caller }) => resolveId(deps, caller.tenantId, params.id))
}

/**
 * Finds what has an id. An id that a client gave to two kinds of things belongs to the first kind of `FINDERS`.
 *
 * @throws ApiError NOT_FOUND
 */
async function resolveId(deps: ResolveDeps, tenantId: string, id: string): Promise<Resolved> {
  const answers = await Promise.all(FINDERS.map((find) => find(deps, tenantId, id)))
  const found = answers.find((answer) => answer !== undefined)
  if (found !== undefined) return { ...found, id }
  throw new ApiError(
    'NOT_FOUND',
    `${id} was not found: no run, project, experiment, dataset, example or annotation queue has this id`,
  )
}

const FOUND_RUN = columns({ id: text, session_id: text, trace_id: text, start_time: text, name: text })

const findRun: Find = async ({ analytics }, tenantId, id) => {
  const [run] = await analytics.query(
    sql`
    select id, session_id, trace_id, start_time, name
    from trace_runs final
    where tenant_id = ${uuid(tenantId)} and (trace_id, start_time, id) in (
      select trace_id, start_time, id from run_keys final where tenant_id = ${uuid(tenantId)} and ${idIn(tenantId, [id])})
    order by start_time desc
    limit 1`,
    FOUND_RUN,
  )
  return run && { kind: 'run', name: run.name, app_path: appPath(tenantId, run) }
}

/** An experiment leads to its comparison page, unless its dataset was deleted. */
const findProjectOrExperiment: Find = async (deps, tenantId, id) => {
  const project = await findProject(deps, tenantId, id)
  if (project === undefined) return undefined
  const { name, reference_dataset_id: datasetId } = project
  return datasetId === null
    ? { kind: 'project', name, app_path: `/o/${tenantId}/projects/p/${id}` }
    : { kind: 'experiment', name, app_path: `/o/${tenantId}/datasets/${datasetId}/compare?selectedSessions=${id}` }
}

const findDataset: Find = async ({ relational }, tenantId, id) => {
  const dataset = await selectDataset(relational.db, tenantId, id)
  return dataset && { kind: 'dataset', name: dataset.name, app_path: `/o/${tenantId}/datasets/${id}` }
}

/** Deleted examples are found too, because their page shows their versions. */
const findExample: Find = async ({ relational }, tenantId, id) => {
  const [example] = await relational.db
    .select({ datasetId: examples.dataset_id, number: examples.number })
    .from(examples)
    .where(and(eq(examples.tenant_id, tenantId), eq(examples.id, id), isNull(examples.erased_at)))
  return (
    example && {
      kind: 'example',
      name: `Example ${example.number}`,
      app_path: `/o/${tenantId}/datasets/${example.datasetId}/e/${id}`,
    }
  )
}

const findQueue: Find = async ({ relational }, tenantId, id) => {
  const queue = await selectQueue(relational.db, tenantId, id)
  return queue && { kind: 'queue', name: queue.name, app_path: `/o/${tenantId}/annotation-queues/${id}` }
}

const FINDERS: readonly Find[] = [findRun, findProjectOrExperiment, findDataset, findExample, findQueue]
