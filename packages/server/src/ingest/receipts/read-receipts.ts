import {
  ApiError,
  contract,
  parseUuid,
  RECEIPT_HOURS,
  ReceiptItem,
  type RequestReceipt,
  type RequestReceiptList,
  type TraceWhereabouts,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { selectProjectNames } from '../../features/projects/index.ts'
import { type App, serve } from '../../http/serve.ts'
import type { Problems } from '../../outcome.ts'
import { idIn, padSpanId } from '../../storage/analytics/run-aliases.ts'
import { all, type Fragment, literal, printedTime, sql, texts, time, uint, uuid } from '../../storage/analytics/sql.ts'
import { apiKeys } from '../../storage/relational/tables/accounts.ts'
import { columns, count, list, nullable, number, type RowOf, text as textColumn } from '../../storage/rows.ts'
import { listRefused, retryRefused } from '../commit/index.ts'
import type { IngestItem } from '../ingest-item.ts'
import type { Receipts } from './record-receipts.ts'

/** Stores items as if they had just been sent. */
type SubmitItems = (items: readonly IngestItem[]) => Promise<Problems<IngestItem>>

type ReadDeps = Pick<Deps, 'analytics' | 'relational' | 'clock' | 'config'> & { readonly receipts: Receipts }

const RECEIPT_ROW = columns({
  id: textColumn,
  received_at: textColumn,
  route: textColumn,
  status: number,
  sender: nullable(textColumn),
  api_key_id: nullable(textColumn),
  user_agent: textColumn,
  sdk: textColumn,
  sampling_rate: nullable(number),
  projects: list(textColumn),
  accepted: number,
  rejected: number,
  warnings: number,
  error: textColumn,
  items: textColumn,
})
const RECEIPT_COLUMNS = literal(
  'id, received_at, route, status, sender, api_key_id, user_agent, sdk, sampling_rate, projects, accepted, rejected, warnings, error, items',
)

/** Lookups of receipts. They see requests that were answered before. */
export function receiptRoutes(app: App, deps: ReadDeps & { readonly submit: SubmitItems }): void {
  serve(app, contract.ingestReceipts.list, ({ caller, query }) => listReceipts(deps, caller.tenantId, query))
  serve(app, contract.ingestReceipts.where, ({ caller, params }) => findTrace(deps, caller.tenantId, params.id))
  serve(app, contract.ingestReceipts.listRefused, ({ caller }) => listRefused(deps, caller.tenantId))
  serve(app, contract.ingestReceipts.retryRefused, ({ caller }) => retryRefused(deps, caller.tenantId))
}

type ListQuery = z.output<typeof contract.ingestReceipts.list.query>

async function listReceipts(deps: ReadDeps, tenantId: string, query: ListQuery): Promise<RequestReceiptList> {
  // Receipts are also added when acknowledged items are stored.
  await deps.analytics.settled?.(tenantId)
  await deps.receipts.flush()
  const matches = await compileQuery(deps, tenantId, query)
  const rows = await deps.analytics.query(
    sql`select ${RECEIPT_COLUMNS} from ingest_receipts final
      where ${matches} and ${afterCursor(query.cursor)}
      order by received_at desc, id desc
      limit ${uint(query.limit + 1)}`,
    RECEIPT_ROW,
  )
  const [total] = await deps.analytics.query(
    sql`select toUInt64(sum(rejected)) as n from ingest_receipts final where ${matches}`,
    columns({ n: count }),
  )
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  return {
    receipts: await presentReceipts(deps, tenantId, page),
    rejected_total: total?.n ?? 0,
    next_cursor: last !== undefined && rows.length > page.length ? `${printedTime(last.received_at)}~${last.id}` : null,
  }
}

async function compileQuery(deps: ReadDeps, tenantId: string, query: ListQuery): Promise<Fragment> {
  const conditions = [sql`tenant_id = ${uuid(tenantId)}`, isRecent(deps, query.minutes)]
  if (query.id !== undefined) conditions.push(namesId(query.id))
  if (query.project !== undefined) {
    const names = await selectProjectNames(deps.relational.db, tenantId, [query.project])
    conditions.push(sql`hasAny(projects, ${texts([query.project, ...names])})`)
  }
  if (query.api_key !== undefined) conditions.push(sql`api_key_id = ${uuid(query.api_key)}`)
  if (query.outcome !== undefined) conditions.push(OUTCOMES[query.outcome])
  return all(conditions)
}

const OUTCOMES = {
  accepted: literal('accepted > 0'),
  rejected: literal('rejected > 0'),
  warning: literal('warnings > 0'),
} as const

/** The store removes expired rows some time after they expire. */
const isRecent = ({ clock }: Pick<Deps, 'clock'>, minutes: number) =>
  sql`received_at > ${time(timeOfEpochMs(clock() - minutes * 60_000))}`

/** UUIDs are found in every notation, spans also by the 16 hex digits of their id. */
const namesId = (id: string) =>
  sql`hasAny(ids, ${texts([...new Set([id.toLowerCase(), readId(id) ?? ''])].filter(Boolean))})`

const readId = (given: string) => (/^[0-9a-f]{16}$/i.test(given) ? padSpanId(given.toLowerCase()) : parseUuid(given))

function afterCursor(cursor: string | undefined): Fragment {
  if (cursor === undefined) return literal('true')
  const [at = '', id = ''] = cursor.split('~')
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(at) || parseUuid(id) === undefined) {
    throw new ApiError('INVALID_REQUEST', 'The cursor is not one that this list returned.')
  }
  return sql`(received_at, id) < (${time(at)}, ${uuid(id)})`
}

/** The secret of a key is not stored; its first and last characters are shown while it is valid. */
async function presentReceipts(
  { relational }: ReadDeps,
  tenantId: string,
  rows: readonly RowOf<typeof RECEIPT_ROW>[],
): Promise<RequestReceipt[]> {
  const ids = [...new Set(rows.flatMap(({ api_key_id }) => api_key_id ?? []))]
  const keys =
    ids.length === 0
      ? []
      : await relational.db
          .select({ id: apiKeys.id, short_key: apiKeys.short_key })
          .from(apiKeys)
          .where(and(eq(apiKeys.tenant_id, tenantId), inArray(apiKeys.id, ids), isNull(apiKeys.revoked_at)))
  const shortKeys = new Map(keys.map((key) => [key.id, key.short_key]))
  return rows.map((row) => ({
    ...row,
    received_at: printedTime(row.received_at),
    short_key: shortKeys.get(row.api_key_id ?? '') ?? null,
    projects: [...row.projects],
    items: z.array(ReceiptItem).parse(JSON.parse(row.items)),
  }))
}

const NAMED_RECEIPTS = 20

/** What is stored is always found, with or without a receipt. */
async function findTrace(deps: ReadDeps, tenantId: string, id: string): Promise<TraceWhereabouts> {
  await deps.receipts.flush()
  const stored = await findStored(deps, tenantId, id)
  const rows = await deps.analytics.query(
    sql`select ${RECEIPT_COLUMNS} from ingest_receipts final
      where tenant_id = ${uuid(tenantId)} and ${isRecent(deps, RECEIPT_HOURS * 60)} and ${namesId(id)}
      order by received_at desc, id desc
      limit ${uint(NAMED_RECEIPTS)}`,
    RECEIPT_ROW,
  )
  const rates = await deps.analytics.query(
    sql`select distinct sampling_rate from ingest_receipts
      where tenant_id = ${uuid(tenantId)} and ${isRecent(deps, RECEIPT_HOURS * 60)} and sampling_rate < 1
      order by sampling_rate
      limit 20`,
    columns({ sampling_rate: number }),
  )
  const isRejected = rows.some(({ rejected }) => rejected > 0)
  return {
    id,
    outcome: stored ? 'stored' : isRejected ? 'rejected' : 'unknown',
    stored: stored ?? null,
    receipts: await presentReceipts(deps, tenantId, rows),
    sampling_rates: rates.map(({ sampling_rate }) => sampling_rate),
  }
}

const STORED_ROW = columns({ run_id: textColumn, trace_id: textColumn, session_id: textColumn, start_time: textColumn })

async function findStored(
  { analytics }: ReadDeps,
  tenantId: string,
  given: string,
): Promise<TraceWhereabouts['stored'] | undefined> {
  const id = readId(given)
  if (id === undefined) return undefined
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const [run] = await analytics.query(
    sql`select id as run_id, trace_id, session_id, start_time from run_keys final
      where ${tenant} and ${idIn(tenantId, [id])}
      order by start_time desc limit 1`,
    STORED_ROW,
  )
  const [first] =
    run !== undefined
      ? [run]
      : await analytics.query(
          sql`select id as run_id, trace_id, session_id, start_time from trace_runs final
            where ${tenant} and trace_id = ${uuid(id)}
            order by start_time limit 1`,
          STORED_ROW,
        )
  return first && { ...first, start_time: printedTime(first.start_time) }
}

/** Deletes the receipts that name one of the projects. Requests that also wrote to other projects lose theirs too. */
export async function deleteReceiptsOfProjects(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  namesAndIds: readonly string[],
): Promise<void> {
  await analytics.command(
    sql`delete from ingest_receipts where tenant_id = ${uuid(tenantId)} and hasAny(projects, ${texts(namesAndIds)})`,
  )
}
