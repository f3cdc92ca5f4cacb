import { contract, uuid7 } from '@touchstone/contract'
import { MODEL_FIELDS } from '@touchstone/formats/models'
import { shorten } from '@touchstone/formats/outline-json'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'
import { deriveColumns, toPreview } from './derive-columns.ts'
import { RawPayload } from './run-write.ts'

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
