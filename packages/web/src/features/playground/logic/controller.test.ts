import type { PlaygroundEvent } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { continueConversation, countDistinct, withoutParameter } from './answers.ts'
import {
  EMPTY_STATE,
  getLatest,
  isStale,
  MAX_HISTORY,
  PlaygroundController,
  type PlaygroundState,
  type RunRequest,
} from './controller.ts'
import { fromDraftBody, toDraftBody } from './draft.ts'
import { listVariableRows, toValues } from './variables.ts'
import { newVariant, readTools, readVariant, type Variant } from './variant.ts'

const ready = (more: Partial<Variant> = {}) =>
  newVariant('1', { providerId: 'p', model: 'm', messages: [{ role: 'user', content: 'Say {word}' }], ...more })

const FIGURES = { tokens: null, cost: 0.5, latency_ms: 12, first_token_ms: 3, raw_request: null, raw_reply: null }
const of = (repeat = 0) => ({ variant: 0, repeat })
const finished = (content: string, repeat = 0): PlaygroundEvent => ({
  type: 'finished',
  ...of(repeat),
  message: { role: 'assistant', content },
  ...FIGURES,
  finish_reason: 'stop',
  provider_finish_reason: 'stop',
  model: 'm',
  unsent_parameters: [],
  schema_problem: null,
})

interface Call {
  readonly request: RunRequest
  readonly signal: AbortSignal
  send(...events: PlaygroundEvent[]): void
  end(error?: Error): Promise<void>
}

/** A controller whose calls and frames the test plays. */
function start(state: PlaygroundState = { ...EMPTY_STATE, variants: [ready()] }) {
  const calls: Call[] = []
  const frames: (() => void)[] = []
  const controller = new PlaygroundController(
    {
      run: (request, onEvent, signal) =>
        new Promise((resolve, reject) => {
          const settle = async (error?: Error) => {
            if (error) reject(error)
            else resolve()
            // Pause: lets pending promises settle.
            await new Promise((done) => setTimeout(done))
          }
          calls.push({ request, signal, send: (...events) => events.forEach(onEvent), end: settle })
        }),
      nextFrame: (callback) => frames.push(callback),
    },
    state,
  )
  const draw = () => {
    for (const frame of frames.splice(0)) frame()
  }
  const answers = (key = '1') => getLatest(controller.store.read(), key)?.answers ?? []
  return { controller, calls, draw, answers }
}

describe('a run of a variant', () => {
  it('sends the variant with its values, and shows the answer as it arrives', async () => {
    const { controller, calls, draw, answers } = start()
    controller.setValue('word', 'hi')
    controller.setValue('other', 'unused')
    expect(controller.run('1')).toBe(true)
    expect(calls[0]?.request).toMatchObject({ providerId: 'p', model: 'm', values: { word: 'hi' }, repeats: 1 })
    calls[0]?.send({ type: 'started', ...of(), run_id: 'r', trace_id: 't' }, { type: 'text', ...of(), text: 'He' })
    expect(answers()[0]?.status).toBe('waiting')
    calls[0]?.send({ type: 'text', ...of(), text: 'llo' })
    draw()
    expect(answers()[0]).toMatchObject({ status: 'running', text: 'Hello', runId: 'r' })
    calls[0]?.send(finished('Hello!'))
    await calls[0]?.end()
    expect(answers()[0]).toMatchObject({ status: 'done', text: 'Hello!', figures: { cost: 0.5 } })
  })

  it('draws once for all events of a frame', () => {
    const { controller, calls, draw } = start()
    controller.run('1')
    let draws = 0
    controller.store.subscribe(() => draws++)
    for (let at = 0; at < 1000; at++) calls[0]?.send({ type: 'text', ...of(), text: 'x' })
    draw()
    expect(draws).toBe(1)
  })

  it('joins the parts of a call of a tool', () => {
    const { controller, calls, draw, answers } = start()
    controller.run('1')
    const part = (more: object) => ({ type: 'tool_call', ...of(), index: 1, ...more }) as PlaygroundEvent
    calls[0]?.send(part({ id: 'c', name: 'find', arguments: '{"a"' }), part({ arguments: ':1}' }))
    draw()
    expect(answers()[0]?.calls[1]).toEqual({ id: 'c', name: 'find', arguments: '{"a":1}' })
  })

  it('keeps what has arrived when it is stopped, and ignores what comes later', async () => {
    const { controller, calls, draw, answers } = start()
    controller.run('1')
    calls[0]?.send({ type: 'text', ...of(), text: 'Half' })
    controller.stop('1')
    expect(calls[0]?.signal.aborted).toBe(true)
    calls[0]?.send({ type: 'text', ...of(), text: ' more' })
    await calls[0]?.end(new Error('aborted'))
    draw()
    expect(answers()[0]).toMatchObject({ status: 'stopped', text: 'Half' })
    expect(controller.run('1')).toBe(true)
  })

  it('fails when the stream ends without an end of the answer', async () => {
    const { controller, calls, answers } = start()
    controller.run('1')
    await calls[0]?.end(new Error('The server is not reachable.'))
    expect(answers()[0]).toMatchObject({ status: 'failed', problem: { message: 'The server is not reachable.' } })
  })

  it('runs five variants at once and the sixth after one of them', async () => {
    const variants = ['1', '2', '3', '4', '5', '6'].map((key) => ({ ...ready(), key }))
    const { controller, calls } = start({ ...EMPTY_STATE, variants, values: { word: 'x' } })
    expect(controller.runAll()).toEqual([])
    expect(calls).toHaveLength(5)
    await calls[2]?.end()
    expect(calls).toHaveLength(6)
  })

  it('names the variants that cannot be sent', () => {
    const { controller, calls } = start({ ...EMPTY_STATE, variants: [ready(), { ...ready({ model: '' }), key: '2' }] })
    expect(controller.runAll()).toEqual(['2'])
    expect(calls).toHaveLength(1)
  })

  it('asks for several answers, and counts different ones', () => {
    const { controller, calls, draw, answers } = start()
    controller.setRepeats(3)
    controller.run('1')
    calls[0]?.send(finished('a', 0), finished('b', 1), finished('a', 2))
    draw()
    expect(answers().map(({ text }) => text)).toEqual(['a', 'b', 'a'])
    expect(countDistinct(answers())).toBe(2)
  })

  it.each([0, 3.7, 99, Number.NaN])('takes %d repeats as a number from 1 to 10', (repeats) => {
    const { controller } = start()
    controller.setRepeats(repeats)
    expect([1, 3, 10]).toContain(controller.store.read().repeats)
  })

  it('keeps the last runs', async () => {
    const { controller, calls } = start()
    for (let at = 0; at < MAX_HISTORY + 3; at++) {
      controller.run('1')
      calls[at]?.send(finished(String(at)))
      await calls[at]?.end()
    }
    const runs = controller.store.read().runs['1'] ?? []
    expect(runs).toHaveLength(MAX_HISTORY)
    expect(runs.at(-1)?.answers[0]?.text).toBe(String(MAX_HISTORY + 2))
  })
})

describe('an output', () => {
  it('is stale after an edit of the variant or of a value that it uses, until the edit is undone', () => {
    const { controller } = start()
    controller.setValue('word', 'a')
    controller.run('1')
    const check = () => {
      const state = controller.store.read()
      const [variant] = state.variants
      const run = getLatest(state, '1')
      return variant && run && isStale(state, variant, run)
    }
    expect(check()).toBe(false)
    controller.setValue('other', 'b')
    expect(check()).toBe(false)
    controller.setValue('word', 'b')
    expect(check()).toBe(true)
    controller.setValue('word', 'a')
    controller.change('1', (variant) => ({ ...variant, parameters: { temperature: 1 } }))
    expect(check()).toBe(true)
    controller.change('1', (variant) => ({ ...variant, parameters: {}, name: 'Renamed' }))
    expect(check()).toBe(false)
  })

  it('is continued with results of tools, whose braces stay text', () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'find', arguments: '{}' } }
    const message = { role: 'assistant' as const, content: 'Look {here}', tool_calls: [call] }
    const { messages } = continueConversation(ready(), message, [{ id: 'c', text: '{"a":1}' }])
    expect(messages.slice(1)).toEqual([
      { ...message, content: 'Look {{here}}' },
      { role: 'tool', tool_call_id: 'c', content: '{{"a":1}}' },
    ])
    expect(continueConversation(ready(), { role: 'assistant', content: 'Hi' }, []).messages.at(-1)).toEqual({
      role: 'user',
      content: '',
    })
  })

  it('is asked for again without a rejected parameter', () => {
    const { controller, calls } = start({
      ...EMPTY_STATE,
      variants: [ready({ parameters: { temperature: 1, seed: 2 } })],
    })
    expect(controller.retryWithout('1', 'top_p')).toBe(false)
    expect(controller.retryWithout('1', 'temperature')).toBe(true)
    expect(calls[0]?.request.parameters).toEqual({ seed: 2 })
    expect(withoutParameter(ready({ extraBody: '{"a": 1, "b": 2}' }), 'a.c')?.extraBody).toContain('"b": 2')
    expect(withoutParameter(ready({ extraBody: '{"a": 1}' }), 'a')?.extraBody).toBe('')
  })
})

describe('variables', () => {
  const mustache = newVariant('2', {
    format: 'mustache',
    messages: [
      { role: 'user', content: 'Hi {{user.name}} {{word}}{{#items}}{{title}}{{/items}}' },
      { role: 'placeholder', variable: 'history', optional: true },
    ],
  })

  it('are listed with their kinds, their variants, and what is missing or unused', () => {
    const rows = listVariableRows([ready(), mustache], { word: 'x', old: 'y', empty: '' })
    expect(rows.map(({ name, kind, usedBy, state }) => [name, kind, usedBy.join(''), state])).toEqual([
      ['word', 'text', 'AB', 'given'],
      ['user', 'json', 'B', 'missing'],
      ['items', 'json', 'B', 'given'],
      ['title', 'text', 'B', 'given'],
      ['history', 'messages', 'B', 'given'],
      ['old', 'text', '', 'unused'],
    ])
  })

  it('inside sections are optional, unless an item has them', () => {
    const list = (items: string) =>
      listVariableRows([mustache], { items }).flatMap(({ name, isOptional }) => (isOptional ? [name] : []))
    expect(list('')).toEqual(['items', 'title', 'history'])
    expect(list('true')).toEqual(['items', 'title', 'history'])
    expect(list('[{"title":"Tea"}]')).toEqual(['items', 'history'])
    expect(toValues(listVariableRows([mustache], { items: 'true', title: 'Tea' }))).toMatchObject({ title: 'Tea' })
    expect(toValues(listVariableRows([mustache], { items: 'true' }))).not.toHaveProperty('title')
  })

  it('are sent as texts, messages and JSON', () => {
    const texts = { word: '[1]', user: '{"name":"Ann"}', items: 'none', history: '[{"role":"user","content":"Hi"}]' }
    expect(toValues(listVariableRows([ready(), mustache], texts))).toEqual({
      word: '[1]',
      user: { name: 'Ann' },
      items: 'none',
      history: [{ role: 'user', content: 'Hi' }],
    })
    expect(listVariableRows([mustache], { history: 'Hi' }).find(({ name }) => name === 'history')?.problem).toContain(
      'JSON list',
    )
  })
})

describe('a variant', () => {
  it.each([
    [{ tools: '{' }, 'tools'],
    [{ tools: '[{"type":"function","function":{}}]' }, 'tools'],
    [{ tools: '[{"type":"function","name":"find","parameters":{}}]' }, 'tools'],
    [{ tools: '[{"type":"web_search"}]' }, 'tools'],
    [{ tools: '[{"type":"raw"}]' }, 'tools'],
    [{ tools: '[{"type":"function","function":{"name":"find","parameters":"{"}}]' }, 'tools'],
    [{ extraBody: '[]' }, 'extraBody'],
    [{ output: { name: 'a b', schema: '{}', strict: true } }, 'output'],
    [{ output: { name: 'a', schema: '', strict: true } }, 'output'],
    [{ providerId: '' }, 'model'],
    [{ messages: [] }, 'messages'],
  ] as [Partial<Variant>, string][])('with %j is not sent', (change, field) => {
    const read = readVariant(ready(change))
    expect('problems' in read && read.problems.map((one) => one.field)).toEqual([field])
  })

  it.each([
    ['', 0],
    ['[{"type":"function","function":{"name":""}},{"type":"raw","raw":{}}]', 2],
    ['[{"type":"function","name":"find","parameters":{}}]', undefined],
    ['[{"type":"function","function":{"name":"a","description":{}}}]', undefined],
    ['[{"type":"web_search"}]', undefined],
    ['[{"type":"raw"}]', undefined],
    ['[null]', undefined],
    ['{', undefined],
  ])('with the tools %s has a form for them or none', (text, count) => expect(readTools(text)?.length).toBe(count))

  it('sends nothing that only its prompt keeps', () => {
    const kept = { role: 'kept' as const, type: 'FewShot', value: {} }
    const read = readVariant(ready({ messages: [kept, { role: 'user', content: 'Hi' }] }))
    expect('sent' in read && read.sent.messages).toEqual([{ role: 'user', content: 'Hi' }])
  })
})

describe('a draft', () => {
  it('keeps variants, values and the newest answers, without raw requests', () => {
    const { controller, calls, draw } = start()
    controller.setValue('word', 'x')
    controller.run('1')
    calls[0]?.send(finished('Done'))
    draw()
    const body = JSON.parse(JSON.stringify(toDraftBody(controller.store.read())))
    const state = fromDraftBody(body)
    expect(state?.variants).toEqual(JSON.parse(JSON.stringify(controller.store.read().variants)))
    expect(state && getLatest(state, '1')?.answers[0]).toMatchObject({ status: 'done', text: 'Done' })
  })

  it('keeps its saved answers when it is opened and run', async () => {
    const first = start()
    first.controller.run('1')
    first.calls[0]?.send(finished('First'))
    await first.calls[0]?.end()
    const body = JSON.parse(JSON.stringify(toDraftBody(first.controller.store.read())))
    const { controller, calls } = start(fromDraftBody(body))
    controller.run('1')
    calls[0]?.send(finished('Second'))
    await calls[0]?.end()
    const runs = controller.store.read().runs['1'] ?? []
    expect(runs.map(({ answers }) => answers[0]?.text)).toEqual(['First', 'Second'])
    expect(new Set(runs.map(({ id }) => id)).size).toBe(2)
  })

  it('leaves out answers that are too long', () => {
    const { controller, calls, draw } = start()
    controller.run('1')
    calls[0]?.send(finished('x'.repeat(5_000_000)))
    draw()
    expect(toDraftBody(controller.store.read()).runs).toEqual({})
  })

  it('adds and removes variants, at least one and at most six', () => {
    const { controller } = start()
    for (let at = 0; at < 7; at++) controller.add()
    expect(controller.store.read().variants.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D', 'E', 'F'])
    for (const { key } of controller.store.read().variants) controller.remove(key)
    expect(controller.store.read().variants).toHaveLength(1)
  })
})
