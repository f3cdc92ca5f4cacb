import { ApiError, contract, type Me, type ServerAdmin, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { refuseForeignPages, refuseOtherSites } from '../../http/request-origin.ts'
import type { Caller } from '../../http/serve.ts'
import { type App, serve } from '../../http/serve.ts'
import type { PersonRow } from '../../storage/relational/tables/accounts.ts'
import { clearCookie, readCookie } from './cookies.ts'
import { lockPerson } from './memberships.ts'
import {
  changePassword,
  findSignInId,
  getMember,
  getPerson,
  presentCaller,
  presentMe,
  presentSignIn,
  toPersonCaller,
} from './people.ts'
import { endServerAdmin, markServerAdmin, selectServerAdmins } from './server-admins.ts'
import { existsCredential, getSetupCode, type SetUpDeps, setUp } from './set-up.ts'
import { signIn } from './sign-in.ts'
import { deleteSignIn, existsPerson, selectPersonByEmail, selectSignIns, updatePerson } from './store.ts'

export type AccountRouteDeps = SetUpDeps & {
  /** Creates the first project of a new server, and a key for programs. */
  readonly createFirstProject: (admin: Caller, projectName: string) => Promise<{ projectId: string; key: string }>
}

export function accountRoutes(app: App, deps: AccountRouteDeps): void {
  const { accounts } = contract
  const { config, relational, signIns } = deps

  serve(app, accounts.state, async ({ request }) => {
    const isOpen = await deps.isOpen(request)
    const hasCode = getSetupCode(config) !== undefined
    const canSetUp = (isOpen || hasCode) && !(await existsCredential(deps, relational.db))
    return {
      is_open: isOpen,
      can_set_up: canSetUp,
      needs_setup_code: canSetUp && !(isOpen && config.setupCode === undefined),
      has_people: await existsPerson(relational.db),
    }
  })

  serve(app, accounts.setUp, async ({ body, request, reply }) => {
    refuseOtherSites(config, request)
    if (await deps.isOpen(request)) refuseForeignPages(request)
    const member = await setUp(deps, { request, reply }, body)
    const admin = toPersonCaller(member)
    const { projectId, key } = await deps.createFirstProject(admin, body.project_name)
    return { me: presentMe(member), project_id: projectId, key }
  })

  serve(app, accounts.signIn, async ({ body, request, reply }) => {
    refuseOtherSites(config, request)
    return presentMe(await signIn(deps, { request, reply }, body))
  })

  serve(app, accounts.signOut, async ({ request, reply }) => {
    refuseOtherSites(config, request)
    const serverId = await deps.serverIds.getServerId()
    const token = readCookie(request, serverId)
    const found = token && (await signIns.find(token))
    if (found) await deleteSignIn(relational.db, found.signIn.person_id, found.signIn.id)
    signIns.forget()
    clearCookie(config, { request, reply, serverId })
  })

  serve(app, accounts.me, async ({ caller }): Promise<Me> => {
    return caller.kind === 'person' ? presentMe(await getMember(deps, caller)) : presentCaller(caller)
  })

  serve(app, accounts.update, async ({ caller, body }) => {
    const { id } = await getPerson(deps, caller)
    await updatePerson(relational.db, id, { name: body.name })
    signIns.forget()
    return presentMe(await getMember(deps, caller))
  })

  serve(app, accounts.changePassword, ({ caller, body }) =>
    changePassword(deps, caller, { current: body.current_password, next: body.new_password }),
  )

  serve(app, accounts.listSignIns, async ({ caller }) => {
    const rows = await selectSignIns(relational.db, (await getPerson(deps, caller)).id, timeOfEpochMs(deps.clock()))
    return rows.map((row) => presentSignIn(row, findSignInId(caller)))
  })

  serve(app, accounts.endSignIn, async ({ caller, params }) => {
    const isEnded = await deleteSignIn(relational.db, (await getPerson(deps, caller)).id, params.id)
    if (!isEnded) throw new ApiError('NOT_FOUND', 'Sign-in not found')
    signIns.forget()
  })
}

type ServerAdminDeps = Pick<Deps, 'relational'> & {
  /** Called when the server administrators changed, to clear cached callers. */
  readonly forgetCallers: () => void
}

export function serverAdminRoutes(app: App, deps: ServerAdminDeps): void {
  const { serverAdmins } = contract
  const { relational, forgetCallers } = deps

  serve(app, serverAdmins.list, async () => (await selectServerAdmins(relational.db)).map(presentServerAdmin))

  serve(app, serverAdmins.appoint, async ({ body }) => {
    const person = await relational.transaction(async (tx) => {
      const found = await selectPersonByEmail(tx, body.email)
      const isMarked = found !== undefined && (await lockPerson(tx, found.id)) && (await markServerAdmin(tx, found.id))
      if (!isMarked)
        throw new ApiError('NOT_FOUND', `No account has the address ${body.email}. Invite the person first.`)
      return found
    })
    forgetCallers()
    return presentServerAdmin(person)
  })

  serve(app, serverAdmins.remove, async ({ params }) => {
    const wasAdmin = await relational.transaction(async (tx) => {
      await lockPerson(tx, params.id)
      return endServerAdmin(tx, params.id)
    })
    if (!wasAdmin) throw new ApiError('NOT_FOUND', 'Server administrator not found')
    forgetCallers()
  })
}

function presentServerAdmin({ id, email, name }: PersonRow): ServerAdmin {
  return { id, email, name }
}
