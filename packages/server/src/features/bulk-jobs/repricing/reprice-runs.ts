import { addDecimals } from '../../../storage/analytics/sql.ts'
import type { CostPageRow, JobRow } from '../../../storage/relational/tables/lifecycle.ts'
import { type Action, type ActionDeps, assertTarget } from '../action.ts'
import type { JobRequest } from '../start-job.ts'
import { insertCostPage, selectCostPage, selectCostPageAfter, selectJob } from '../store.ts'
import { priceAgain } from './estimate-costs.ts'
import { readCostPayloads, readCurrentCosts, readPricedRuns, toCursor, whereSelected } from './priced-runs.ts'
import { isSameCosts, type RunCosts } from './run-costs.ts'

/** A block costs the column store nearly the same with a hundred rows as with a thousand. */
const PAGE = 1_000

/** A run whose costs a job changed. */
interface CostChange {
  readonly id: string
  /** Of the row that was priced. */
  readonly version: number
  readonly before: RunCosts
  readonly after: RunCosts
}

/**
 * Prices the next runs again. What changes is stored before it is written: a page that is repeated after a crash writes the
 * same costs, and an undo knows those before. A run that a client has changed since it was read stays as it is: its costs
 * are by the prices of now.
 */
export const repriceRuns: Action = async (deps, job, request) => {
  await deps.prices.refreshIfShared()
  const position = job.cursor ?? ''
  const page =
    (await selectCostPage(deps.relational.db, job.id, position)) ?? (await pricePage(deps, job, request, position))
  if (page === undefined) return { done: 0, failures: [], next: undefined } // cancelled
  const changes = readChanges(page)
  const writes = changes.map(({ id, version, after }) => ({ id, ifVersion: version, costs: after }))
  const problems = await deps.ingest.submitCosts(job.tenant_id, writes)
  // An undo that began before this page was written has read its changes and found nothing to restore.
  const now = await selectJob(deps.relational.db, job.tenant_id, job.id)
  if (now?.is_undone) await submitRestored(deps, job.tenant_id, changes)
  const failures = [...problems].map(([itemId, message]) => ({ itemId, message }))
  return { done: page.runs, failures, next: page.next ?? undefined }
}

/** @returns undefined when the job was cancelled */
async function pricePage(
  deps: ActionDeps,
  job: JobRow,
  { costsOf }: JobRequest,
  position: string,
): Promise<CostPageRow | undefined> {
  if (costsOf === undefined) throw new Error('The request of the job has no selection.')
  const found = await readPricedRuns(deps, whereSelected(job.tenant_id, costsOf), { after: position, limit: PAGE })
  const { runs, payloads } = await readCostPayloads(deps, job.tenant_id, found)
  const changes = runs.flatMap((run): CostChange[] => {
    const after = priceAgain(deps, job.tenant_id, run, payloads.get(run.id))
    return after === undefined ? [] : [{ id: run.id, version: run.version, before: toCosts(run), after }]
  })
  const last = runs.at(-1)
  const isLast = last === undefined || (found.length < PAGE && runs.length === found.length)
  return insertCostPage(deps.relational, {
    job_id: job.id,
    position,
    next: isLast ? null : toCursor(last),
    runs: runs.length,
    changes: JSON.stringify(changes),
    changed: changes.length,
    cost_before: addDecimals(changes.map(({ before }) => before.total_cost)),
    cost_after: addDecimals(changes.map(({ after }) => after.total_cost)),
  })
}

const readChanges = ({ changes }: CostPageRow) => JSON.parse(changes) as CostChange[]

function toCosts(run: RunCosts): RunCosts {
  const { prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details, price_model_id } = run
  return { prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details, price_model_id }
}

/** Gives runs the costs that they had before another job. Runs whose costs were changed since are reported, and stay. */
export const restoreCosts: Action = async (deps, job, request) => {
  const page = await selectCostPageAfter(deps.relational.db, assertTarget(request.undoes), Number(job.cursor ?? 0))
  if (page === undefined) return { done: 0, failures: [], next: undefined }
  const changes = readChanges(page)
  const ids = changes.map(({ id }) => id)
  const current = await readCurrentCosts(deps, job.tenant_id, ids)
  const failures = changes.flatMap(({ id, before, after }) => {
    const costs = current.get(id)
    const isExpected = costs === undefined || isSameCosts(costs, after) || isSameCosts(costs, before)
    return isExpected ? [] : [{ itemId: id, message: 'Its costs were changed since, so they stay as they are.' }]
  })
  const problems = await submitRestored(deps, job.tenant_id, changes)
  for (const [itemId, message] of problems) failures.push({ itemId, message })
  return { done: changes.length, failures, next: String(page.number) }
}

function submitRestored(deps: ActionDeps, tenantId: string, changes: readonly CostChange[]) {
  const writes = changes.map(({ id, before, after }) => ({ id, ifCosts: after, costs: before }))
  return deps.ingest.submitCosts(tenantId, writes)
}
