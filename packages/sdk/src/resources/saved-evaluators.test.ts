import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'
const definition = { kind: 'javascript', source: 'const evaluate = () => 1' } as const

let server: Recorder
let client: Client
beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { id: ID } }))
  client = new Client({ apiUrl: server.url })
})
afterEach(() => server.stop())

const asked = () =>
  server.calls.map(({ method, path, body }) => [
    `${method} ${path}`,
    body.length > 0 ? JSON.parse(body.toString()) : undefined,
  ])

describe('saved evaluators', () => {
  it('are created, read, changed and deleted by their id', async () => {
    expect(await client.createSavedEvaluator({ name: 'exact', definition })).toEqual({ id: ID })
    await client.readSavedEvaluator(ID)
    await client.updateSavedEvaluator(ID, { name: 'same' })
    await client.deleteSavedEvaluator(ID)
    expect(asked()).toEqual([
      ['POST /evaluators', { name: 'exact', definition }],
      [`GET /evaluators/${ID}`, undefined],
      [`PATCH /evaluators/${ID}`, { name: 'same' }],
      [`DELETE /evaluators/${ID}`, undefined],
    ])
    await expect(client.readSavedEvaluator('../members')).rejects.toThrow(/uuid/i)
  })

  it('have versions, are previewed and compared with people', async () => {
    await client.createEvaluatorVersion(ID, { definition, expected_version: 1 })
    await client.readEvaluatorVersion(ID, 2)
    const preview = { definition, rows: [{ run_id: ID }, { inputs: { a: 1 } }] }
    await client.previewEvaluator(preview)
    await client.measureEvaluatorAgreement(ID, { experiment_id: ID, feedback_key: 'correct' })
    expect(asked()).toEqual([
      [`POST /evaluators/${ID}/versions`, { definition, expected_version: 1 }],
      [`GET /evaluators/${ID}/versions/2`, undefined],
      ['POST /evaluators/preview', preview],
      [`POST /evaluators/${ID}/agreement`, { experiment_id: ID, feedback_key: 'correct' }],
    ])
  })

  it('are listed a page at a time, and so are their versions', async () => {
    server.respond(({ query }) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
      const items = Array.from({ length: Math.max(0, Math.min(limit, 130 - offset)) }, (_, at) => ({ id: offset + at }))
      return { body: { evaluators: items, versions: items, total: 130 } }
    })
    const found: unknown[] = []
    for await (const one of client.listSavedEvaluators({ kind: 'llm_judge', search: 'a' })) found.push(one)
    expect(found).toHaveLength(130)
    expect(Object.fromEntries(server.requests[0]!.query)).toMatchObject({ kind: 'llm_judge', search: 'a', offset: '0' })
    const versions: unknown[] = []
    for await (const one of client.listEvaluatorVersions(ID, { limit: 3 })) versions.push(one)
    expect(versions).toHaveLength(3)
  })
})
