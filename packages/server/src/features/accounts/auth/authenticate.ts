import { ApiError, isAtLeast, parseUuid, type Route } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import {
  findSignOfOrigin,
  isLocalServer,
  refuseAnyOtherSite,
  refuseForeignPages,
} from '../../../http/request-origin.ts'
import type { Authenticate, Caller } from '../../../http/serve.ts'
import { readCookie, type ServerIds, type SignIns, toPersonCaller } from '../index.ts'
import { existsWorkspace } from '../workspaces/index.ts'
import type { Keyring } from './keyring.ts'

export interface AuthDeps extends Pick<Deps, 'relational' | 'config'> {
  readonly keyring: Keyring
  readonly signIns: SignIns
  readonly serverIds: ServerIds
}

/**
 * Identifies the caller of a request. Until a key or an account exists, programs on this machine need no credentials.
 * Afterwards a caller needs a valid key or a sign-in. A request with a key is judged by the key alone.
 * A person selects the workspace with `X-Tenant-Id`; the default is the one used last. A key belongs to one workspace.
 * Public routes ignore credentials. Optional routes treat a bad key like a missing one.
 */
export function authenticator(deps: AuthDeps): Authenticate {
  return async (request, route) => {
    if (route.access === 'public') return undefined
    const isSetUp = await deps.keyring.isSetUp()
    const isOpen = !isSetUp && isOpenTo(deps, request)
    const caller = isOpen ? await toLocalCaller(deps, request) : await findCaller(deps, request, route)
    if (caller === undefined) {
      if (route.access === 'optional') return undefined
      throw new ApiError('UNAUTHENTICATED', isSetUp ? undefined : describeSetup(deps, request))
    }
    assertWorkspace(request, caller)
    assertRole(caller, route)
    return caller
  }
}

/** Whether a server without keys and accounts accepts this request without credentials. */
export function isOpenTo({ config }: Pick<AuthDeps, 'config'>, request: FastifyRequest): boolean {
  return isLocalServer(config) && findSignOfOrigin(request) === undefined
}

function describeSetup({ config }: AuthDeps, request: FastifyRequest): string {
  const sign = isLocalServer(config) ? findSignOfOrigin(request) : undefined
  const why = sign && ` It is open to programs on its own machine only, and this request came through a proxy: ${sign}.`
  return `This server is not set up yet.${why ?? ''} Open /setup with the code that the server printed when it started, or create a key with --create-key.`
}

async function toLocalCaller(deps: AuthDeps, request: FastifyRequest): Promise<Caller> {
  refuseForeignPages(request)
  return {
    tenantId: await selectLocalWorkspace(deps, request),
    kind: 'local',
    actorId: undefined,
    actorName: undefined,
    role: 'admin',
    isServerAdmin: true,
  }
}

/** The workspace of a request to an open server, whose callers may use every workspace. */
async function selectLocalWorkspace(deps: AuthDeps, request: FastifyRequest): Promise<string> {
  const requested = parseWorkspaceHeader(request)
  if (requested === undefined) return deps.serverIds.getDefaultWorkspaceId()
  if (requested !== '' && (await existsWorkspace(deps, requested))) return requested
  throw new ApiError('FORBIDDEN', OTHER_WORKSPACE)
}

async function findCaller(deps: AuthDeps, request: FastifyRequest, route: Route): Promise<Caller | undefined> {
  const secrets = readSecrets(request, route)
  if (secrets.length === 0) return findCallerByCookie(deps, request)
  for (const secret of secrets) {
    const caller = await findCallerByKey(deps, secret)
    if (caller !== undefined) return caller
  }
  return undefined
}

async function findCallerByCookie(deps: AuthDeps, request: FastifyRequest): Promise<Caller | undefined> {
  const token = readCookie(request, await deps.serverIds.getServerId())
  const found = token && (await deps.signIns.find(token))
  if (!found) return undefined
  refuseAnyOtherSite(deps.config, request)
  const requested = parseWorkspaceHeader(request)
  const member =
    requested === undefined ? found.members[0] : found.members.find(({ tenant_id }) => tenant_id === requested)
  if (member === undefined) throw new ApiError('FORBIDDEN', OTHER_WORKSPACE)
  deps.signIns.recordUse(found, member.tenant_id)
  return toPersonCaller(member, found.signIn.id)
}

async function findCallerByKey({ keyring }: AuthDeps, secret: string): Promise<Caller | undefined> {
  const key = await keyring.find(secret)
  if (!key) return undefined
  return {
    tenantId: key.tenant_id,
    kind: 'key',
    actorId: key.id,
    actorName: key.description === '' ? key.short_key : key.description,
    role: key.role,
    isServerAdmin: key.isServerAdmin,
  }
}

/** The keys of a request; in Basic authentication either of its two texts may be one. */
function readSecrets({ headers }: FastifyRequest, { acceptsBasic }: Route): string[] {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return [key]
  const [, scheme = '', credentials = ''] = /^(Bearer|Basic)\s+(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return [credentials]
  if (!acceptsBasic || scheme === '') return []
  const [name = '', ...password] = Buffer.from(credentials, 'base64').toString('utf8').split(':')
  return [password.join(':'), name].filter((secret) => secret !== '')
}

function assertRole({ role, kind, isServerAdmin }: Caller, { access }: Route): void {
  if (access === 'write' && !isAtLeast(role, 'member')) {
    throw new ApiError(
      'FORBIDDEN',
      kind === 'key' ? 'This key has read-only access.' : 'Viewers have read-only access.',
    )
  }
  if (access === 'admin' && !isAtLeast(role, 'admin')) throw new ApiError('FORBIDDEN', 'Only admins may do that.')
  if (access === 'server-admin' && !isServerAdmin) throw new ApiError('FORBIDDEN', SERVER_ADMINS_ONLY)
}

function assertWorkspace(request: FastifyRequest, caller: Caller): void {
  const requested = parseWorkspaceHeader(request)
  if (requested !== undefined && requested !== caller.tenantId) throw new ApiError('FORBIDDEN', OTHER_WORKSPACE)
}

/** The workspace in `X-Tenant-Id`; '' when the value is no valid id. */
function parseWorkspaceHeader({ headers }: FastifyRequest): string | undefined {
  const requested = headers['x-tenant-id']
  return requested === undefined || requested === '' ? undefined : (parseUuid(requested) ?? '')
}

const SERVER_ADMINS_ONLY = 'Only server administrators may do that, and keys with the role admin that belong to one.'

const OTHER_WORKSPACE = 'X-Tenant-Id names a workspace that this caller does not belong to.'
