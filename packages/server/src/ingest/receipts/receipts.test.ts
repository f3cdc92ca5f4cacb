import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallInput, type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const START = '2026-02-03T04:05:06.000007Z'

function aRun(fields: Record<string, unknown> = {}) {
  const id = uuid7()
  return { id, trace_id: id, name: 'step', run_type: 'chain', start_time: START, ...fields }
}

const send = (body: unknown, headers: Record<string, string> = {}) =>
  app.fetch('/runs/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'langsmith-py/0.9', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const where = async (id: string) => (await app.call(contract.ingestReceipts.where, { params: { id } })).body
const list = async (query: CallInput['query'] = {}) => (await app.call(contract.ingestReceipts.list, { query })).body
const makeProject = async (name: string) => (await app.call(contract.projects.create, { body: { name } })).body.id

describe('where is my trace', () => {
  it('finds an accepted run with its client, version and sampling rate', async () => {
    const extra = {
      runtime: { sdk: 'langsmith-py', sdk_version: '0.9.1' },
      metadata: { ls_tracing_sample_rate: 0.25 },
    }
    const run = aRun({ extra })
    await send({ post: [run] })
    const found = await where(run.id)
    expect(found).toMatchObject({ outcome: 'stored', stored: { run_id: run.id, trace_id: run.trace_id } })
    expect(found.receipts).toMatchObject([
      {
        route: 'POST /runs/batch',
        accepted: 1,
        rejected: 0,
        user_agent: 'langsmith-py/0.9',
        sdk: 'langsmith-py 0.9.1',
        sampling_rate: 0.25,
        projects: ['default'],
      },
    ])
    expect(found.sampling_rates).toEqual([0.25])
  })

  it('tells why a run was rejected while its neighbor was stored', async () => {
    const good = aRun({ session_name: 'mixed' })
    const bad = aRun({ session_name: 'mixed', start_time: 'yesterday' })
    await send({ post: [good, bad] })
    const found = await where(bad.id)
    expect(found).toMatchObject({ outcome: 'rejected', stored: null })
    expect(found.receipts[0]).toMatchObject({ accepted: 1, rejected: 1 })
    expect(found.receipts[0]?.items).toMatchObject([{ id: bad.id, outcome: 'rejected', project: 'mixed' }])
    expect(found.receipts[0]?.items[0]?.reason).toContain('start_time')
    expect((await where(good.id)).outcome).toBe('stored')
  })

  it('does not know an id that never came, in any notation', async () => {
    expect(await where(uuid7())).toMatchObject({ outcome: 'unknown', receipts: [] })
    expect(await where('no id at all')).toMatchObject({ outcome: 'unknown', receipts: [] })
  })

  it('counts a request that was refused whole, with its reason', async () => {
    await send('{"post": [')
    const { receipts } = await list({ outcome: 'rejected', limit: '1' })
    expect(receipts).toMatchObject([{ accepted: 0, rejected: 1, items: [] }])
    expect(receipts[0]?.error).toContain('not valid JSON')
    expect(receipts[0]?.status).toBeGreaterThanOrEqual(400)
  })

  it('names the project of a run whose part is too large', async () => {
    const run = aRun({ session_name: 'large' })
    const form = new FormData()
    form.append(`post.${run.id}`, new Blob([JSON.stringify(run)], { type: 'application/json' }))
    const outputs = JSON.stringify({ text: 'x'.repeat(app.deps.config.ingest.maxPartBytes) })
    form.append(`post.${run.id}.outputs`, new Blob([outputs], { type: 'application/json' }))
    await app.fetch('/runs/multipart', { method: 'POST', body: form })
    const [receipt] = (await where(run.id)).receipts
    expect(receipt?.items).toMatchObject([{ id: run.id, project: 'large' }])
    expect(receipt?.items[0]?.reason).toContain('more than the limit')
  })
})

describe('list ingest requests', () => {
  it('pages by cursor, newest first, without repeating', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list({ limit: '2', ...(cursor && { cursor }) })
      seen.push(...page.receipts.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThan(3)
    const invalid = await app.call(contract.ingestReceipts.list, { query: { cursor: 'x' } })
    expect(invalid.status).toBe(400)
  })

  it('selects a project by its id, and forgets it with the project', async () => {
    const project = await makeProject('short-lived')
    await send({ post: [aRun({ session_name: 'short-lived' }), aRun({ session_id: project, run_type: 7 })] })
    const selected = await list({ project })
    expect(selected.receipts).toHaveLength(1)
    expect(selected.rejected_total).toBe(selected.receipts[0]?.rejected)
    const id = selected.receipts[0]?.id
    await app.call(contract.projects.delete, { params: { session_id: project } })
    expect((await list()).receipts.map((receipt) => receipt.id)).not.toContain(id)
  })
})

describe('receipts of keys and workspaces', () => {
  it('name the key without its secret', async () => {
    const own = await startApp()
    const { body: made } = await own.call(contract.apiKeys.create, { body: { description: 'CI' } })
    const headers = { 'x-api-key': made.key }
    const run = aRun()
    await own.fetch('/runs', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(run),
    })
    const answer = await own.call(contract.ingestReceipts.list, { query: { api_key: made.id }, headers })
    expect(answer.body.receipts).toMatchObject([{ sender: 'CI', api_key_id: made.id, short_key: made.short_key }])
    expect(answer.text).not.toContain(made.key)
    await own.close()
  })

  it('stay in their workspace', async () => {
    const run = aRun()
    await send({ post: [run] })
    const created = await app.call(contract.workspaces.create, { body: { display_name: 'Other' } })
    const headers = { 'x-tenant-id': created.body.id }
    const found = await app.call(contract.ingestReceipts.where, { params: { id: run.id }, headers })
    expect(found.body).toMatchObject({ outcome: 'unknown', receipts: [] })
    expect((await app.call(contract.ingestReceipts.list, { headers })).body.receipts).toEqual([])
  })
})
