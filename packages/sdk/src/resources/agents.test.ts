import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { AgentAddress, Client, EvaluatorAddress, ExperimentAddress } from '../index.ts'

let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url })
})
afterEach(() => server.stop())

const asked = () =>
  server.calls.map(({ method, path, query, body }) => [
    `${method} ${path}`,
    Object.fromEntries(query),
    body.length > 0 ? JSON.parse(body.toString()) : undefined,
  ])

describe('agents', () => {
  it('are listed page by page, lazily', async () => {
    server.respond(({ query }) => ({
      body: query.has('cursor')
        ? { items: [{ id: 'c' }], next_cursor: null }
        : { items: [{ id: 'a' }, { id: 'b' }], next_cursor: 'next' },
    }))
    const ids: string[] = []
    for await (const { id } of client.agents.list({ search: 'x', sort_by: 'last_run_start_time' })) ids.push(id)
    expect(ids).toEqual(['a', 'b', 'c'])
    const query = { search: 'x', sort_by: 'last_run_start_time' }
    expect(asked()).toEqual([
      ['GET /agents', query, undefined],
      ['GET /agents', { ...query, cursor: 'next' }, undefined],
    ])
  })

  it('are created, read, changed and deleted by their id', async () => {
    server.respond(({ method }) => (method === 'DELETE' ? { status: 204 } : { body: { id: 'support' } }))
    await client.agents.create({ id: 'support', name: 'Support' })
    expect(await client.agents.get('support')).toEqual({ id: 'support' })
    await client.agents.retrieve('a/b')
    await client.agents.update('support', { owner_id: null })
    await client.agents.delete('support')
    expect(asked()).toEqual([
      ['POST /agents', {}, { source_type: 'EXTERNAL', id: 'support', name: 'Support' }],
      ['GET /agents/support', {}, undefined],
      ['GET /agents/a%2Fb', {}, undefined],
      ['PATCH /agents/support', {}, { owner_id: null }],
      ['DELETE /agents/support', {}, undefined],
    ])
  })
})

describe('the project of an address', () => {
  it('is asked for by its parts', async () => {
    server.respond(() => ({ body: { session_id: 'p' } }))
    expect(await client.sessions.resolve(new AgentAddress('support', 'production'))).toEqual({ session_id: 'p' })
    await client.sessions.resolve(new ExperimentAddress('0197AAAA-0000-7000-8000-000000000000'))
    await client.sessions.resolve(new EvaluatorAddress())
    expect(asked().map(([, query]) => query)).toEqual([
      { kind: 'AGENT', id: 'support', environment: 'PRODUCTION' },
      { kind: 'EXPERIMENT', id: '0197aaaa-0000-7000-8000-000000000000' },
      { kind: 'EVALUATOR' },
    ])
  })

  it('is not asked for with what is no address', async () => {
    await expect(client.sessions.resolve({ kind: 'AGENT', id: 'Bad', environment: 'LOCAL' })).rejects.toThrow(
      'Agent id',
    )
    await expect(client.sessions.resolve({ kind: 'TEAM' } as never)).rejects.toThrow('An address is')
    expect(server.calls).toEqual([])
  })
})
