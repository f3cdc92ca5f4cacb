import { contract, type Invite, type Member, timeOfEpochMs } from '@touchstone/contract'
import { refuseOtherSites } from '../../../http/request-origin.ts'
import { type App, serve } from '../../../http/serve.ts'
import type { InviteRow } from '../../../storage/relational/tables/accounts.ts'
import { countKeysByPerson } from '../auth/index.ts'
import { getPerson, type MemberRow, presentMe, selectMembers } from '../index.ts'
import { getWorkspaceName } from '../workspaces/index.ts'
import {
  acceptInvite,
  countInvitesByPerson,
  createInvite,
  deleteInvite,
  getInvite,
  joinByInvite,
  selectInvites,
} from './invites.ts'
import { changeRole, type MemberDeps, removeMember } from './members.ts'

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
    const { row, token } = await createInvite(deps, caller, body)
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

/** Numbers of keys and invites that end with a person, by the person's id. */
interface OwnedCounts {
  readonly keys: ReadonlyMap<string, number>
  readonly invites: ReadonlyMap<string, number>
}

function presentMember(
  { id, email, name, role, created_at, last_seen_at }: MemberRow,
  { keys, invites }: OwnedCounts,
): Member {
  const counts = { key_count: keys.get(id) ?? 0, invite_count: invites.get(id) ?? 0 }
  return { id, email, name, role, created_at, last_seen_at, ...counts }
}

function presentInvite({ id, role, email, created_by_name, created_at, expires_at }: InviteRow): Invite {
  return { id, role, email, created_by_name, created_at, expires_at }
}
