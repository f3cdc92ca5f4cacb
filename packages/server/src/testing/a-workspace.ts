import { uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { createKey } from '../features/accounts/auth/index.ts'
import { aCaller } from './a-caller.ts'
import type { StartedApp } from './start-app.ts'

export interface AWorkspace {
  readonly tenantId: string
  /** Headers of a key with the role admin. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers of a key that may write, but not manage other members. */
  readonly memberHeaders: Readonly<Record<string, string>>
  /** Headers of a key that may only read. */
  readonly readOnlyHeaders: Readonly<Record<string, string>>
  readonly keyId: string
}

/** A second workspace with keys; from then on the server requires a key. */
export async function aWorkspace(app: StartedApp, handle: string | null = null): Promise<AWorkspace> {
  const tenantId = uuid7()
  await app.deps.relational.db.execute(sql`
    insert into workspaces (id, organization_id, display_name, tenant_handle, created_at)
    values (${tenantId}, ${uuid7()}, ${`Workspace ${handle ?? 'without a handle'}`}, ${handle}, now() + interval '1 day')`)
  const key = await createKey(app.deps, aCaller(tenantId), { description: `key of ${handle ?? 'no handle'}` })
  const reading = await createKey(app.deps, aCaller(tenantId), { description: 'reads', read_only: true })
  const writing = await createKey(app.deps, aCaller(tenantId), { description: 'writes', role: 'member' })
  return {
    tenantId,
    headers: { 'x-api-key': key.key },
    memberHeaders: { 'x-api-key': writing.key },
    readOnlyHeaders: { 'x-api-key': reading.key },
    keyId: key.id,
  }
}
