import { ApiError, contract, type Me, timeOfEpochMs } from '@touchstone/contract'
import type { Caller } from '../../http/caller.ts'
import { refuseForeignPages, refuseOtherSites } from '../../http/request-origin.ts'
import { type App, serve } from '../../http/serve.ts'
import { clearCookie, readCookie } from './cookies.ts'
import { callerOfPerson, changePassword, getMember, getPerson } from './people.ts'
import { presentCaller, presentMe, presentSignIn } from './present.ts'
import { getServerId } from './server-id.ts'
import { existsWayIn, getSetupCode, type SetUpDeps, setUp } from './set-up.ts'
import { signIn } from './sign-in.ts'
import { deleteSignIn, existsPerson, selectSignIns, updatePerson } from './store.ts'

export type AccountRouteDeps = SetUpDeps & {
  /** Gives a fresh server its first project, and a key for programs. */
  readonly equip: (admin: Caller, projectName: string) => Promise<{ projectId: string; key: string }>
}

export function accountRoutes(app: App, deps: AccountRouteDeps): void {
  const { accounts } = contract
  const { config, relational, signIns } = deps

  serve(app, accounts.state, async ({ request }) => {
    const isOpen = await deps.isOpen(request)
    const hasCode = getSetupCode(config) !== undefined
    const canSetUp = (isOpen || hasCode) && !(await existsWayIn(deps, relational.db))
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
    const admin = callerOfPerson(member)
    const { projectId, key } = await deps.equip(admin, body.project_name)
    return { me: presentMe(member), project_id: projectId, key }
  })

  serve(app, accounts.signIn, async ({ body, request, reply }) => {
    refuseOtherSites(config, request)
    return presentMe(await signIn(deps, { request, reply }, body))
  })

  serve(app, accounts.signOut, async ({ request, reply }) => {
    refuseOtherSites(config, request)
    const serverId = await getServerId(deps)
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
    return rows.map((row) => presentSignIn(row, caller.signInId))
  })

  serve(app, accounts.endSignIn, async ({ caller, params }) => {
    const isEnded = await deleteSignIn(relational.db, (await getPerson(deps, caller)).id, params.id)
    if (!isEnded) throw new ApiError('NOT_FOUND', 'Sign-in not found')
    signIns.forget()
  })
}
