import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type FeedbackToken,
  type FeedbackTokenCreate,
  type FeedbackTokenUse,
  parseTime,
  parseUuid,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, desc, eq, gt, lt } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type FeedbackTokenRow, feedbackTokens as table } from '../../../storage/relational/tables/feedback.ts'
import { insertMissingConfigs } from '../configs/configs.ts'
import type { NewFeedback } from '../feedback-row.ts'
import { completeChanges, normalizeChanges } from '../normalize-feedback.ts'
import { type SubmitDeps, submit } from '../submit-feedback.ts'

const HOUR_MS = 60 * 60 * 1000
const LIFETIME_MS = 3 * HOUR_MS
/** How long expired tokens are kept, to distinguish them from unknown ones. */
const REMEMBERED_MS = 30 * 24 * HOUR_MS

/** Creates tokens, each for one record of one run and key. The token is a secret of 122 random bits. */
export async function createTokens(
  deps: SubmitDeps,
  tenantId: string,
  requests: readonly FeedbackTokenCreate[],
  origin: string,
): Promise<FeedbackToken[]> {
  const { db } = deps.relational
  const nowMs = deps.clock()
  const rows = requests.map(
    (request): FeedbackTokenRow => ({
      token: randomUUID(),
      tenant_id: tenantId,
      run_id: request.run_id,
      feedback_key: request.feedback_key,
      feedback_id: request.id ?? deps.ids(),
      created_at: timeOfEpochMs(nowMs),
      expires_at: toExpiry(request, nowMs),
    }),
  )
  const configs = requests.flatMap((request) =>
    request.feedback_config == null ? [] : [[request.feedback_key, request.feedback_config] as const],
  )
  await insertMissingConfigs(deps, tenantId, new Map(configs))
  await deleteTokensExpiredBefore(db, timeOfEpochMs(nowMs - REMEMBERED_MS))
  await insertTokens(db, rows)
  return rows.map((row) => presentToken(row, origin))
}

export async function listTokens(
  { relational, clock }: SubmitDeps,
  tenantId: string,
  query: { readonly run_id: string; readonly offset: number; readonly limit: number },
  origin: string,
): Promise<FeedbackToken[]> {
  const { run_id: runId, offset, limit } = query
  const rows = await selectTokens(relational.db, tenantId, { runId, offset, limit, now: timeOfEpochMs(clock()) })
  return rows.map((row) => presentToken(row, origin))
}

/** @throws ApiError NOT_FOUND */
export async function revokeToken({ relational }: SubmitDeps, tenantId: string, text: string): Promise<void> {
  const token = parseUuid(text)
  if (token === undefined || !(await deleteToken(relational.db, tenantId, token))) throw unknownToken()
}

/** @throws ApiError NOT_FOUND for an unknown or revoked token, FORBIDDEN for an expired one */
export async function getToken({ relational, clock }: SubmitDeps, text: string): Promise<FeedbackTokenRow> {
  const token = parseUuid(text)
  const row = token === undefined ? undefined : await selectToken(relational.db, token)
  if (row === undefined) throw unknownToken()
  if (row.expires_at <= timeOfEpochMs(clock())) throw new ApiError('FORBIDDEN', 'This feedback token has expired.')
  return row
}

/**
 * Stores feedback through a token: only for its run and key. A second use changes the same record.
 *
 * @param members  raw JSON of each given field
 * @throws ApiError INVALID_REQUEST without any field: a preview of the link must not create a record
 */
export async function submitByToken(
  deps: SubmitDeps,
  token: FeedbackTokenRow,
  body: FeedbackTokenUse,
  members: ReadonlyMap<string, string>,
): Promise<void> {
  const { tenant_id: tenantId, feedback_key: key } = token
  const said = normalizeGiven(body, members)
  if (Object.keys(said).length === 0) {
    throw new ApiError('INVALID_REQUEST', 'Give a score, value, comment or correction.')
  }
  const metadata = members.get('metadata')
  const source = body.metadata == null ? undefined : { feedback_source: `{"type":"api","metadata":${metadata}}` }
  const changes = { ...(await completeChanges(deps, tenantId, key, said)), ...source }
  await submit(deps, tenantId, { kind: 'merge', row: { ...toBlankFeedback(token), ...changes }, changes })
}

/** Ignores null: only callers with an API key may clear fields. */
function normalizeGiven({ score, value, comment }: FeedbackTokenUse, members: ReadonlyMap<string, string>) {
  const given = new Map([...members].filter(([, text]) => text !== 'null'))
  return normalizeChanges({ score: score ?? undefined, value, comment: comment ?? undefined }, given)
}

function toBlankFeedback(token: FeedbackTokenRow): NewFeedback {
  return {
    id: token.feedback_id,
    run_id: token.run_id,
    key: token.feedback_key,
    session_id: null,
    trace_id: null,
    start_time: null,
    score: null,
    value: '',
    label: '',
    comment: null,
    correction: '',
    feedback_source: '{"type":"api"}',
    source_type: 'api',
    feedback_config: '',
    comparative_experiment_id: null,
    feedback_group_id: null,
    feedback_thread_id: '',
    error: 0,
    extra: '',
    created_at: null,
    modified_at: null,
  }
}

function toExpiry({ expires_at, expires_in }: FeedbackTokenCreate, nowMs: number): string {
  const { days, hours, minutes } = expires_in ?? {}
  const lifetime = expires_in == null ? LIFETIME_MS : ((days ?? 0) * 24 + (hours ?? 0) + (minutes ?? 0) / 60) * HOUR_MS
  const expiry = expires_at ?? parseTime(nowMs + lifetime)
  if (expiry === undefined) throw new ApiError('INVALID_REQUEST', 'expires_in reaches beyond the year 9999')
  if (expiry > timeOfEpochMs(nowMs)) return expiry
  throw new ApiError('INVALID_REQUEST', `${expires_at == null ? 'expires_in' : 'expires_at'} is not in the future`)
}

function presentToken({ token, expires_at, feedback_key }: FeedbackTokenRow, origin: string): FeedbackToken {
  return { id: token, url: `${origin}/api/v1/feedback/tokens/${token}`, expires_at, feedback_key }
}

function unknownToken(): ApiError {
  return new ApiError('NOT_FOUND', 'Feedback token not found')
}

async function insertTokens(db: Database, rows: readonly FeedbackTokenRow[]): Promise<void> {
  if (rows.length > 0) await db.insert(table).values([...rows])
}

/** Selects a token, also an expired one. */
async function selectToken(db: Database, token: string): Promise<FeedbackTokenRow | undefined> {
  const [row] = await db.select().from(table).where(eq(table.token, token))
  return row
}

/** Tokens of a run that are valid at a time, newest first. */
function selectTokens(
  db: Database,
  tenantId: string,
  page: { readonly runId: string; readonly now: string; readonly offset: number; readonly limit: number },
): Promise<FeedbackTokenRow[]> {
  return db
    .select()
    .from(table)
    .where(and(eq(table.tenant_id, tenantId), eq(table.run_id, page.runId), gt(table.expires_at, page.now)))
    .orderBy(desc(table.created_at), desc(table.token))
    .offset(page.offset)
    .limit(page.limit)
}

async function deleteToken(db: Database, tenantId: string, token: string): Promise<boolean> {
  const gone = await db
    .delete(table)
    .where(and(eq(table.tenant_id, tenantId), eq(table.token, token)))
    .returning({ token: table.token })
  return gone.length > 0
}

async function deleteTokensExpiredBefore(db: Database, time: string): Promise<void> {
  await db.delete(table).where(lt(table.expires_at, time))
}
