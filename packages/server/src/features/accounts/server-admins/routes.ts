import { ApiError, contract, type ServerAdmin } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import {
  endServerAdmin,
  lockPerson,
  markServerAdmin,
  type PersonRow,
  selectPersonByEmail,
  selectServerAdmins,
} from '../index.ts'

export type ServerAdminDeps = Pick<Deps, 'relational'> & {
  /** Called when somebody became or ceased to be a server administrator: what is remembered of callers is out of date. */
  readonly forgetCallers: () => void
}

export function serverAdminRoutes(app: App, deps: ServerAdminDeps): void {
  const { serverAdmins } = contract
  const { relational, forgetCallers } = deps

  serve(app, serverAdmins.list, async () => (await selectServerAdmins(relational.db)).map(present))

  serve(app, serverAdmins.appoint, async ({ body }) => {
    const person = await relational.transaction(async (tx) => {
      const found = await selectPersonByEmail(tx, body.email)
      const isThere = found !== undefined && (await lockPerson(tx, found.id)) && (await markServerAdmin(tx, found.id))
      if (!isThere)
        throw new ApiError('NOT_FOUND', `No account has the address ${body.email}. Invite the person first.`)
      return found
    })
    forgetCallers()
    return present(person)
  })

  serve(app, serverAdmins.remove, async ({ params }) => {
    const wasOne = await relational.transaction(async (tx) => {
      await lockPerson(tx, params.id)
      return endServerAdmin(tx, params.id)
    })
    if (!wasOne) throw new ApiError('NOT_FOUND', 'Server administrator not found')
    forgetCallers()
  })
}

function present({ id, email, name }: PersonRow): ServerAdmin {
  return { id, email, name }
}
