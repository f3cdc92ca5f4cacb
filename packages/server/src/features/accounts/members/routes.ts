import { contract, timeOfEpochMs } from '@touchstone/contract'
import { refuseOtherSites } from '../../../http/own-page.ts'
import { type App, serve } from '../../../http/serve.ts'
import { countKeysByPerson } from '../auth/index.ts'
import { getPerson, presentMe, selectMembers } from '../index.ts'
import { getWorkspaceName } from '../workspaces/index.ts'
import { acceptInvite, getInvite, joinByInvite } from './accept-invite.ts'
import { changeRole, type MemberDeps, removeMember } from './change-member.ts'
import { invite } from './invite.ts'
import { type OwnedCounts, presentInvite, presentMember } from './present.ts'
import { countInvitesByPerson, deleteInvite, selectInvites } from './store.ts'

export function memberRoutes(app: App, deps: MemberDeps): void {
  const { accounts, members } = contract
  const { db } = deps.relational
  const now = () => timeOfEpochMs(deps.clock())
  const countOwned = async (tenantId: string): Promise<OwnedCounts> => ({
    keys: await countKeysByPerson(deps, tenantId),
    invites: await countInvitesByPerson(db, tenantId, now()),
  })

  serve(app, members.list, async ({ caller: { tenantId } }) => {
    const counts = await countOwned(tenantId)
    return (await selectMembers(db, tenantId)).map((member) => presentMember(member, counts))
  })

  serve(app, members.changeRole, async ({ caller, params, body }) => {
    const member = await changeRole(deps, caller, params.id, body.role)
    return presentMember(member, await countOwned(caller.tenantId))
  })

  serve(app, members.remove, ({ caller, params, query }) => removeMember(deps, caller, params.id, query.revoke_keys))

  serve(app, accounts.leave, async ({ caller }) => {
    const { id } = await getPerson(deps, caller)
    await removeMember(deps, caller, id, true)
  })

  serve(app, members.listInvites, async ({ caller }) =>
    (await selectInvites(db, caller.tenantId, now())).map(presentInvite),
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
    return presentMe(await acceptInvite(deps, { request, reply }, params.token, body))
  })

  serve(app, members.joinByInvite, async ({ caller, params }) =>
    presentMe(await joinByInvite(deps, caller, params.token)),
  )
}
