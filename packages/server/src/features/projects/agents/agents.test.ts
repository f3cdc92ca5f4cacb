import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { agents, runs, projects } = contract
let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const addressOf = (agent: string, environment = 'production') => `lrn:agents/${agent}/environments/${environment}`
const aRun = (fields: object) => {
  const start_time = new Date().toISOString()
  return { id: uuid7(), name: 'answer', run_type: 'chain', start_time, inputs: {}, ...fields }
}
const send = (...post: object[]) => app.call(runs.batch, { body: { post } })
const projectOf = async (run: { id: string }) =>
  (await app.call(runs.read, { params: { run_id: run.id } })).body.session_id
const read = (agent_id: string) => app.call(agents.read, { params: { agent_id } })
const resolve = (query: Record<string, string>) => app.call(agents.resolve, { query })
const anAgentId = () => `agent-${uuid7().slice(-12)}`

describe('a run with the address of an agent', () => {
  it('is stored in the project of the environment, which is created on first use', async () => {
    const id = anAgentId()
    const [first, second, staged] = [
      aRun({ address: addressOf(id) }),
      aRun({ address: addressOf(id, 'PRODUCTION') }),
      aRun({ address: addressOf(id, 'staging') }),
    ]
    expect((await send(first, second, staged)).status).toBe(202)

    const { body: agent } = await read(id)
    expect(agent).toMatchObject({ id, name: id, agent_type: 'CUSTOM', source_type: 'EXTERNAL', owner: null })
    expect(
      agent.environments.map(({ environment, tracer_session_name }) => [environment, tracer_session_name]),
    ).toEqual([
      ['LOCAL', `${id}/local`],
      ['DEVELOPMENT', `${id}/development`],
      ['STAGING', `${id}/staging`],
      ['PRODUCTION', `${id}/production`],
    ])
    const [, , staging, production] = agent.environments.map(({ tracer_session_id }) => tracer_session_id)
    expect([await projectOf(first), await projectOf(second)]).toEqual([production, production])
    expect(await projectOf(staged)).toBe(staging)
    expect((await resolve({ kind: 'agent', id, environment: 'Production' })).body).toEqual({ session_id: production })
  })

  it('creates the project once for concurrent runs', async () => {
    const id = anAgentId()
    const sent = Array.from({ length: 12 }, () => aRun({ address: addressOf(id) }))
    await Promise.all(sent.map((run) => send(run)))
    expect(new Set(await Promise.all(sent.map(projectOf))).size).toBe(1)
    const names = await app.call(projects.list, { query: { name_contains: id } })
    expect(names.body).toHaveLength(4)
  })

  it('accepts an update with its address, before and after its creation', async () => {
    const id = anAgentId()
    const run = aRun({ address: addressOf(id) })
    const patch = { id: run.id, address: addressOf(id), outputs: { answer: 42 }, end_time: new Date().toISOString() }
    expect((await app.call(runs.batch, { body: { patch: [patch] } })).status).toBe(202)
    expect((await send(run)).status).toBe(202)
    expect((await app.call(runs.read, { params: { run_id: run.id } })).body).toMatchObject({ outputs: { answer: 42 } })
    const environments = (await read(id)).body.environments
    expect(await projectOf(run)).toBe(environments.at(-1)?.tracer_session_id)
  })

  it('is stored in its project, also when it is large', async () => {
    const id = anAgentId()
    const run = aRun({ address: addressOf(id), inputs: { text: 'x'.repeat(400_000) } })
    expect((await send(run)).status).toBe(202)
    expect(await projectOf(run)).toBe((await read(id)).body.environments.at(-1)?.tracer_session_id)
  })

  it('does not move when an update also names a session', async () => {
    const id = anAgentId()
    const run = aRun({ address: addressOf(id) })
    await send(run)
    const before = await projectOf(run)
    const patch = { id: run.id, address: addressOf(id, 'local'), session_name: 'elsewhere', outputs: {} }
    expect((await app.call(runs.batch, { body: { patch: [patch] } })).status).toBe(202)
    expect(await projectOf(run)).toBe(before)
  })

  it.each([
    ['lrn:agents/Upper/environments/production'],
    ['lrn:agents/ok/environments/prod'],
    ['lrn:agents/ok/environments/production/more'],
    ['agents/ok/environments/production'],
    [`lrn:agents/${'a'.repeat(64)}/environments/local`],
  ])('is rejected alone for the address %j', async (address) => {
    const [bad, good] = [aRun({ address }), aRun({})]
    const { status, body } = await send(bad, good)
    expect(status).toBe(202)
    expect(body.errors).toEqual([{ run_id: bad.id, error: expect.stringContaining('address') }])
    expect((await app.call(runs.read, { params: { run_id: good.id } })).status).toBe(200)
  })

  it('is rejected when it has both a session and an address', async () => {
    const { status, text } = await send(aRun({ address: addressOf(anAgentId()), session_name: 'elsewhere' }))
    expect([status, text]).toEqual([400, expect.stringContaining('send one of them')])
  })

  it('gets a new project after its project was deleted', async () => {
    const id = anAgentId()
    const [before, after] = [aRun({ address: addressOf(id) }), aRun({ address: addressOf(id) })]
    await send(before)
    const session_id = (await projectOf(before))!
    await app.call(projects.delete, { params: { session_id } })
    expect((await resolve({ kind: 'AGENT', id, environment: 'PRODUCTION' })).status).toBe(404)
    await send(after)
    const renewed = await projectOf(after)
    expect(renewed).not.toBe(session_id)
    expect((await resolve({ kind: 'AGENT', id, environment: 'PRODUCTION' })).body).toEqual({ session_id: renewed })
  })
})

describe('resolving an address', () => {
  it('finds experiments and the evaluators of the workspace, and creates nothing', async () => {
    const dataset = (await app.call(contract.datasets.create, { body: { name: `d-${uuid7()}` } })).body
    const body = { name: `x-${uuid7()}`, reference_dataset_id: dataset.id }
    const experiment = (await app.call(projects.create, { body })).body
    const plain = (await app.call(projects.create, { body: { name: `p-${uuid7()}` } })).body
    expect((await resolve({ kind: 'EXPERIMENT', id: experiment.id })).body).toEqual({ session_id: experiment.id })
    expect((await resolve({ kind: 'EXPERIMENT', id: plain.id })).status).toBe(404)
    expect((await resolve({ kind: 'EXPERIMENT' })).status).toBe(400)
    expect((await resolve({ kind: 'EVALUATOR' })).status).toBe(404)
    const evaluators = (await app.call(projects.create, { body: { name: 'evaluators' } })).body
    expect((await resolve({ kind: 'evaluator' })).body).toEqual({ session_id: evaluators.id })

    expect((await resolve({ kind: 'AGENT', id: 'unknown', environment: 'LOCAL' })).status).toBe(404)
    expect((await read('unknown')).status).toBe(404)
    expect((await resolve({ kind: 'AGENT', id: 'unknown', environment: 'MOON' })).status).toBe(400)
  })
})

describe('the registry of agents', () => {
  it('creates, changes and deletes an agent with its projects', async () => {
    const id = anAgentId()
    const create = (fields: object = {}) => app.call(agents.create, { body: { id, ...fields } })
    const made = await create({ name: 'Support', agent_type: 'coding', source_type: 'EXTERNAL' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ id, name: 'Support', agent_type: 'CODING', source_type: 'EXTERNAL' })
    const repeated = await create()
    expect([repeated.status, repeated.headers.get('x-should-retry')]).toEqual([409, 'false'])
    expect((await create({ production_only: true })).status).toBe(400)

    const params = { agent_id: id }
    const changed = await app.call(agents.update, { params, body: { name: 'Help center', owner_id: 'me' } })
    expect(changed.body).toMatchObject({ name: 'Help center', owner_id: 'me', agent_type: 'CODING' })
    expect((await app.call(agents.update, { params, body: { owner_id: null } })).body.owner_id).toBeNull()
    expect((await app.call(agents.update, { params: { agent_id: 'unknown' }, body: { name: 'x' } })).status).toBe(404)

    const session_id = changed.body.environments[0]!.tracer_session_id!
    expect((await app.call(agents.delete, { params })).status).toBe(204)
    expect((await app.call(agents.delete, { params })).status).toBe(204)
    expect((await read(id)).status).toBe(404)
    expect((await app.call(projects.read, { params: { session_id } })).status).toBe(404)
  })

  it('creates only production on request', async () => {
    const id = anAgentId()
    const { body } = await app.call(agents.create, { body: { id, source_type: 'FLEET', production_only: true } })
    expect(body.environments.map(({ environment }) => environment)).toEqual(['PRODUCTION'])
  })

  it('uses another project name when the usual one is taken', async () => {
    const id = anAgentId()
    const taken = (await app.call(projects.create, { body: { name: `${id}/production` } })).body
    const { body } = await app.call(agents.create, { body: { id } })
    expect(body.environments.at(-1)).toMatchObject({ tracer_session_name: `${id}/production 2` })
    expect(body.environments.at(-1)?.tracer_session_id).not.toBe(taken.id)
  })

  it('lists the agent of a project', async () => {
    const id = anAgentId()
    const { body } = await app.call(agents.create, { body: { id } })
    const ofProject = async (session_id: string) =>
      (await app.call(agents.list, { query: { session_id } })).body.items.map((agent) => agent.id)
    expect(await ofProject(body.environments[0]!.tracer_session_id!)).toEqual([id])
    const other = (await app.call(projects.create, { body: { name: `p-${id}` } })).body
    expect(await ofProject(other.id)).toEqual([])
    expect((await app.call(agents.list, { query: { session_id: 'x' } })).status).toBe(400)
  })

  it('lists each agent once over all pages, by name, age or last trace', async () => {
    const word = uuid7().slice(-8)
    const ids = ['b', 'c', 'a'].map((letter) => `${letter}-${word}`)
    for (const id of ids) await app.call(agents.create, { body: { id } })
    await send(aRun({ address: addressOf(ids[0]!) }))
    const list = async (query: Record<string, string>) => {
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { items: { id: string }[]; next_cursor: string | null } = (
          await app.call(agents.list, { query: { search: word, page_size: '2', ...query, ...(cursor && { cursor }) } })
        ).body
        found.push(...page.items.map(({ id }) => id[0]!))
        cursor = page.next_cursor
      }
      return found.join('')
    }
    expect(await list({ sort_by: 'name', sort_order: 'asc' })).toBe('abc')
    expect(await list({ sort_by: 'created_at' })).toBe('acb')
    expect((await list({ sort_by: 'last_run_start_time' }))[0]).toBe('b')
    expect(await list({ search: `C ${word}` })).toBe('c')
    expect((await app.call(agents.list, { query: { id: ids[1]! } })).body.items.map(({ id }) => id)).toEqual([ids[1]])
    expect((await app.call(agents.list, { query: { cursor: 'x' } })).status).toBe(400)
  })
})
