import { type ModelUsage, type ModelUsageReport, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { REPORTED_COST } from '../../storage/analytics/migrations/0039-reported-costs.ts'
import { UNPRICED_FEES } from '../../storage/analytics/migrations/0043-unpriced-fees.ts'
import { addDecimals, literal, sql, time, uuid } from '../../storage/analytics/sql.ts'
import { columns, count, each, nullable, type RowOf, text } from '../../storage/rows.ts'
import { selectProjectsById } from './store.ts'

const DAY_MS = 86_400_000

const ROW = columns({
  ...each(['model', 'provider', 'session_id'], text),
  ...each(['runs', 'prompt', 'completion', 'total', 'unpriced', 'fees'], count),
  /** Decimal text. */
  cost: nullable(text),
  reported: nullable(text),
})

type Row = RowOf<typeof ROW>

/**
 * Tokens and costs of the last days by model and project. Like the usage report, it omits llm runs whose direct child
 * reports usage, because both report the same tokens.
 *
 * @param projectId  restricts the report to one project
 */
export async function readModelUsage(
  deps: Pick<Deps, 'relational' | 'analytics' | 'clock'>,
  tenantId: string,
  { days, projectId }: { readonly days: number; readonly projectId: string | undefined },
): Promise<ModelUsageReport> {
  const since = timeOfEpochMs((Math.floor(deps.clock() / DAY_MS) - (days - 1)) * DAY_MS)
  const ofProject = projectId === undefined ? literal('') : sql` and session_id = ${uuid(projectId)}`
  const wanted = sql`tenant_id = ${uuid(tenantId)}${ofProject} and start_time >= ${time(since)}`
  const rows = await deps.analytics.query(
    sql`
    select model, provider, session_id, count() as runs, sum(ifNull(prompt_tokens, 0)) as prompt,
      sum(ifNull(completion_tokens, 0)) as completion, sum(ifNull(total_tokens, 0)) as total,
      toString(sum(total_cost)) as cost, toString(sum(${literal(REPORTED_COST)})) as reported,
      countIf(total_cost is null and total_tokens > 0) as unpriced, count(${literal(UNPRICED_FEES)}) as fees
    from runs final
    where ${wanted} and (total_tokens is not null or total_cost is not null)
      and not (run_type = 'llm' and id in (
        select assumeNotNull(parent_run_id) from project_usage final
        where ${wanted} and parent_run_id is not null and total_tokens is not null))
    group by model, provider, session_id`,
    ROW,
  )
  const names = await selectProjectsById(deps, tenantId, [...new Set(rows.map((row) => row.session_id))])
  const byModel = new Map<string, Row[]>()
  for (const row of rows) {
    const key = `${row.provider}\n${row.model}`
    const ofModel = byModel.get(key)
    if (ofModel === undefined) byModel.set(key, [row])
    else ofModel.push(row)
  }
  const models = Array.from(byModel.values(), (ofModel) => presentModel(ofModel, (id) => names.get(id)?.name ?? ''))
  return { since, models: models.sort(compareUsage) }
}

function presentModel(rows: readonly Row[], nameOf: (projectId: string) => string): ModelUsage {
  const [first] = rows
  return {
    model: first?.model || null,
    provider: first?.provider || null,
    ...addRows(rows),
    projects: rows
      .map((row) => ({ session_id: row.session_id, session_name: nameOf(row.session_id), ...addRows([row]) }))
      .sort((one, other) => other.total_tokens - one.total_tokens),
  }
}

/** Adds rows; costs are added exactly. */
function addRows(rows: readonly Row[]) {
  const sum = (field: 'runs' | 'prompt' | 'completion' | 'total' | 'unpriced' | 'fees') =>
    rows.reduce((total, row) => total + row[field], 0)
  return {
    run_count: sum('runs'),
    prompt_tokens: sum('prompt'),
    completion_tokens: sum('completion'),
    total_tokens: sum('total'),
    total_cost: addDecimals(rows.map((row) => row.cost)),
    reported_cost: addDecimals(rows.map((row) => row.reported)),
    unpriced_run_count: sum('unpriced'),
    unpriced_fees: sum('fees') || null,
  }
}

function compareUsage(one: ModelUsage, other: ModelUsage): number {
  const byCost = Number(other.total_cost ?? 0) - Number(one.total_cost ?? 0)
  return byCost === 0 ? other.total_tokens - one.total_tokens : byCost
}
