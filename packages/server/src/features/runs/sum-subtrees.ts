import type { Deps } from '../../deps.ts'
import { sql, texts, uuid, uuids } from '../../storage/analytics/sql.ts'

/** Tokens and costs of a run and everything below it. Costs are decimal text, null when no price was known. */
export interface SubtreeTotals {
  readonly total_tokens: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_token_details: Readonly<Record<string, number>>
  readonly completion_token_details: Readonly<Record<string, number>>
  readonly total_cost: string | null
  readonly prompt_cost: string | null
  readonly completion_cost: string | null
  readonly prompt_cost_details: Readonly<Record<string, string>>
  readonly completion_cost_details: Readonly<Record<string, string>>
}

interface Root {
  readonly id: string
  readonly trace_id: string
  readonly parent_run_id: string | null
  readonly dotted_order: string
}

/**
 * Sums usage below each of the given runs, in one query over the narrow table that keeps traces together. An llm run
 * whose direct child reports usage of its own only repeats it, and is not counted.
 *
 * @param runs  a page at most
 * @returns totals by run id; absent where nothing below a run has usage
 */
export async function sumSubtrees(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runs: readonly Root[],
): Promise<Map<string, SubtreeTotals>> {
  if (runs.length === 0) return new Map()
  const traces = uuids([...new Set(runs.map((run) => run.trace_id))])
  const ids = uuids(runs.map((run) => run.id))
  const traceOf = uuids(runs.map((run) => run.trace_id))
  // The path of a root is empty here: it fits every run of the trace, also those whose own path is not below it.
  const paths = texts(
    runs.map((run) => (run.parent_run_id === null && run.id === run.trace_id ? '' : run.dotted_order)),
  )
  const rows = await analytics.query<TotalsRow>(sql`
    with usage as (
      select id, trace_id, parent_run_id, run_type, dotted_order,
        prompt_tokens, completion_tokens, total_tokens, prompt_token_details, completion_token_details,
        prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details
      from trace_runs final
      where tenant_id = ${uuid(tenantId)} and trace_id in ${traces}
        and (total_tokens is not null or total_cost is not null)
    )
    select top.1 as id,
      sum(total_tokens) as total_tokens, sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens,
      sumMap(prompt_token_details) as prompt_token_details,
      sumMap(completion_token_details) as completion_token_details,
      sum(total_cost) as total_cost, sum(prompt_cost) as prompt_cost, sum(completion_cost) as completion_cost,
      sumMap(prompt_cost_details) as prompt_cost_details,
      sumMap(completion_cost_details) as completion_cost_details
    from usage
    inner join (select arrayJoin(arrayZip(${ids}, ${traceOf}, ${paths})) as top, top.2 as trace_id) as tops using (trace_id)
    where (top.3 = '' or dotted_order = top.3 or startsWith(dotted_order, concat(top.3, '.')))
      and not (run_type = 'llm' and id in (
        select assumeNotNull(parent_run_id) from usage where parent_run_id is not null and total_tokens is not null))
    group by id`)
  return new Map(rows.map((row) => [row.id, presentTotals(row)]))
}

type TotalsRow = { readonly id: string } & {
  readonly [Field in keyof SubtreeTotals]: SubtreeTotals[Field] extends string | null
    ? string | null
    : SubtreeTotals[Field] extends number
      ? string | null
      : Readonly<Record<string, string>>
}

function presentTotals(row: TotalsRow): SubtreeTotals {
  return {
    total_tokens: Number(row.total_tokens ?? 0),
    prompt_tokens: Number(row.prompt_tokens ?? 0),
    completion_tokens: Number(row.completion_tokens ?? 0),
    prompt_token_details: numbers(row.prompt_token_details),
    completion_token_details: numbers(row.completion_token_details),
    total_cost: row.total_cost,
    prompt_cost: row.prompt_cost,
    completion_cost: row.completion_cost,
    prompt_cost_details: row.prompt_cost_details,
    completion_cost_details: row.completion_cost_details,
  }
}

function numbers(counts: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Number(count)]))
}
