import { contract, findIgnoredFields, IGNORED_HEADER, mountedPaths, type Route } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AWorkspace, aWorkspace } from '../testing/a-workspace.ts'
import { type StartedApp, startApp } from '../testing/start-app.ts'

let app: StartedApp
let acme: AWorkspace
beforeAll(async () => {
  app = await startApp()
  acme = await aWorkspace(app, 'acme')
})
afterAll(() => app.close())

const routes: Route[] = Object.values(contract).flatMap((noun) => Object.values(noun) as Route[])
const NAME = 'zzz_unknown'
/** Requests at once. */
const AT_ONCE = 10
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

/** Bodies of runs are cut and stored without parsing them. */
const READ_BY_FEATURE = new Set(['POST /runs/batch'])

/** Sends a field that no route has, in the query and in the body. Nothing else is right, so nothing is changed. */
async function send(route: Route) {
  const [path = ''] = mountedPaths(route)
  // OpenLLMetry prints ids of traces and spans as numbers.
  const filled = path.replace('{trace_id}/spans/{span_id}', '1/spans/1').replaceAll(/\{\w+\}/g, UNKNOWN_ID)
  const hasBody = route.method !== 'GET' && (route.method !== 'DELETE' || route.body !== undefined)
  const response = await app.fetch(`${filled}?${NAME}=1`, {
    method: route.method,
    headers: { ...acme.headers, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: JSON.stringify({ [NAME]: 1 }) }),
  })
  await response.body?.cancel()
  return { status: response.status, ignored: (response.headers.get(IGNORED_HEADER) ?? '').split(', ') }
}

describe('fields that a route does not have', () => {
  it('are named beside the answer, and change nothing', async () => {
    const { datasets, prompts } = contract
    const { headers } = acme
    const made = await app.call(prompts.create, { headers, body: { repo_handle: 'kept', is_public: false } })
    expect([made.status, made.headers.get(IGNORED_HEADER)]).toEqual([200, null])
    const params = { owner: '-', repo: 'kept' }
    const changed = await app.call(prompts.update, { headers, params, body: { repo_handle: 'renamed' } })
    expect([changed.status, changed.headers.get(IGNORED_HEADER)]).toEqual([200, 'repo_handle'])
    expect((await app.call(prompts.read, { headers, params })).status).toBe(200)
    const dataset = await app.call(datasets.create, { headers, body: { name: 'd', extra: { anything: 1 }, nam: 'e' } })
    expect([dataset.status, dataset.headers.get(IGNORED_HEADER)]).toEqual([200, 'nam'])
    const listed = await app.call(datasets.list, { headers, query: { nam: 'd', limit: '1' } })
    expect([listed.headers.get(IGNORED_HEADER), listed.body.length]).toEqual(['query.nam', 1])
  })

  it('are named in the response of every route, of its query and of its body', async () => {
    const silent: string[] = []
    const refused: Route[] = []
    const check = async (route: Route) => {
      const { status, ignored } = await send(route)
      const name = `${route.method} ${route.path}`
      expect(status, name).toBeLessThan(500)
      if ((status === 401 || status === 403) && ignored[0] === '') {
        refused.push(route)
        return
      }
      const isRefusedForShape = findIgnoredFields(route.query, { [NAME]: 1 }).length === 0 && route.query !== undefined
      if (!ignored.includes(`query.${NAME}`) && !isRefusedForShape) silent.push(`${name} query ${status}`)
      const isNamed = findIgnoredFields(route.body, { [NAME]: 1 }).length > 0
      if (isNamed && !ignored.includes(NAME) && !READ_BY_FEATURE.has(name)) silent.push(`${name} body ${status}`)
    }
    for (let at = 0; at < routes.length; at += AT_ONCE) await Promise.all(routes.slice(at, at + AT_ONCE).map(check))
    expect(silent).toEqual([])
    // Refused before the request is read.
    expect(refused.filter(({ access }) => access !== 'server-admin')).toEqual([])
  }, 120_000)
})
