import { contract, uuid7 } from '@touchstone/contract'
import { MODEL_FIELDS } from '@touchstone/formats/models'
import { shorten } from '@touchstone/formats/outline-json'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'
import { deriveColumns, toPreview } from './derive-columns.ts'
import { RawPayload } from './run-write.ts'
import type { StoredRun } from './stored-runs.ts'

const preview = (value: unknown) => toPreview(value, JSON.stringify(value))

describe('the model of a run', () => {
  const context = { tenantId: uuid7(), startTime: '2026-01-01T00:00:00.000000Z', findPrice: () => undefined }
  const derive = (draft: Partial<Parameters<typeof deriveColumns>[0]>) =>
    deriveColumns({ runType: 'llm', patched: new Set(), ...draft }, undefined, context).model
  const payload = (value: unknown) => RawPayload.trusted(JSON.stringify(value))

  it.each(MODEL_FIELDS)('is found under %s, in the parameters and in the request of a call', (field) => {
    const request = payload({ [field]: 'm-1' })
    expect(derive({ extra: payload({ invocation_params: { [field]: 'm-1' } }) })).toBe('m-1')
    expect(derive({ inputs: request })).toBe('m-1')
    expect(derive({ inputs: request, runType: 'chain' })).toBe('')
  })
})

describe('an id with more digits than a number holds', () => {
  const ids = '"thread_id":107505301260286111,"list":[-107505301260286111,9007199254740993],"small":12,"cost":0.25'

  it.each(['', 'x'.repeat(300_000)])('keeps them in payloads of any size', (filling) => {
    const extra = RawPayload.trusted(`{"metadata":{${ids}},"filling":"${filling}"}`)
    const context = { tenantId: uuid7(), startTime: '2026-01-01T00:00:00.000000Z', findPrice: () => undefined }
    const { thread_id, metadata } = deriveColumns({ runType: 'llm', patched: new Set(), extra }, undefined, context)
    expect(thread_id).toBe('107505301260286111')
    expect(metadata).toEqual([
      { key: 'thread_id', value: '107505301260286111' },
      { key: 'list', value: '-107505301260286111' },
      { key: 'list', value: '9007199254740993' },
      { key: 'small', value: '12' },
      { key: 'cost', value: '0.25' },
    ])
  })
})

describe('a large payload', () => {
  const context = { tenantId: uuid7(), startTime: '2026-01-01T00:00:00.000000Z', findPrice: () => undefined }
  const derive = (payloads: { readonly extra?: unknown; readonly outputs?: unknown }, stored?: StoredRun) => {
    const print = (value: unknown) => (value === undefined ? undefined : RawPayload.trusted(JSON.stringify(value)))
    const draft = {
      runType: 'llm' as const,
      patched: new Set<never>(),
      extra: print(payloads.extra),
      outputs: print(payloads.outputs),
    }
    return deriveColumns(draft, stored, context)
  }
  const floats = Array.from({ length: 60_000 }, (_, at) => at / 7)

  it('has the usage and the text of a response with the probabilities of its tokens', () => {
    const token = { token: 'abc', logprob: -0.25, bytes: [97, 98, 99] }
    const content = Array.from({ length: 300 }, () => ({
      ...token,
      top_logprobs: Array.from({ length: 20 }, () => token),
    }))
    const choices = [{ index: 0, logprobs: { content }, message: { role: 'assistant', content: 'Hello.' } }]
    const usage = { prompt_tokens: 7, completion_tokens: 300, total_tokens: 307 }
    expect(derive({ outputs: { choices, usage } })).toMatchObject({
      outputs_preview: 'Hello.',
      prompt_tokens: 7,
      completion_tokens: 300,
      total_tokens: 307,
    })
  })

  it('has the metadata after a long list, and an entry for the list that is cut', () => {
    const usage_metadata = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
    const metadata = { emb: floats, user_id: 'dan', usage_metadata, ls_model_name: 'm-1' }
    const { metadata: entries, model, total_tokens } = derive({ extra: { metadata } })
    expect({ model, total_tokens }).toEqual({ model: 'm-1', total_tokens: 7 })
    expect(entries).toContainEqual({ key: 'user_id', value: '"dan' })
    expect(entries.filter(({ key }) => key === 'touchstone_cut')).toEqual([{ key: 'touchstone_cut', value: '"extra' }])
  })

  it('has an entry for each field that lacks members', () => {
    const keys = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`key ${at}`, at]))
    const isCut = ({ key }: { readonly key: string }) => key === 'touchstone_cut'
    const { metadata } = derive({ outputs: keys })
    expect(metadata).toEqual([{ key: 'touchstone_cut', value: '"outputs' }])
    expect(derive({ outputs: { floats } }).metadata.filter(isCut)).toEqual([])
    const stored = { outputs: JSON.stringify(keys), outputs_preview: '', metadata } as unknown as StoredRun
    expect(derive({ outputs: keys }, stored).metadata).toEqual(metadata)
  })
})

describe('previewing a payload', () => {
  it.each([
    [
      'the last message of the user',
      {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'yes?' },
        ],
      },
      'hi',
    ],
    [
      'a nested list of messages',
      {
        messages: [
          [
            { role: 'system', content: 's' },
            { role: 'human', content: 'hello' },
          ],
        ],
      },
      'hello',
    ],
    ['a serialized message', { messages: [[{ lc: 1, id: ['x', 'HumanMessage'], kwargs: { content: 'hey' } }]] }, 'hey'],
    ['an OpenAI answer', { choices: [{ message: { role: 'assistant', content: 'done' } }] }, 'done'],
    [
      'the question of an OpenAI response',
      {
        model: 'gpt-5',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
          { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' },
        ],
      },
      'Weather?',
    ],
    [
      'the answer of an OpenAI response',
      {
        id: 'resp_1',
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.' }] },
          { type: 'function_call', call_id: 'c', name: 'note', arguments: '{}' },
        ],
      },
      'Rain.',
    ],
    ['a Gemini question', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }, 'Hi'],
    ['a Gemini answer', { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] } }] }, 'Hello'],
    [
      'the answer beside the messages of the question',
      { input: [{ role: 'user', content: 'hi' }], output: 'answer' },
      'answer',
    ],
    [
      'the last message of the output beside those of the input',
      { input: [{ role: 'user', content: 'hi' }], output: [{ role: 'assistant', content: 'hello' }] },
      'hello',
    ],
    ['the answer beside documents', { output: [{ content: 'page 1' }, { content: 'page 2' }], answer: 'Yes.' }, 'Yes.'],
    ['the question beside messages', { input: [{ role: 'user', content: 'old' }], question: 'why?' }, 'why?'],
    ['the JSON of a list', { input: [1, 2] }, '{"input":[1,2]}'],
    ['a generation', { generations: [[{ text: 'generated' }]] }, 'generated'],
    [
      'the text parts of a message',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image' }, { text: 'b' }] }] },
      'a b',
    ],
    ['a well-named text', { k: 3, question: 'why?' }, 'why?'],
    ['the only text', { whatever: 'this' }, 'this'],
    ['the JSON otherwise', { a: 1, b: [2] }, '{"a":1,"b":[2]}'],
  ])('shows %s', (_what, value, expected) => {
    expect(preview(value)).toBe(expected)
  })

  it('collapses white space, and marks text that it cut', () => {
    expect(shorten('a\n\n  b\tc')).toBe('a b c')
    expect(shorten('x'.repeat(500))).toBe(`${'x'.repeat(239)}…`)
    expect(shorten(`${' '.repeat(480)}late`)).toBe('…')
  })

  it('never cuts a surrogate pair', () => {
    expect(shorten(`${'x'.repeat(238)}😀😀`).isWellFormed()).toBe(true)
  })
})

const { projects, runs } = contract

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const metadata = { chat_id: 'chat', session_id: 'session', thread_id: 'thread' }

async function sent(session_name: string, fields: object = { extra: { metadata } }): Promise<string> {
  const id = uuid7()
  await app.call(runs.create, { body: { id, name: 'turn', run_type: 'chain', inputs: {}, session_name, ...fields } })
  return id
}
const threadOf = async (run_id: string) => (await app.call(runs.read, { params: { run_id } })).body.thread_id
const choose = (session_id: string, thread_keys: unknown) =>
  app.call(projects.update, { params: { session_id }, body: { extra: { touchstone: { thread_keys } } } })

describe('the thread of a run', () => {
  it('is identified by the keys of its project, for all later runs', async () => {
    const before = await sent('chosen')
    const project = (await app.call(runs.read, { params: { run_id: before } })).body.session_id
    expect(await threadOf(before)).toBe('session')
    await choose(project, ['chat_id', 'thread_id'])
    expect(await threadOf(await sent('chosen'))).toBe('chat')
    expect(await threadOf(await sent('chosen', { session_id: project, extra: { metadata } }))).toBe('chat')
    expect(await threadOf(await sent('chosen', { extra: { metadata: { thread_id: 't' } } }))).toBe('t')
    expect(await threadOf(await sent('chosen', { extra: { metadata: { session_id: 's' } } }))).toBeNull()
    expect(await threadOf(await sent('another'))).toBe('session')
    expect(await threadOf(before)).toBe('session')
  })

  it('is identified by the keys of its own project also when an update does not contain the project', async () => {
    const { id } = (await app.call(projects.create, { body: { name: 'updated' } })).body
    await choose(id, ['chat_id'])
    const run_id = await sent('updated', {})
    await app.call(runs.update, { params: { run_id }, body: { extra: { metadata } } })
    expect(await threadOf(run_id)).toBe('chat')
  })

  it.each([
    ['text', 'chat_id'],
    ['nothing', []],
    ['something else than texts', [1]],
    ['an empty text', ['']],
    ['too many', Array.from({ length: 11 }, (_, at) => `key_${at}`)],
  ])('is named as usual where a program chose %s', async (what, keys) => {
    const { id } = (await app.call(projects.create, { body: { name: `odd ${what}` } })).body
    await choose(id, keys)
    expect(await threadOf(await sent(`odd ${what}`))).toBe('session')
  })
})

it('finds the data of a user behind a long list of the metadata', async () => {
  const emb = Array.from({ length: 60_000 }, (_, at) => at / 7)
  await app.call(runs.create, {
    body: { id: uuid7(), name: 'embed', run_type: 'chain', inputs: {}, extra: { metadata: { emb, user_id: 'dan' } } },
  })
  const count = async (metadata: Record<string, string>) =>
    (await app.call(contract.runDeletions.delete, { body: { metadata, dry_run: true } })).body.found?.runs
  expect(await count({ user_id: 'dan' })).toBe(1)
  expect(await count({ touchstone_cut: 'extra' })).toBe(1)
})
