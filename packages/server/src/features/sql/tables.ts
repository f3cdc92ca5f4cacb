import { SQL_TABLES, type SqlTable } from '@touchstone/contract'
import { microsBetween } from '../../storage/analytics/durations.ts'
import { printFilters } from '../../storage/analytics/wrappers.ts'

/** SQL of each column of an exposed table, computed from a row `r` of the store. */
type Columns<Name extends SqlTable> = Readonly<Record<keyof (typeof SQL_TABLES)[Name], string>>

const nullIfEmpty = (column: string) => `nullIf(toString(r.${column}), '')`
const toCost = (column: string) => `toFloat64(r.${column})`
const SECOND = 1e6

const RUNS: Columns<'runs'> = {
  id: 'r.id',
  trace_id: 'r.trace_id',
  parent_run_id: 'r.parent_run_id',
  project_id: 'r.session_id',
  name: 'r.name',
  run_type: 'toString(r.run_type)',
  status: 'toString(r.status)',
  is_root: 'toBool(r.parent_run_id is null)',
  start_time: 'r.start_time',
  end_time: 'r.end_time',
  first_token_time: 'r.first_token_time',
  latency_seconds: `${microsBetween('r.start_time', 'r.end_time')} / ${SECOND}`,
  first_token_seconds: `${microsBetween('r.start_time', 'r.first_token_time')} / ${SECOND}`,
  error: nullIfEmpty('error'),
  inputs: nullIfEmpty('inputs'),
  outputs: nullIfEmpty('outputs'),
  extra: nullIfEmpty('extra'),
  inputs_preview: nullIfEmpty('inputs_preview'),
  outputs_preview: nullIfEmpty('outputs_preview'),
  // Texts are stored with a leading quote, see `flattened`.
  metadata: `mapFromArrays(r.metadata.key, arrayMap(v -> if(startsWith(v, '"'), substring(v, 2), v), r.metadata.value))`,
  tags: 'r.tags',
  thread_id: nullIfEmpty('thread_id'),
  reference_example_id: 'r.reference_example_id',
  model: nullIfEmpty('model'),
  provider: nullIfEmpty('provider'),
  prompt_tokens: 'r.prompt_tokens',
  completion_tokens: 'r.completion_tokens',
  total_tokens: 'r.total_tokens',
  prompt_cost: toCost('prompt_cost'),
  completion_cost: toCost('completion_cost'),
  total_cost: toCost('total_cost'),
  reported_cost: 'toFloat64(if(r.price_model_id is null, r.total_cost, null))',
  unpriced_fees: 'toInt64(r.has_fees and r.price_model_id is not null)',
}

const NIL = "toUUID('00000000-0000-0000-0000-000000000000')"

const FEEDBACK: Columns<'feedback'> = {
  id: 'r.id',
  run_id: `nullIf(r.run_id, ${NIL})`,
  trace_id: 'r.trace_id',
  project_id: 'r.session_id',
  key: 'r.key',
  score: 'r.score',
  value: nullIfEmpty('label'),
  comment: 'r.comment',
  source: 'toString(r.source_type)',
  is_error: 'toBool(r.error)',
  run_start_time: 'r.start_time',
  created_at: 'r.created_at',
  modified_at: 'r.modified_at',
}

/** Tables of the store behind the exposed ones. */
const SOURCES: Readonly<
  Record<SqlTable, { readonly table: string; readonly columns: Readonly<Record<string, string>> }>
> = {
  runs: { table: 'runs', columns: RUNS },
  feedback: { table: 'run_feedback', columns: FEEDBACK },
}

export function findTable(name: string): SqlTable | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(SOURCES, key) ? (key as SqlTable) : undefined
}

/** The table of the store behind an exposed one. */
export const storedTable = (name: SqlTable): string => SOURCES[name].table

/** Whether a column contains times, which are compared with ISO 8601 texts. */
export function isTimeColumn(name: string): boolean {
  return Object.values(SQL_TABLES).some(
    (columns) => (columns as Record<string, { type: string }>)[name]?.type === 'timestamp',
  )
}

export function listColumns(table: SqlTable): readonly string[] {
  return Object.keys(SQL_TABLES[table])
}

/**
 * A subquery with the documented columns of the rows that the caller may read, limited by the parameters `tenant` and
 * `projects`. Columns of the store are qualified, so that no alias of the statement can replace one.
 *
 * @param bounds  conditions on `start_time` of a run, as SQL that follows the column
 */
export function printScopedTable(name: SqlTable, bounds: readonly string[] = []): string {
  const { table, columns } = SOURCES[name]
  const list = Object.entries(columns).map(([column, from]) => `${from} as \`${column}\``)
  const conditions = [
    'r.tenant_id = {tenant:UUID}',
    'r.session_id in {projects:Array(UUID)}',
    ...bounds.map((bound) => `r.start_time ${bound}`),
  ]
  return `(select ${list.join(', ')} from ${table} as r final where ${conditions.join(' and ')})`
}

/** The other tables of the store, which cannot be read. */
const CLOSED = [
  'run_keys',
  'trace_runs',
  'run_attachments',
  'run_aliases',
  'run_links',
  'feedback',
  'feedback_keys',
  'project_roots',
  'project_usage',
  'migrations',
  'ingest_receipts',
  'rule_decisions',
  'alert_points',
]

/**
 * Value of the engine's setting `additional_table_filters`: applies the same limits again to all tables of the statement,
 * so that an error in the rewriting exposes nothing.
 *
 * @param tenantId, projectIds  UUIDs, which become part of the text
 * @param visible  another condition on feedback, as SQL
 */
export function printTableFilters(tenantId: string, projectIds: readonly string[], visible?: string): string {
  const projects = projectIds.map((id) => `toUUID('${id}')`).join(', ')
  const own = `tenant_id = toUUID('${tenantId}') and session_id in (${projects})`
  const filters: Record<string, string> = {
    ...Object.fromEntries(CLOSED.map((table) => [table, '0'])),
    runs: own,
    run_feedback: visible === undefined ? own : `${own} and ${visible}`,
  }
  return printFilters(Object.entries(filters))
}
