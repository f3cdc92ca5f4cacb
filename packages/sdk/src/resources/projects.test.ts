import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
const project = { id: ID, tenant_id: '7f3c1c1e-0d7b-4a53-9a5e-3f6a2b7d1c10', name: 'support-bot' }
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(({ path }) => ({ body: path === '/sessions' ? [project] : project }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const lastBody = () => JSON.parse(server.requests.at(-1)!.body.toString())

describe('the project rules of the client', () => {
  const both = { projectId: ID, projectName: 'a' }
  it.each([
    ['readProject both', () => client.readProject(both), 'Must provide either projectName or projectId, not both'],
    ['readProject none', () => client.readProject({}), 'Must provide projectName or projectId'],
    ['hasProject both', () => client.hasProject(both), 'Must provide either projectName or projectId, not both'],
    ['hasProject none', () => client.hasProject({}), 'Must provide projectName or projectId'],
    ['deleteProject both', () => client.deleteProject(both), 'Must provide either projectName or projectId, not both'],
    ['deleteProject none', () => client.deleteProject({}), 'Must provide projectName or projectId'],
    ['getProjectUrl none', () => client.getProjectUrl({}), 'Must provide either projectName or projectId'],
    ['readProject bad id', () => client.readProject({ projectId: 'x' }), 'Invalid UUID: x'],
    ['deleteProject bad id', () => client.deleteProject({ projectId: 'x' }), 'Invalid UUID: x'],
    ['updateProject bad id', () => client.updateProject('x', {}), 'Invalid UUID: x'],
    [
      'listProjects bad id',
      () => client.listProjects({ projectIds: [ID, 'x'] }).next(),
      'Invalid UUID for projectIds[1]: x',
    ],
  ])('refuse %s before any request', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })

  it('say which project was not found by name', async () => {
    server.respond(() => ({ body: [] }))
    await expect(client.readProject({ projectName: 'gone' })).rejects.toMatchObject({
      message: 'Project[id=undefined, name=gone] not found',
      status: 404,
    })
  })

  it('need a project to resolve the tenant', async () => {
    server.respond(({ path }) => ({ body: path === '/sessions' ? [] : project }))
    await expect(client.getProjectUrl({ projectId: ID })).rejects.toThrow('No projects found to resolve tenant.')
  })
})

describe('creating a project', () => {
  it('puts metadata under extra, and asks for an upsert only on request', async () => {
    await client.createProject({ projectName: 'p', metadata: { team: 'care' }, projectExtra: { color: 'red' } })
    expect(lastBody()).toEqual({ name: 'p', description: null, extra: { color: 'red', metadata: { team: 'care' } } })
    expect(server.requests[0]!.query.has('upsert')).toBe(false)
    await client.createProject({ projectName: 'p', upsert: true, referenceDatasetId: ID, numRepetitions: 2 })
    expect(server.requests[1]!.query.get('upsert')).toBe('true')
    expect(lastBody()).toMatchObject({ reference_dataset_id: ID, num_repetitions: 2 })
  })
})

describe('updating a project', () => {
  it('sends only what is given', async () => {
    await client.updateProject(ID, { name: 'new', endTime: '2025-07-10T04:42:19Z' })
    expect(lastBody()).toEqual({ name: 'new', end_time: '2025-07-10T04:42:19.000Z' })
  })
})

describe('looking a project up', () => {
  it('is one read by id and the list by name', async () => {
    expect(await client.readProject({ projectId: ID, includeStats: true })).toEqual(project)
    expect(await client.readProject({ projectName: 'support-bot' })).toEqual(project)
    expect(server.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
      `/sessions/${ID}?include_stats=true`,
      '/sessions?name=support-bot',
    ])
  })

  it('tells absence from failure', async () => {
    expect(await client.hasProject({ projectId: ID })).toBe(true)
    server.respond(() => ({ status: 404, body: { detail: 'Session not found' } }))
    expect(await client.hasProject({ projectId: ID })).toBe(false)
    server.respond(() => ({ body: [] }))
    expect(await client.hasProject({ projectName: 'gone' })).toBe(false)
    server.respond(() => ({ status: 401, body: { detail: 'Invalid token' } }))
    await expect(client.hasProject({ projectId: ID })).rejects.toMatchObject({ status: 401 })
  })
})

describe('listing projects', () => {
  it('passes every condition on', async () => {
    const params = {
      projectIds: [ID, ID],
      nameContains: 'a',
      referenceFree: true,
      metadata: { k: 'v' },
      includeStats: true,
    }
    for await (const _ of client.listProjects({ ...params, name: 'n', datasetVersion: 'v' })) break
    const { query } = server.requests[0]!
    expect(query.getAll('id')).toEqual([ID, ID])
    expect(Object.fromEntries(query)).toMatchObject({
      name: 'n',
      name_contains: 'a',
      reference_free: 'true',
      metadata: '{"k":"v"}',
      include_stats: 'true',
      dataset_version: 'v',
      offset: '0',
      limit: '100',
    })
  })

  it('asks for a page only when the one before is used up, and stops at a short one', async () => {
    server.respond(({ query }) => {
      const offset = Number(query.get('offset'))
      const count = Math.max(0, Math.min(Number(query.get('limit')), 150 - offset))
      return { body: Array.from({ length: count }, (_, index) => ({ ...project, name: `p${offset + index}` })) }
    })
    const names: string[] = []
    for await (const { name } of client.listProjects()) {
      names.push(name)
      if (names.length === 100) expect(server.requests).toHaveLength(1)
    }
    expect(names).toHaveLength(150)
    expect(server.requests).toHaveLength(2)
  })

  it('finds the dataset of a name first', async () => {
    server.respond(({ path }) => ({ body: path === '/datasets' ? [{ id: ID }] : [] }))
    for await (const _ of client.listProjects({ referenceDatasetName: 'd' })) break
    expect(server.requests[1]!.query.get('reference_dataset')).toBe(ID)
  })
})

describe('the links of a project', () => {
  it('lead to the web page, on the API’s own origin', async () => {
    const origin = new URL(server.url).origin
    const page = `/o/${project.tenant_id}/projects/p/${ID}`
    expect(await client.getProjectUrl({ projectId: ID })).toBe(`${origin}${page}`)
    expect(await client.getProjectUrl({ projectId: ID })).toBe(`${origin}${page}`)
    expect(server.requests.filter(({ path }) => path === '/sessions')).toHaveLength(1)
  })

  it('forget a failed lookup of the tenant', async () => {
    server.respond(({ path }, earlier) =>
      path === '/sessions' && earlier === 0 ? { status: 400 } : { body: path === '/sessions' ? [project] : project },
    )
    await expect(client.getProjectUrl({ projectId: ID })).rejects.toMatchObject({ status: 400 })
    expect(await client.getProjectUrl({ projectId: ID })).toContain(ID)
  })

  it.each([
    ['https://ts.example.com/api/v1', 'https://ts.example.com'],
    ['https://ts.example.com/api', 'https://ts.example.com'],
    ['https://ts.example.com/proxy/api/v1', 'https://ts.example.com/proxy'],
    ['https://api.example.com/v1', 'https://api.example.com'],
    ['http://localhost:8080/api/v1', 'http://localhost:8080'],
    ['http://[::1]:3000/api/v1', 'http://[::1]:3000'],
  ])('of %s start with %s', (apiUrl, host) => {
    expect(new Client({ apiUrl }).getHostUrl()).toBe(host)
    expect(new Client({ apiUrl, webUrl: 'https://web.example.com/' }).getHostUrl()).toBe('https://web.example.com')
  })
})
