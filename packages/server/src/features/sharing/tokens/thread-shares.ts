import { randomUUID } from 'node:crypto'
import { parseUuid, timeOfEpochMs } from '@touchstone/contract'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type ThreadShareRow, threadShares } from '../../../storage/relational/tables/sharing.ts'

type Rows = Pick<Deps, 'relational'>

/** A thread of a project; its id is any text. */
export interface ThreadKey {
  readonly projectId: string
  readonly threadId: string
}

/** The token of a thread. One that is shared keeps its token, so that links handed out stay good. */
export async function shareThread(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
  { projectId, threadId }: ThreadKey,
): Promise<string> {
  const [row] = await relational.db
    .insert(threadShares)
    .values({
      tenant_id: tenantId,
      session_id: projectId,
      thread_id: threadId,
      share_token: randomUUID(), // all that stands between the public and the thread: it must not be guessable
      created_at: timeOfEpochMs(clock()),
    })
    .onConflictDoUpdate({
      target: [threadShares.tenant_id, threadShares.session_id, threadShares.thread_id],
      set: { thread_id: threadId },
    })
    .returning()
  return row!.share_token
}

export async function threadTokenOf(
  { relational }: Rows,
  tenantId: string,
  key: ThreadKey,
): Promise<string | undefined> {
  const [row] = await relational.db.select().from(threadShares).where(isThread(tenantId, key))
  return row?.share_token
}

export async function unshareThread({ relational }: Rows, tenantId: string, key: ThreadKey): Promise<void> {
  await relational.db.delete(threadShares).where(isThread(tenantId, key))
}

/** Across workspaces: a public reader brings nothing but the token. */
export async function findThreadShare({ relational }: Rows, token: string): Promise<ThreadShareRow | undefined> {
  const parsed = parseUuid(token)
  if (parsed === undefined) return undefined
  const [row] = await relational.db.select().from(threadShares).where(eq(threadShares.share_token, parsed))
  return row
}

/** Every shared thread of a workspace, newest first. */
export function selectThreadShares({ relational }: Rows, tenantId: string): Promise<ThreadShareRow[]> {
  return relational.db
    .select()
    .from(threadShares)
    .where(eq(threadShares.tenant_id, tenantId))
    .orderBy(desc(threadShares.created_at), desc(threadShares.share_token))
}

/** @param tokens  absent: all of the workspace */
export async function revokeThreadTokens(
  { relational }: Rows,
  tenantId: string,
  tokens?: readonly string[],
): Promise<void> {
  const ofTokens = tokens && inArray(threadShares.share_token, [...tokens])
  await relational.db.delete(threadShares).where(and(eq(threadShares.tenant_id, tenantId), ofTokens))
}

/** @returns how many tokens there were */
export async function revokeThreadsOfProjects(
  db: Database,
  tenantId: string,
  projectIds: readonly string[],
): Promise<number> {
  const ofProjects = inArray(threadShares.session_id, [...projectIds])
  const mine = and(eq(threadShares.tenant_id, tenantId), ofProjects)
  return (await db.delete(threadShares).where(mine).returning({ thread_id: threadShares.thread_id })).length
}

function isThread(tenantId: string, { projectId, threadId }: ThreadKey) {
  return and(
    eq(threadShares.tenant_id, tenantId),
    eq(threadShares.session_id, projectId),
    eq(threadShares.thread_id, threadId),
  )
}
