import { eq, sql } from 'drizzle-orm'
import { toRow } from '../../storage/relational/migrate.ts'
import type { Database, Relational } from '../../storage/relational/port.ts'
import { workspaces } from '../../storage/relational/tables/accounts.ts'
import { ID_ROW } from '../../storage/rows.ts'

/** Ids that nearly every request needs, read once per server. */
export class ServerIds {
  #server: Promise<string> | undefined
  #defaultWorkspace: Promise<string> | undefined

  constructor(private readonly relational: Relational) {}

  /** The permanent id of this server; it distinguishes the cookies of servers on the same host. */
  getServerId(): Promise<string> {
    this.#server ??= selectServerId(this.relational.db).catch((error) => {
      this.#server = undefined
      throw error
    })
    return this.#server
  }

  /** See `selectDefaultWorkspaceId`. */
  getDefaultWorkspaceId(): Promise<string> {
    this.#defaultWorkspace ??= selectDefaultWorkspaceId(this.relational.db).catch((error) => {
      this.#defaultWorkspace = undefined
      throw error
    })
    return this.#defaultWorkspace
  }

  /** Clears the cached default workspace after it was deleted in this process. */
  forget(): void {
    this.#defaultWorkspace = undefined
  }
}

async function selectServerId(db: Database): Promise<string> {
  return toRow(await db.execute(sql`select id from server_identity`), ID_ROW).id
}

/** Id of the default workspace: the first one, or the one that replaced it. Local requests without `X-Tenant-Id` use it. */
export async function selectDefaultWorkspaceId(db: Database): Promise<string> {
  const [found] = await db.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.is_default, true))
  if (found === undefined) throw new Error('The database has no default workspace.')
  return found.id
}

/** Allows one change of the whole server at a time, until the transaction ends. */
export async function lockServer(tx: Database): Promise<void> {
  await tx.execute(sql`select id from server_identity for update`)
}
