import type { ModelPrice } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import {
  type Fragment,
  join,
  literal,
  printedTime,
  sql,
  texts,
  time,
  times,
  uint,
  uuid,
  uuids,
} from '../../../storage/analytics/sql.ts'
import { columns, count, nullable, type RowOf, record, text, truth } from '../../../storage/rows.ts'
import { COST_COLUMNS, type RunCosts } from './run-costs.ts'

/** Which stored runs are priced again: calls of models that used tokens. */
export interface PricedSelection {
  /** Names and providers as runs have them, '' without a provider. @default all */
  readonly models?: readonly ModelOfRuns[] | undefined
  readonly session?: readonly string[] | undefined
  /** Printed times that the start of a run is between, both inclusive. */
  readonly startTime?: string | undefined
  readonly endTime: string
  /** Only runs without a known cost. */
  readonly onlyUnpriced: boolean
}

export interface ModelOfRuns {
  readonly model: string
  readonly provider: string
}

const RUN_COLUMNS = {
  id: text,
  session_id: text,
  /** In the column's form. */
  start_time: text,
  version: count,
  model: text,
  provider: text,
  prompt_tokens: nullable(count),
  completion_tokens: nullable(count),
  total_tokens: nullable(count),
  prompt_token_details: record(count),
  completion_token_details: record(count),
  ...COST_COLUMNS,
}
const RUN = columns(RUN_COLUMNS)

/** What a stored run is priced by, and what it costs now. */
export type PricedRun = RowOf<typeof RUN>

/** Payloads that can contain costs, as JSON text; '' when absent. */
export interface CostPayloads {
  readonly extra: string
  readonly outputs: string
}

/** The costs of a stored run by a price. Costs that the run contains count as they do when a run is recorded. */
export type ComputeCosts = (run: PricedRun, payloads: CostPayloads | undefined, price: ModelPrice) => RunCosts

export function whereSelected(tenantId: string, selection: PricedSelection): Fragment {
  const { models, session, startTime, endTime, onlyUnpriced } = selection
  const conditions = [
    sql`tenant_id = ${uuid(tenantId)}`,
    sql`start_time <= ${time(endTime)}`,
    sql`run_type in ('llm', 'embedding') and model != ''`,
    sql`(ifNull(prompt_tokens, 0) > 0 or ifNull(completion_tokens, 0) > 0)`,
  ]
  if (session?.length) conditions.push(sql`session_id in ${uuids(session)}`)
  if (startTime !== undefined) conditions.push(sql`start_time >= ${time(startTime)}`)
  if (onlyUnpriced) conditions.push(sql`total_cost is null`)
  if (models !== undefined) {
    const [names, providers] = [models.map(({ model }) => model), models.map(({ provider }) => provider)]
    conditions.push(
      sql`model in ${texts(names)} and (toString(model), toString(provider)) in arrayZip(${texts(names)}, ${texts(providers)})`,
    )
  }
  return join(conditions, '\n        and ')
}

const COLUMNS = Object.keys(RUN_COLUMNS).join(', ')

/**
 * The next runs in the order of the table.
 *
 * @param after  the cursor of an earlier page; '' for the first
 */
export async function readPricedRuns(
  { analytics }: Pick<Deps, 'analytics'>,
  where: Fragment,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<PricedRun[]> {
  return analytics.query(
    sql`
      select ${literal(COLUMNS)}
      from runs final
      where ${where}${after === '' ? literal('') : whereAfter(after)}
      order by session_id, start_time, id
      limit ${uint(limit)}`,
    RUN,
  )
}

/** The cursor of the runs after a run. */
export const toCursor = ({ session_id, start_time, id }: PricedRun) =>
  JSON.stringify([session_id, printedTime(start_time), id])

/** The first conditions repeat a part of the last, because the primary key index does not support tuple comparisons. */
function whereAfter(cursor: string): Fragment {
  const [session = '', start = '', id = ''] = JSON.parse(cursor) as string[]
  const [ofSession, ofStart] = [uuid(session), time(start)]
  return sql`
        and session_id >= ${ofSession} and (session_id > ${ofSession} or start_time >= ${ofStart})
        and (session_id, start_time, id) > (${ofSession}, ${ofStart}, ${uuid(id)})`
}

/** Of payloads: the writer has those of a page in memory. */
const MAX_BYTES = 16 << 20

const SIZE = columns({ id: text, bytes: count, names_cost: truth })
const PAYLOADS = columns({ id: text, extra: text, outputs: text })

/**
 * The runs of a page whose payloads may be in memory together, at least one, and the payloads of those that may contain a
 * cost.
 */
export async function readCostPayloads(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runs: readonly PricedRun[],
): Promise<{ readonly runs: readonly PricedRun[]; readonly payloads: ReadonlyMap<string, CostPayloads> }> {
  if (runs.length === 0) return { runs, payloads: new Map() }
  const sizes = await analytics.query(
    sql`
      select id, length(inputs) + length(outputs) + length(extra) + length(events) + length(serialized) as bytes,
        toBool(positionCaseInsensitive(extra, 'cost') > 0 or positionCaseInsensitive(outputs, 'cost') > 0) as names_cost
      from runs final
      where ${whereKeys(tenantId, runs)}`,
    SIZE,
  )
  const sizeOf = new Map(sizes.map((size) => [size.id, size]))
  let bytes = 0
  const end = runs.findIndex(({ id }, at) => {
    bytes += sizeOf.get(id)?.bytes ?? 0
    return at > 0 && bytes > MAX_BYTES
  })
  const fitting = end === -1 ? runs : runs.slice(0, end)
  const named = fitting.filter(({ id }) => sizeOf.get(id)?.names_cost)
  const rows =
    named.length === 0
      ? []
      : await analytics.query(
          sql`select id, extra, outputs from runs final where ${whereKeys(tenantId, named)}`,
          PAYLOADS,
        )
  return { runs: fitting, payloads: new Map(rows.map(({ id, ...payloads }) => [id, payloads])) }
}

const CURRENT = columns({ id: text, ...COST_COLUMNS })

/** What runs cost now, by id; deleted runs are absent. */
export async function readCurrentCosts(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunCosts>> {
  const rows = await analytics.query(
    sql`
      select id, ${literal(Object.keys(COST_COLUMNS).join(', '))}
      from runs final
      where tenant_id = ${uuid(tenantId)} and (session_id, start_time, id) in (
        select session_id, start_time, id from run_keys final
        where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)})`,
    CURRENT,
  )
  return new Map(rows.map(({ id, ...costs }) => [id, costs]))
}

function whereKeys(tenantId: string, runs: readonly PricedRun[]): Fragment {
  const sessions = uuids(runs.map(({ session_id }) => session_id))
  const starts = times(runs.map(({ start_time }) => printedTime(start_time)))
  return sql`tenant_id = ${uuid(tenantId)}
        and (session_id, start_time, id) in arrayZip(${sessions}, ${starts}, ${uuids(runs.map(({ id }) => id))})`
}
