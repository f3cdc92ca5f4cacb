import { eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { workspaces } from '../../../storage/relational/tables/accounts.ts'

const remembered = new WeakMap<Relational, Promise<string>>()

/** Id of the workspace that requests of this machine go to which name none: the first one, or what replaced it. */
export function defaultWorkspaceId({ relational }: Pick<Deps, 'relational'>): Promise<string> {
  let id = remembered.get(relational)
  if (id === undefined) {
    id = select(relational)
    remembered.set(relational, id)
    id.catch(() => remembered.delete(relational))
  }
  return id
}

async function select({ db }: Relational): Promise<string> {
  const [first] = await db.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.is_default, true))
  return first!.id
}

/** The default workspace was deleted in this process: another one takes its place. */
export function forgetDefaultWorkspace({ relational }: Pick<Deps, 'relational'>): void {
  remembered.delete(relational)
}
