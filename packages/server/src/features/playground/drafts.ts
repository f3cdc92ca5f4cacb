import { ApiError, type PlaygroundDraft, type PlaygroundDraftDetail, timeOfEpochMs } from '@touchstone/contract'
import { and, count, desc, eq, getTableColumns } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { type PlaygroundDraftRow, playgroundDrafts } from '../../storage/relational/tables/playground.ts'

type DraftDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** Most drafts of a workspace. */
const MAX_DRAFTS = 1000

const { body: _body, ...listed } = getTableColumns(playgroundDrafts)
const isDraft = (tenantId: string, id: string) =>
  and(eq(playgroundDrafts.tenant_id, tenantId), eq(playgroundDrafts.id, id))

export async function listDrafts(
  { relational }: DraftDeps,
  tenantId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ drafts: PlaygroundDraft[]; total: number }> {
  const mine = eq(playgroundDrafts.tenant_id, tenantId)
  const [counted] = await relational.db.select({ total: count() }).from(playgroundDrafts).where(mine)
  const rows = await relational.db
    .select(listed)
    .from(playgroundDrafts)
    .where(mine)
    .orderBy(desc(playgroundDrafts.updated_at), desc(playgroundDrafts.id))
    .offset(offset)
    .limit(limit)
  return { drafts: rows.map(presentDraft), total: counted?.total ?? 0 }
}

/** @param bodyText  raw JSON of the draft */
export async function createDraft(
  { relational, clock, ids }: DraftDeps,
  { tenantId, actorName }: Caller,
  { name, bodyText }: { readonly name: string; readonly bodyText: string },
): Promise<PlaygroundDraftDetail> {
  const { total } = await listDrafts({ relational, clock, ids }, tenantId, { offset: 0, limit: 0 })
  if (total >= MAX_DRAFTS) {
    throw new ApiError('INVALID_REQUEST', `A workspace has at most ${MAX_DRAFTS} drafts. Delete one first.`)
  }
  const now = timeOfEpochMs(clock())
  const row: PlaygroundDraftRow = {
    id: ids(),
    tenant_id: tenantId,
    name,
    body: bodyText,
    version: 1,
    created_at: now,
    created_by_name: actorName ?? null,
    updated_at: now,
    updated_by_name: actorName ?? null,
  }
  await relational.db.insert(playgroundDrafts).values(row)
  return presentDraftDetail(row)
}

/** @throws ApiError NOT_FOUND */
export async function readDraft(
  { relational }: DraftDeps,
  tenantId: string,
  id: string,
): Promise<PlaygroundDraftDetail> {
  const [row] = await relational.db.select().from(playgroundDrafts).where(isDraft(tenantId, id))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Draft not found')
  return presentDraftDetail(row)
}

export interface DraftChange {
  readonly name: string | undefined
  readonly bodyText: string | undefined
  readonly expectedVersion: number
}

/** @throws ApiError NOT_FOUND; CONFLICT when the draft has another version */
export async function updateDraft(
  deps: DraftDeps,
  { tenantId, actorName }: Caller,
  id: string,
  { name, bodyText, expectedVersion }: DraftChange,
): Promise<PlaygroundDraft> {
  const { db } = deps.relational
  const [row] = await db
    .update(playgroundDrafts)
    .set({
      ...(name !== undefined && { name }),
      ...(bodyText !== undefined && { body: bodyText }),
      version: expectedVersion + 1,
      updated_at: timeOfEpochMs(deps.clock()),
      updated_by_name: actorName ?? null,
    })
    .where(and(isDraft(tenantId, id), eq(playgroundDrafts.version, expectedVersion)))
    .returning(listed)
  if (row !== undefined) return presentDraft(row)
  const [current] = await db.select(listed).from(playgroundDrafts).where(isDraft(tenantId, id))
  if (current === undefined) throw new ApiError('NOT_FOUND', 'Draft not found')
  const author = current.updated_by_name === null ? '' : ` by ${current.updated_by_name}`
  const message = `The draft has version ${current.version}, saved${author} at ${current.updated_at}, not ${expectedVersion}. Read it again, or save a copy.`
  throw new ApiError('CONFLICT', message)
}

/** @throws ApiError NOT_FOUND */
export async function deleteDraft({ relational }: DraftDeps, tenantId: string, id: string): Promise<void> {
  const deleted = await relational.db
    .delete(playgroundDrafts)
    .where(isDraft(tenantId, id))
    .returning({ id: playgroundDrafts.id })
  if (deleted.length === 0) throw new ApiError('NOT_FOUND', 'Draft not found')
}

function presentDraft(row: Omit<PlaygroundDraftRow, 'body'>): PlaygroundDraft {
  const { id, name, version, created_at, created_by_name, updated_at, updated_by_name } = row
  return { id, name, version, created_at, created_by_name, updated_at, updated_by_name }
}

function presentDraftDetail(row: PlaygroundDraftRow): PlaygroundDraftDetail {
  return { ...presentDraft(row), body: JSON.parse(row.body) as Record<string, unknown> }
}
