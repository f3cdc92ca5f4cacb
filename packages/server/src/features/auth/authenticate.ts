import { ApiError, isAtLeast, parseUuid, type Route } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { Authenticate } from '../../http/router.ts'
import { defaultWorkspaceId } from '../workspaces/index.ts'
import type { Keyring } from './keyring.ts'
import { isLoopback, refuseForeignPages } from './loopback.ts'

/**
 * Who may call: bound to loopback and without a key, everyone on this machine; otherwise the holder of a valid key.
 * Public routes ask nothing and never fail on a bad key; optional ones answer its holder as anybody.
 */
export function authenticator(deps: Pick<Deps, 'relational' | 'config'>, keyring: Keyring): Authenticate {
  return async (request, route) => {
    if (route.access === 'public') return undefined
    if (route.access === 'local' && isLoopback(deps.config.host)) {
      refuseForeignPages(request)
      return undefined
    }
    const caller = (await isOpen(deps, keyring)) ? await openCaller(deps, request) : await callerOfKey(keyring, request)
    if (caller === undefined) {
      if (route.access === 'optional') return undefined
      throw new ApiError('UNAUTHENTICATED')
    }
    refuseOtherWorkspace(request, caller)
    refuseLesserRole(caller, route)
    return caller
  }
}

async function isOpen({ config }: Pick<Deps, 'config'>, keyring: Keyring): Promise<boolean> {
  return isLoopback(config.host) && !(await keyring.isClosed())
}

async function openCaller(deps: Pick<Deps, 'relational'>, request: FastifyRequest): Promise<Caller> {
  refuseForeignPages(request)
  return { tenantId: await defaultWorkspaceId(deps), actorId: undefined, actorName: undefined, role: 'admin' }
}

async function callerOfKey(keyring: Keyring, request: FastifyRequest): Promise<Caller | undefined> {
  const secret = secretOf(request)
  const key = secret && (await keyring.find(secret))
  if (!key) return undefined
  return {
    tenantId: key.tenant_id,
    actorId: key.id,
    actorName: key.description === '' ? key.short_key : key.description,
    role: key.role,
  }
}

function secretOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return key
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

function refuseLesserRole({ role }: Caller, { access }: Route): void {
  if (access === 'write' && !isAtLeast(role, 'member')) throw new ApiError('FORBIDDEN', 'This key may only read.')
  if (access === 'admin' && !isAtLeast(role, 'admin')) throw new ApiError('FORBIDDEN', 'Only admins may do that.')
}

function refuseOtherWorkspace(request: FastifyRequest, caller: Caller): void {
  const asked = request.headers['x-tenant-id']
  if (asked === undefined || asked === '' || parseUuid(asked) === caller.tenantId) return
  throw new ApiError('FORBIDDEN', 'X-Tenant-Id names another workspace than that of the key.')
}
