import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { evaluator: { id: ID } } }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const sent = () =>
  server.requests.map(({ method, path, query, body }) => [
    `${method} ${path.slice(path.indexOf('/platform'))}`,
    body.length > 0 ? JSON.parse(body.toString()) : Object.fromEntries(query),
  ])

describe('evaluators of the workspace', () => {
  it('are created, read, changed and deleted', async () => {
    const codeEvaluator = { code: 'def perform_eval(run, example): ...' }
    expect(await client.createEvaluator({ name: 'exact', type: 'code', codeEvaluator })).toEqual({ id: ID })
    await client.readEvaluator(ID)
    await client.updateEvaluator(ID, { codeEvaluator: { code_evaluator_input: null }, metadata: null })
    await client.deleteEvaluator(ID)
    expect(sent()).toEqual([
      ['POST /platform/evaluators', { type: 'code', name: 'exact', code_evaluator: codeEvaluator }],
      [`GET /platform/evaluators/${ID}`, {}],
      [`PATCH /platform/evaluators/${ID}`, { code_evaluator: { code_evaluator_input: null }, metadata: null }],
      [`DELETE /platform/evaluators/${ID}`, {}],
    ])
    await expect(client.readEvaluator('x')).rejects.toThrow('Invalid UUID: x')
  })

  it('are listed a page at a time, until there are no more', async () => {
    server.respond(({ query }) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
      const count = Math.max(0, Math.min(limit, 130 - offset))
      return { body: { evaluators: Array.from({ length: count }, (_, at) => ({ id: offset + at })), total: 130 } }
    })
    const found: unknown[] = []
    const params = { type: 'llm', nameContains: 'a', metadata: { team: 'b' }, agentId: 'support' } as const
    for await (const evaluator of client.listEvaluators(params)) found.push(evaluator)
    expect(found).toHaveLength(130)
    expect(sent()[0]![1]).toEqual({
      type: 'llm',
      name_contains: 'a',
      metadata: '{"team":"b"}',
      agent_id: 'support',
      offset: '0',
      limit: '100',
    })
  })
})
