import type { Deps } from '../../deps.ts'
import { literal, sql, texts, uuid, uuids } from '../../storage/analytics/sql.ts'

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
 * @param runs    a page at most
 * @param fields  wire fields that were selected; columns of others are not read
 * @returns totals by run id; absent where nothing below a run has usage
 */
export async function sumSubtrees(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runs: readonly Root[],
  fields: ReadonlySet<string>,
): Promise<Map<string, SubtreeTotals>> {
  const columns = USAGE_COLUMNS.filter((column) => fields.has(column))
  if (runs.length === 0 || columns.length === 0) return new Map()
  const ids = uuids(runs.map((run) => run.id))
  const traceOf = uuids(runs.map((run) => run.trace_id))
  // The path of a root is empty here: it fits every run of the trace, also those whose own path is not below it.
  const paths = texts(runs.map((run) => (run.id === run.trace_id ? '' : run.dotted_order)))
  // The table is read once: a second read for the repeated runs, or a join, would cost as much again as all of this.
  const rows = await analytics.query<TotalsRow>(sql`
    select wanted.1 as id, ${literal(columns.map(sumOf).join(', '))}
    from (
      select repeated, arrayJoin(used) as run,
        arrayJoin(arrayFilter(one -> one.2 = trace_id, arrayZip(${ids}, ${traceOf}, ${paths}))) as wanted
      from (
        select trace_id,
          groupArray((id, dotted_order, ${literal(columns.join(', '))})) as used,
          arrayIntersect(
            groupArrayIf(id, run_type = 'llm'),
            groupArrayIf(assumeNotNull(parent_run_id), parent_run_id is not null and total_tokens is not null)
          ) as repeated
        from trace_runs final
        where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids([...new Set(runs.map((run) => run.trace_id))])}
          and (total_tokens is not null or total_cost is not null)
        group by trace_id
      )
    )
    where not has(repeated, run.1)
      and (wanted.3 = '' or run.2 = wanted.3 or startsWith(run.2, concat(wanted.3, '.')))
    group by id`)
  return new Map(rows.map((row) => [row.id, presentTotals(row)]))
}

/** Whether any of the fields needs the sums. */
export function wantsTotals(fields: ReadonlySet<string>): boolean {
  return USAGE_COLUMNS.some((column) => fields.has(column))
}

const USAGE_COLUMNS = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'prompt_token_details',
  'completion_token_details',
  'total_cost',
  'prompt_cost',
  'completion_cost',
  'prompt_cost_details',
  'completion_cost_details',
] as const satisfies readonly (keyof SubtreeTotals)[]

/** Column `at` of the selected ones stands after the id and the path in its tuple. */
function sumOf(column: string, at: number): string {
  return `${column.endsWith('_details') ? 'sumMap' : 'sum'}(run.${at + 3}) as ${column}`
}

type TotalsRow = { readonly id: string } & {
  readonly [Field in keyof SubtreeTotals]?: SubtreeTotals[Field] extends string | number | null
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
    total_cost: row.total_cost ?? null,
    prompt_cost: row.prompt_cost ?? null,
    completion_cost: row.completion_cost ?? null,
    prompt_cost_details: row.prompt_cost_details ?? {},
    completion_cost_details: row.completion_cost_details ?? {},
  }
}

function numbers(counts: Readonly<Record<string, string>> = {}): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Number(count)]))
}
