import { contract, timeOfEpochMs } from '@touchstone/contract'
import { refuseOtherSites } from '../../http/own-page.ts'
import { type App, serve } from '../../http/serve.ts'
import { presentPerson } from '../accounts/index.ts'
import { countKeysByMaker } from '../auth/index.ts'
import { getWorkspaceName } from '../workspaces/index.ts'
import { changeRole, type MemberDeps, removeMember } from './change-member.ts'
import { acceptInvite, getInvite, invite } from './invite.ts'
import { presentInvite, presentMember } from './present.ts'
import { deleteInvite, selectInvites, selectMembers } from './store.ts'

export type MemberRouteDeps = MemberDeps & {
  /** Called when keys were revoked. */
  readonly forgetKeys: () => void
}

export function memberRoutes(app: App, deps: MemberRouteDeps): void {
  const { members } = contract
  const { db } = deps.relational
  const countKeys = (tenantId: string) => countKeysByMaker(deps, tenantId)

  serve(app, members.list, async ({ caller: { tenantId } }) => {
    const keyCounts = await countKeys(tenantId)
    return (await selectMembers(db, tenantId)).map((person) => presentMember(person, keyCounts))
  })

  serve(app, members.changeRole, async ({ caller, params, body }) => {
    const person = await changeRole(deps, caller, params.id, body.role)
    return presentMember(person, await countKeys(caller.tenantId))
  })

  serve(app, members.remove, async ({ caller, params, query }) => {
    await removeMember(deps, caller, params.id, query.revoke_keys)
    deps.forgetKeys()
  })

  serve(app, members.listInvites, async ({ caller }) =>
    (await selectInvites(db, caller.tenantId, timeOfEpochMs(deps.clock()))).map(presentInvite),
  )

  serve(app, members.invite, async ({ caller, body }) => {
    const { row, token } = await invite(deps, caller, body)
    return { ...presentInvite(row), token }
  })

  serve(app, members.revokeInvite, async ({ caller, params }) => {
    await deleteInvite(db, caller.tenantId, params.id)
  })

  serve(app, members.readInvite, async ({ params }) => {
    const { tenant_id, role, email, expires_at } = await getInvite(deps, params.token)
    return { workspace_name: await getWorkspaceName(deps, tenant_id), role, email, expires_at }
  })

  serve(app, members.acceptInvite, async ({ params, body, request, reply }) => {
    refuseOtherSites(deps.config, request)
    return presentPerson(await acceptInvite(deps, { request, reply }, params.token, body))
  })
}
