import { ApiError, isAtLeast, parseUuid, type Route } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import {
  findSignOfOrigin,
  isLocalServer,
  refuseAnyOtherSite,
  refuseForeignPages,
} from '../../../http/request-origin.ts'
import type { Authenticate } from '../../../http/router.ts'
import { callerOfPerson, getServerId, readCookie, type SignIns } from '../index.ts'
import { defaultWorkspaceId, existsWorkspace } from '../workspaces/index.ts'
import type { Keyring } from './keyring.ts'

export interface AuthDeps extends Pick<Deps, 'relational' | 'config'> {
  readonly keyring: Keyring
  readonly signIns: SignIns
}

/**
 * Who may call: until a key or an account is made, programs of this machine; afterwards the holder of a valid key, or a
 * person who signed in. A request with a key is judged by the key alone.
 * A person chooses the workspace by `X-Tenant-Id`; without it they get the one they used last. A key belongs to one.
 * Public routes ask nothing and never fail on a bad key; optional ones answer a caller with a bad key like one without.
 */
export function authenticator(deps: AuthDeps): Authenticate {
  return async (request, route) => {
    if (route.access === 'public') return undefined
    const isSetUp = await deps.keyring.isClosed()
    const isOpen = !isSetUp && isOpenTo(deps, request)
    const caller = isOpen ? await openCaller(deps, request) : await findCaller(deps, request)
    if (caller === undefined) {
      if (route.access === 'optional') return undefined
      throw new ApiError('UNAUTHENTICATED', isSetUp ? undefined : sayHowToSetUp(deps, request))
    }
    refuseOtherWorkspace(request, caller)
    refuseLesserRole(caller, route)
    return caller
  }
}

/** Whether a server without keys and accounts lets this request in. */
export function isOpenTo({ config }: Pick<AuthDeps, 'config'>, request: FastifyRequest): boolean {
  return isLocalServer(config) && findSignOfOrigin(request) === undefined
}

function sayHowToSetUp({ config }: AuthDeps, request: FastifyRequest): string {
  const sign = isLocalServer(config) ? findSignOfOrigin(request) : undefined
  const why = sign && ` It is open to programs on its own machine only, and this request came through a proxy: ${sign}.`
  return `This server is not set up yet.${why ?? ''} Open /setup with the code that the server printed when it started, or create a key with --create-key.`
}

async function openCaller(deps: AuthDeps, request: FastifyRequest): Promise<Caller> {
  refuseForeignPages(request)
  return {
    tenantId: await openWorkspace(deps, request),
    kind: 'local',
    actorId: undefined,
    actorName: undefined,
    role: 'admin',
    isServerAdmin: true,
  }
}

/** On an open server every workspace is that of the people at this machine. */
async function openWorkspace(deps: AuthDeps, request: FastifyRequest): Promise<string> {
  const asked = askedWorkspace(request)
  if (asked === undefined) return defaultWorkspaceId(deps)
  if (asked !== '' && (await existsWorkspace(deps, asked))) return asked
  throw new ApiError('FORBIDDEN', OTHER_WORKSPACE)
}

async function findCaller(deps: AuthDeps, request: FastifyRequest): Promise<Caller | undefined> {
  const secret = readSecret(request)
  return secret === undefined ? callerOfCookie(deps, request) : callerOfKey(deps, secret)
}

async function callerOfCookie(deps: AuthDeps, request: FastifyRequest): Promise<Caller | undefined> {
  const token = readCookie(request, await getServerId(deps))
  const found = token && (await deps.signIns.find(token))
  if (!found) return undefined
  refuseAnyOtherSite(deps.config, request)
  const asked = askedWorkspace(request)
  const member = asked === undefined ? found.members[0] : found.members.find(({ tenant_id }) => tenant_id === asked)
  if (member === undefined) throw new ApiError('FORBIDDEN', OTHER_WORKSPACE)
  deps.signIns.noteUse(found, member.tenant_id)
  return callerOfPerson(member, found.signIn.id)
}

async function callerOfKey({ keyring }: AuthDeps, secret: string): Promise<Caller | undefined> {
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

function readSecret({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return key
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

function refuseLesserRole({ role, kind, isServerAdmin }: Caller, { access }: Route): void {
  if (access === 'write' && !isAtLeast(role, 'member')) {
    throw new ApiError('FORBIDDEN', kind === 'key' ? 'This key may only read.' : 'Viewers may only read.')
  }
  if (access === 'admin' && !isAtLeast(role, 'admin')) throw new ApiError('FORBIDDEN', 'Only admins may do that.')
  if (access === 'server-admin' && !isServerAdmin) throw new ApiError('FORBIDDEN', SERVER_ADMINS_ONLY)
}

function refuseOtherWorkspace(request: FastifyRequest, caller: Caller): void {
  const asked = askedWorkspace(request)
  if (asked !== undefined && asked !== caller.tenantId) throw new ApiError('FORBIDDEN', OTHER_WORKSPACE)
}

/** The workspace that `X-Tenant-Id` names; '' when it names none that could exist. */
function askedWorkspace({ headers }: FastifyRequest): string | undefined {
  const asked = headers['x-tenant-id']
  return asked === undefined || asked === '' ? undefined : (parseUuid(asked) ?? '')
}

const SERVER_ADMINS_ONLY =
  'Only server administrators may do that. A key may when it has the role admin and belongs to one of them.'

const OTHER_WORKSPACE = 'X-Tenant-Id names a workspace that this caller does not belong to.'
