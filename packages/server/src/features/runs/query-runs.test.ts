import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { runs } = contract
let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const USAGE = {
  input_tokens: 20,
  output_tokens: 10,
  total_tokens: 30,
  input_cost: 0.2,
  output_cost: 0.1,
  total_cost: 0.3,
  input_token_details: { cache_read: 5 },
  output_token_details: { reasoning: 3 },
  input_cost_details: { cache_read: 0.05 },
  output_cost_details: { reasoning: 0.04 },
}

/** A run, with an attachment if one is given. */
async function record(note?: string): Promise<string> {
  const id = uuid7()
  const run = { id, trace_id: id, name: 'r', run_type: 'llm', start_time: new Date().toISOString(), inputs: {} }
  const form = new FormData()
  const part = (name: string, text: string, type: string) => form.append(name, new Blob([text], { type }))
  part(`post.${id}`, JSON.stringify({ ...run, outputs: { usage_metadata: USAGE } }), 'application/json')
  if (note !== undefined) part(`attachment.${id}.note`, note, 'text/plain; length=3')
  expect((await app.fetch('/runs/multipart', { method: 'POST', body: form })).status).toBe(202)
  return id
}
const select = async (id: string, ...names: string[]) =>
  (await app.call(runs.query, { body: { id: [id], select: names } })).body.runs[0]!

describe('a query of runs', () => {
  it('returns the details of each selected total', async () => {
    const id = await record()
    expect(await select(id, 'prompt_tokens', 'completion_cost')).toMatchObject({
      prompt_token_details: { cache_read: 5 },
      completion_cost_details: { reasoning: '0.04' },
    })
    const both = await select(id, 'completion_tokens', 'prompt_cost')
    expect([both.completion_token_details, both.prompt_cost_details]).toEqual([
      { reasoning: 3 },
      { cache_read: '0.05' },
    ])
    expect(await select(id, 'name')).not.toHaveProperty('prompt_token_details')
  })

  it('returns attachments in any case, at absolute URLs that need no key', async () => {
    const [plain, attached] = [await record(), await record('abc')]
    expect(await select(plain, 's3_urls')).not.toHaveProperty('s3_urls')
    for (const name of ['s3_urls', 'name']) {
      const urls = (await select(attached, name)).s3_urls!
      expect(Object.keys(urls)).toEqual(['attachment.note'])
      const { presigned_url, mime_type } = urls['attachment.note']!
      expect([new URL(presigned_url).origin, mime_type]).toEqual([app.url, 'text/plain'])
      expect(await (await fetch(presigned_url)).text()).toBe('abc')
    }
    const one = await app.call(runs.read, { params: { run_id: attached } })
    expect(new URL(one.body.s3_urls!['attachment.note']!.presigned_url).origin).toBe(app.url)
  })
})
