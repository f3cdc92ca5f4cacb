import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'
const definition = { project_ids: [ID], actions: [{ kind: 'feedback' as const, key: 'seen', score: 1 }] }

let server: Recorder
let client: Client
beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { id: ID, rules: [] } }))
  client = new Client({ apiUrl: server.url })
})
afterEach(() => server.stop())

const asked = () =>
  server.calls.map(({ method, path, query, body }) => [
    `${method} ${path}`,
    body.length > 0 ? JSON.parse(body.toString()) : Object.fromEntries(query),
  ])

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('rules', () => {
  it('are created, read, changed and deleted by their id', async () => {
    expect(await client.createRule({ name: 'seen', definition })).toMatchObject({ id: ID })
    await client.readRule(ID)
    await client.updateRule(ID, { definition, expected_version: 1 })
    await client.deleteRule(ID)
    expect(asked()).toEqual([
      ['POST /rules', { name: 'seen', definition }],
      [`GET /rules/${ID}`, {}],
      [`PATCH /rules/${ID}`, { definition, expected_version: 1 }],
      [`DELETE /rules/${ID}`, {}],
    ])
    await expect(client.readRule('../members')).rejects.toThrow(/uuid/i)
  })

  it('count the runs of a window, and explain a run', async () => {
    await client.readRuleFunnel(ID)
    await client.readRuleFunnel(ID, '7d')
    expect(await client.explainRules(ID)).toEqual([])
    expect(asked()).toEqual([
      [`GET /rules/${ID}/funnel`, {}],
      [`GET /rules/${ID}/funnel`, { window: '7d' }],
      [`GET /runs/${ID}/rules`, {}],
    ])
    await expect(client.explainRules('x')).rejects.toThrow(/uuid/i)
  })

  it('are tried before they are saved, and act on the past', async () => {
    await client.dryRunRule({ definition })
    await client.tryRule({ definition, count: 2 })
    await client.redoRule(ID, [ID])
    await client.readRuleSpend(ID)
    await client.countRuleDecisions('1h')
    await client.createRuleBackfill(ID, { from: '2026-11-01T00:00:00Z' })
    await client.updateRuleBackfill(ID, ID, 'paused')
    expect(asked()).toEqual([
      ['POST /rules/dry-run', { definition }],
      ['POST /rules/try', { definition, count: 2 }],
      [`POST /rules/${ID}/decisions/redo`, { run_ids: [ID] }],
      [`GET /rules/${ID}/spend`, {}],
      ['GET /rules/counts', { window: '1h' }],
      [`POST /rules/${ID}/backfills`, { from: '2026-11-01T00:00:00Z' }],
      [`PATCH /rules/${ID}/backfills/${ID}`, { state: 'paused' }],
    ])
  })

  it('are listed a page at a time, and so are their versions', async () => {
    server.respond(({ query }) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
      const items = Array.from({ length: Math.max(0, Math.min(limit, 130 - offset)) }, (_, at) => ({ id: offset + at }))
      return { body: { rules: items, versions: items, total: 130 } }
    })
    expect(await collect(client.listRules({ projectId: ID, search: 'a' }))).toHaveLength(130)
    expect(asked()[0]![1]).toMatchObject({ project_id: ID, search: 'a', offset: '0' })
    expect(await collect(client.listRuleVersions(ID, { limit: 3 }))).toHaveLength(3)
  })

  it('list their decisions by the cursor of the page before, up to the limit', async () => {
    server.respond(({ query }) => {
      const from = Number(query.get('cursor') ?? 0)
      const to = Math.min(250, from + Number(query.get('limit')))
      const decisions = Array.from({ length: to - from }, (_, at) => ({ attempts: from + at }))
      return { body: { decisions, next_cursor: to === 250 ? null : String(to) } }
    })
    const found = await collect(client.listRuleDecisions(ID, { state: 'failed' }))
    expect(found.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 250 }, (_, at) => at))
    expect(asked().map(([, query]) => query)).toEqual([
      { state: 'failed', limit: '100' },
      { state: 'failed', limit: '100', cursor: '100' },
      { state: 'failed', limit: '100', cursor: '200' },
    ])
    expect(await collect(client.listRuleDecisions(ID, { limit: 120 }))).toHaveLength(120)
  })
})
