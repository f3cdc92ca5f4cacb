import { timeOfEpochMs } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import type { MemberRow } from '../../storage/relational/tables/accounts.ts'
import { writeCookie, writeDeviceCookie } from './cookie.ts'
import { DEVICE_HOLDS_SECONDS, makeDeviceToken } from './known-device.ts'
import { getServerId } from './server-id.ts'
import type { SignIns } from './sign-ins.ts'
import { deletePastSignIns, insertSignIn, selectPerson } from './store.ts'
import { hashOfToken, newToken } from './token.ts'

export type AccountDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'config'> & { readonly signIns: SignIns }

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

const HOLDS_SECONDS = 30 * 24 * 3600

/** Signs a person in at the browser that asked, with the given workspace as the one it starts in. */
export async function openSignIn(
  deps: AccountDeps,
  { request, reply }: Exchange,
  { id, tenant_id }: Pick<MemberRow, 'id' | 'tenant_id'>,
): Promise<void> {
  const { relational, clock, ids, config, signIns } = deps
  const token = newToken()
  const now = clock()
  const agent = request.headers['user-agent']?.slice(0, 300)
  await deletePastSignIns(relational.db, id, timeOfEpochMs(now))
  await insertSignIn(relational.db, {
    id: ids(),
    tenant_id,
    person_id: id,
    hash: hashOfToken(token),
    user_agent: agent !== undefined && isStorable(agent) ? agent : null,
    created_at: timeOfEpochMs(now),
    last_used_at: timeOfEpochMs(now),
    expires_at: timeOfEpochMs(now + HOLDS_SECONDS * 1000),
  })
  signIns.forget()
  const wanted = { request, reply, serverId: await getServerId(deps) }
  writeCookie(config, wanted, token, HOLDS_SECONDS)
  const person = await selectPerson(relational.db, id)
  if (person === undefined) return
  writeDeviceCookie(config, wanted, await makeDeviceToken(deps, person), DEVICE_HOLDS_SECONDS)
}
