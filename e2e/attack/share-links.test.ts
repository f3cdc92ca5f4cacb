import { allRoutes, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead } from '../support/raw-ingest.ts'
import { type FilledWorkspace, fillWorkspace } from './support/fill-workspace.ts'
import { inParallel, rawJson, rawRequest } from './support/raw-request.ts'
import { startTeam, type Team } from './support/start-team.ts'

/** In the run beside the shared one, which no token opens. */
const PRIVATE = 'zq7private'

let team: Team
let filled: FilledWorkspace
let hidden: string
beforeAll(async () => {
  team = await startTeam()
  filled = await fillWorkspace(team.url, team.keys.admin, 'shared')
  const run = aRunHead({ session_name: PRIVATE, name: PRIVATE, inputs: { secret: PRIVATE } })
  hidden = run.id
  await team.call('POST', '/api/v1/runs/batch', { post: [run] })
})
afterAll(() => team?.server.stop())

const read = (path: string) => rawRequest(team.url, { path })

/** Every public route that a share token stands in, with that token and other ids of the workspace. */
function requestsWith(token: string) {
  const ids: Record<string, string> = { share_token: token, run_id: hidden, query_text: `?id=${hidden}` }
  return allRoutes()
    .filter(({ access, path }) => access === 'public' && path.includes('{share_token}'))
    .map(({ method, path, family }) => ({
      method,
      path: (family === 'v2' ? '/api/v2' : '/api/v1') + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!),
      body: { id: [hidden], run: [hidden], session: [uuid7()], trace: hidden, limit: 100 },
    }))
}

const send = ({ method, path, body }: ReturnType<typeof requestsWith>[number]) =>
  method === 'GET' ? read(path) : rawJson(team.url, method, path, body)

describe('a share token', () => {
  it.each(['run share', 'dataset share'] as const)('opens nothing beside what was shared: %s', async (kind) => {
    const answers = await inParallel(requestsWith(filled.ids[kind]), 4, send)
    for (const { status, text } of answers) {
      expect(status).toBeLessThan(500)
      expect(text).not.toContain(PRIVATE)
    }
  })

  it('opens no route that takes a token of another kind', async () => {
    const { ids } = filled
    const crossed = [
      `/api/v1/public/${ids['dataset share']}/run`,
      `/api/v1/public/${ids['run share']}/datasets`,
      `/api/v1/public/${ids['run share']}/examples`,
      `/api/v1/public/${ids['feedback link']}/run`,
      `/api/v1/feedback/tokens/${ids['run share']}`,
      `/api/v1/auth/invites/${ids['run share']}`,
      `/api/v1/auth/invites/${ids['feedback link']}`,
      `/api/v1/blobs/${ids['run share']}`,
      `/api/v1/jobs/downloads/${ids['run share']}`,
      `/api/v1/jobs/downloads/${ids['blob token']}`,
    ]
    const statuses = await inParallel(crossed, 4, async (path) => [path, (await read(path)).status])
    expect(statuses).toEqual(crossed.map((path) => [path, expect.toSatisfy((at) => [400, 404, 422].includes(at))]))
  })

  it('is no credential', async () => {
    for (const kind of ['run share', 'dataset share', 'feedback link', 'invite token', 'blob token'] as const) {
      const headers = { 'x-api-key': filled.ids[kind] }
      expect((await rawRequest(team.url, { path: '/api/v1/sessions', headers })).status).toBe(401)
    }
  })

  it('opens nothing from the moment it is revoked', async () => {
    const { run, dataset } = filled.ids
    const paths = [
      [`/api/v1/public/${filled.ids['run share']}/run`, `/api/v1/runs/${run}/share`],
      [`/api/v1/public/${filled.ids['dataset share']}/datasets`, `/api/v1/datasets/${dataset}/share`],
    ] as const
    for (const [shared, share] of paths) {
      expect((await read(shared)).status).toBe(200)
      await team.call('DELETE', share)
      expect((await read(shared)).status).toBe(404)
    }
    for (const kind of ['run share', 'dataset share'] as const) {
      for (const { status, text } of await inParallel(requestsWith(filled.ids[kind]), 4, send)) {
        expect(status).toBeGreaterThanOrEqual(400)
        expect(text).not.toMatch(/question|answer|run input/)
      }
    }
  })
})

describe('the URL of an attachment', () => {
  it('opens its own bytes, as a download that cannot act', async () => {
    const { status, headers, text } = await read(`/api/v1/blobs/${filled.ids['blob token']}`)
    expect({ status, text }).toEqual({ status: 200, text: 'attached shared' })
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('opens nothing once a character of it has changed', async () => {
    const token = decodeURIComponent(filled.ids['blob token']).split('?')[0]!
    // The last character of a base64 group holds bits that no byte reads, so another spelling of it may be the same token.
    const places = Array.from({ length: 40 }, (_, at) => Math.floor((at * (token.length - 2)) / 40))
    const changed = places.map((at) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1))
    const others = ['', token.slice(0, 20), `${token}${token}`, '../../relational', token.split('.')[0]!, 'null']
    const opened = await inParallel([...changed, ...others], 8, async (odd) => {
      const { status, text } = await read(`/api/v1/blobs/${encodeURIComponent(odd)}`)
      return status >= 400 && status < 500 && !text.includes('attached') ? undefined : `${odd}: ${status}`
    })
    expect(opened.filter((line) => line !== undefined)).toEqual([])
  })
})
