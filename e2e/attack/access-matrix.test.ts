import { type Access, allRoutes, isAtLeast, mountedPaths, type Role, type Route, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFull } from '../support/scale.ts'
import { inParallel, rawRequest } from './support/raw-request.ts'
import { callJson, type Headers, startTeam, type Team } from './support/start-team.ts'

/** Statuses of refused access. Any other status means that access was granted, even if the request failed. */
type Outcome = 401 | 403 | 'allowed'

/** The least role that each access asks for; the rest answers without a credential. */
const LEAST_ROLE: Partial<Record<Access, Role>> = {
  key: 'viewer',
  write: 'member',
  admin: 'admin',
  'server-admin': 'admin',
}

/** Whether a route without a body answers 403 to every key; one with a body may answer first that the body is missing. */
const isForPeopleOnly = ({ summary, body }: Route) => body === undefined && /; for people$/.test(summary)

/** Calls that end the sign-in or the membership that they come with. */
const ENDS_THE_CALLER: ReadonlySet<string> = new Set(['POST /auth/logout', 'POST /auth/leave'])

interface Credential {
  readonly name: string
  /** Whether the caller is a server administrator, not only a workspace admin. */
  readonly isServerAdmin?: boolean
  /** Of the role that the credential proves; undefined for one that proves nothing. */
  readonly role?: Role
  readonly kind: 'none' | 'key' | 'cookie'
  readonly headers: Headers
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`

function expectedOutcome(route: Route, { role, kind, isServerAdmin = false }: Credential): Outcome {
  if (route.access === 'server-admin' && role !== undefined) return isServerAdmin ? 'allowed' : 403
  const least = LEAST_ROLE[route.access]
  if (least === undefined) return 'allowed'
  if (role === undefined) return 401
  if (!isAtLeast(role, least)) return 403
  return kind === 'key' && isForPeopleOnly(route) ? 403 : 'allowed'
}

const outcomeOf = (status: number): Outcome => (status === 401 || status === 403 ? status : 'allowed')

describe('every route of the contract, below each of its prefixes', () => {
  let team: Team
  let cookieName: string
  beforeAll(async () => {
    team = await startTeam()
    cookieName = (await team.signIn('viewer')).cookie!.split('=')[0]!
  })
  afterAll(() => team?.server.stop())

  let judged = 0
  /**
   * Calls with random ids and no body, and returns the calls whose outcome is not the expected one. The full tests call
   * each route below all of its prefixes; the others below one, which is another one for the next credential.
   */
  async function findWrongOutcomes(credential: Credential): Promise<string[]> {
    const turn = judged++
    const calls = allRoutes().flatMap((route, at) => {
      const paths = mountedPaths(route)
      return (isFull ? paths : [paths[(turn + at) % paths.length]!]).map((path) => ({ route, path }))
    })
    const wrong = await inParallel(calls, 8, async ({ route, path }) => {
      const needsItsOwnCaller = credential.kind === 'cookie' && ENDS_THE_CALLER.has(nameOf(route))
      const { status } = await rawRequest(team.url, {
        method: route.method,
        path: path.replaceAll(/\{\w+\}/g, () => uuid7()),
        headers: needsItsOwnCaller ? await team.addPerson(credential.role!) : credential.headers,
      })
      const [outcome, expected] = [outcomeOf(status), expectedOutcome(route, credential)]
      return outcome === expected ? undefined : `${route.method} ${path}: ${status} in place of ${expected}`
    })
    return wrong.filter((line) => line !== undefined)
  }

  it.each([
    'anonymous',
    'a key that does not exist',
    'a bearer token that does not exist',
    'a cookie that does not exist',
  ])('asks %s for a credential', async (name) => {
    const unknown = 'ts_0000000000000000000000000000000000000000'
    const headers: Record<string, Headers> = {
      anonymous: {},
      'a key that does not exist': { 'x-api-key': unknown },
      'a bearer token that does not exist': { authorization: `Bearer ${unknown}` },
      'a cookie that does not exist': { cookie: `${cookieName}=${'A'.repeat(43)}`, origin: team.url },
    }
    expect(await findWrongOutcomes({ name, kind: 'none', headers: headers[name]! })).toEqual([])
  })

  // The admin of the team has set the server up.
  it.each(['viewer', 'member', 'admin'] as const)('allows the key of a %s what its role may do', async (role) => {
    const isServerAdmin = role === 'admin'
    const headers = team.keys[role]
    expect(await findWrongOutcomes({ name: role, kind: 'key', role, isServerAdmin, headers })).toEqual([])
  })

  it('allows neither the sign-in nor the key of another admin what concerns the whole server', async () => {
    const headers = await team.addPerson('admin')
    const { key } = await callJson<{ key: string }>(team.url, headers, 'POST', '/api-key', { role: 'admin' })
    const name = 'an admin of the workspace'
    expect(await findWrongOutcomes({ name, kind: 'cookie', role: 'admin', headers })).toEqual([])
    expect(await findWrongOutcomes({ name, kind: 'key', role: 'admin', headers: { 'x-api-key': key } })).toEqual([])
  })

  it.each(['viewer', 'member', 'admin'] as const)('allows the sign-in of a %s what its role may do', async (role) => {
    const headers = await team.signIn(role)
    const isServerAdmin = role === 'admin'
    expect(await findWrongOutcomes({ name: role, kind: 'cookie', role, isServerAdmin, headers })).toEqual([])
  })

  it('judges a request with a bad key by the key, although its cookie is good', async () => {
    const headers = { ...(await team.signIn('admin')), 'x-api-key': 'ts_wrong' }
    expect(await findWrongOutcomes({ name: 'a bad key and a good cookie', kind: 'none', headers })).toEqual([])
  })

  it('asks a HEAD request for what it asks a GET request', async () => {
    const reads = allRoutes().filter(({ method }) => method === 'GET')
    const answering = await inParallel(reads, 8, async (route) => {
      const path = mountedPaths(route)
        .at(-1)!
        .replaceAll(/\{\w+\}/g, () => uuid7())
      const { status } = await rawRequest(team.url, { method: 'HEAD', path })
      const expected = expectedOutcome(route, { name: 'anonymous', kind: 'none', headers: {} })
      return outcomeOf(status) === expected ? undefined : `HEAD ${path}: ${status}`
    })
    expect(answering.filter((line) => line !== undefined)).toEqual([])
  })
})
