import { lowerRole } from '@touchstone/contract'
import { and, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type ApiKeyRow, apiKeys } from '../../../storage/relational/tables/accounts.ts'
import { memberships, people, recordSetUp } from '../index.ts'

export async function insertKey(db: Database, row: ApiKeyRow): Promise<void> {
  await db.insert(apiKeys).values(row)
  await recordSetUp(db)
}

/** A key with its current role. */
export interface CurrentKey extends ApiKeyRow {
  /**
   * Whether it may use the routes of server administrators: it has the role `admin`, and belongs to a server
   * administrator or was created on the machine itself, by the open server or the command line.
   */
  readonly isServerAdmin: boolean
}

/** Keys that were not revoked, including expired ones; newest first. */
export function selectKeys(db: Database, tenantId: string): Promise<CurrentKey[]> {
  return selectWhere(db, eq(apiKeys.tenant_id, tenantId))
}

/** Number of keys that were not revoked. */
export async function countApiKeys(db: Database, tenantId: string): Promise<number> {
  return (await selectKeys(db, tenantId)).length
}

export async function selectKey(db: Database, tenantId: string, id: string): Promise<CurrentKey | undefined> {
  const [row] = await selectWhere(db, and(eq(apiKeys.tenant_id, tenantId), eq(apiKeys.id, id)))
  return row
}

export async function selectKeyByHash(db: Database, hash: string): Promise<CurrentKey | undefined> {
  const [row] = await selectWhere(db, eq(apiKeys.hash, hash))
  return row
}

/**
 * Keys with their current role. A key of a person has at most the person's current role in its workspace, and is
 * invalid without one.
 */
async function selectWhere(db: Database, which: SQL | undefined): Promise<CurrentKey[]> {
  const found = await db
    .select({ key: apiKeys, personRole: memberships.role, isOfServerAdmin: people.is_server_admin })
    .from(apiKeys)
    .leftJoin(
      memberships,
      and(
        eq(memberships.person_id, apiKeys.person_id),
        eq(memberships.tenant_id, apiKeys.tenant_id),
        isNull(memberships.removed_at),
      ),
    )
    .leftJoin(people, eq(people.id, memberships.person_id))
    .where(and(which, isNull(apiKeys.revoked_at)))
    .orderBy(desc(apiKeys.created_at), desc(apiKeys.id))
  return found.flatMap(({ key, personRole, isOfServerAdmin }) => {
    if (key.person_id === null) {
      // A key that a removed person left behind, or that was made with another key, has a `created_by`.
      return [{ ...key, isServerAdmin: key.role === 'admin' && key.created_by === null }]
    }
    if (personRole === null) return []
    const role = lowerRole(key.role, personRole)
    return [{ ...key, role, isServerAdmin: role === 'admin' && isOfServerAdmin === true }]
  })
}

/** Whether a key exists that was neither revoked nor has expired. */
export async function existsValidKey(db: Database, now: string): Promise<boolean> {
  return (await selectWhere(db, or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, now)))).length > 0
}

/** Revokes a key, all keys that were made with it, and those made with them. */
export async function markRevoked(tx: Database, tenantId: string, id: string, at: string): Promise<void> {
  await tx.execute(sql`
    with recursive family as (
      select id from api_keys where tenant_id = ${tenantId} and id = ${id}
      union
      select k.id from api_keys k join family f on k.created_by = f.id where k.tenant_id = ${tenantId}
    )
    update api_keys set revoked_at = ${at} where id in (select id from family) and revoked_at is null`)
}

export async function markUsed(db: Database, id: string, at: string): Promise<void> {
  await db
    .update(apiKeys)
    .set({ last_used_at: sql`greatest(${apiKeys.last_used_at}, ${at})` })
    .where(eq(apiKeys.id, id))
}
