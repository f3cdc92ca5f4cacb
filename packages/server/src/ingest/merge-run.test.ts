import { THREAD_KEYS } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { mergeRun } from './merge-run.ts'
import { normalizeRun } from './normalize.ts'
import type { RunWrite } from './run-write.ts'
import type { StoredRun } from './stored-runs.ts'

const ID = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const PROJECT = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
const OTHER_PROJECT = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3e'

const context = {
  tenantId: '7f3c1c1e-0d7b-4a53-9a5e-3f6a2b7d1c10',
  now: '2026-01-01T00:00:00.000000Z',
  version: 1,
  findPrice: () => undefined,
  findThreadKeys: () => THREAD_KEYS,
}

const DEFAULT_PROJECT = 'de4a0170-0000-4000-8000-000000000000'

function write(kind: 'post' | 'patch', fields: object, sessionId?: string) {
  return writeText(kind, JSON.stringify(fields), sessionId)
}

function writeText(kind: 'post' | 'patch', main: string, sessionId?: string) {
  return { ...normalizeRun({ kind, id: ID, main }, () => ID), sessionId, defaultSessionId: DEFAULT_PROJECT }
}

const post = (fields: object, sessionId?: string) => write('post', fields, sessionId)
const patch = (fields: object, sessionId?: string) => write('patch', fields, sessionId)
const merge = (...writes: [RunWrite, ...RunWrite[]]) => mergeRun(undefined, writes, context)

const CREATE = {
  name: 'answer',
  run_type: 'llm',
  start_time: '2025-07-10T04:42:19.024001Z',
  inputs: { question: 'why?' },
  tags: ['a'],
  extra: { metadata: { user: 'u1', thread_id: 't' }, runtime: { sdk: 'x' } },
}
const UPDATE = {
  end_time: '2025-07-10T04:42:20.100000Z',
  outputs: { answer: 'because' },
  extra: { metadata: { score: 1 } },
  tags: ['b'],
}

describe('merging creates and updates', () => {
  it('returns the same run for any order and repetition of writes', () => {
    const inOrder = merge(post(CREATE, PROJECT), patch(UPDATE))
    const variants = [
      merge(patch(UPDATE), post(CREATE, PROJECT)),
      merge(post(CREATE, PROJECT), patch(UPDATE), post(CREATE, PROJECT)),
      mergeRun(merge(patch(UPDATE)), [post(CREATE, PROJECT)], context),
      mergeRun(merge(post(CREATE, PROJECT)), [patch(UPDATE), patch(UPDATE)], context),
    ]
    for (const variant of variants) expect(comparable(variant)).toEqual(comparable(inOrder))
    expect(inOrder).toMatchObject({
      session_id: PROJECT,
      status: 'success',
      name: 'answer',
      inputs: '{"question":"why?"}',
      outputs: '{"answer":"because"}',
      tags: ['b'],
      thread_id: 't',
    })
    expect(JSON.parse(inOrder.extra)).toEqual({
      metadata: { user: 'u1', thread_id: 't', score: 1 },
      runtime: { sdk: 'x' },
    })
  })

  it('does not change a field when an update sets it to null', () => {
    const run = merge(post(CREATE), patch({ inputs: null, tags: null, name: null }))
    expect(run).toMatchObject({ name: 'answer', inputs: '{"question":"why?"}', tags: ['a'] })
  })

  it('lets an update correct name, type and start time', () => {
    const run = merge(post(CREATE), patch({ name: 'better', run_type: 'tool', start_time: '2025-07-10T04:42:18Z' }))
    expect(run).toMatchObject({ name: 'better', run_type: 'tool', start_time: '2025-07-10 04:42:18.000000' })
  })

  it('does not move a run to the project of an update, but to that of its first create', () => {
    expect(merge(post(CREATE, PROJECT), patch(UPDATE, OTHER_PROJECT)).session_id).toBe(PROJECT)
    expect(merge(patch(UPDATE, OTHER_PROJECT), post(CREATE, PROJECT)).session_id).toBe(PROJECT)
    expect(merge(patch(UPDATE)).session_id).toBe(DEFAULT_PROJECT)
  })

  it('keeps a placeholder when an update comes, and nothing of it when the create comes', () => {
    const name = 'Root not received'
    const times = { start_time: '2025-07-10T04:42:18Z', end_time: '2025-07-10T04:42:21Z' }
    const fields = { name, run_type: 'chain', ...times, tags: [], extra: { otel: { placeholder: true } } }
    const placeholder = { ...patch(fields, PROJECT), isPlaceholder: true }
    const update = patch({ tags: ['x'], extra: { metadata: { plan: 'pro' } } })
    const updated = mergeRun(merge(placeholder), [update], context)
    const start_time = '2025-07-10 04:42:18.000000'
    expect(updated).toMatchObject({ session_id: PROJECT, name, status: 'success', start_time, tags: ['x'] })
    const again = mergeRun(updated, [{ ...placeholder, sessionId: PROJECT }], context)
    expect(comparable(again)).toEqual(comparable(updated))

    const { metadata, runtime } = CREATE.extra
    for (const before of [updated, again]) {
      const run = mergeRun(before, [post(CREATE, OTHER_PROJECT)], context)
      expect(run).toMatchObject({ session_id: OTHER_PROJECT, name: 'answer', status: 'pending', tags: ['x'] })
      expect(JSON.parse(run.extra)).toEqual({ metadata: { ...metadata, plan: 'pro' }, runtime })
    }
    expect(merge(post(CREATE, OTHER_PROJECT), placeholder)).toMatchObject({ session_id: OTHER_PROJECT, name: 'answer' })
  })

  it('takes the project of an update when none was named before', () => {
    const before = merge(patch({ tags: ['a'] }))
    expect(before.session_id).toBe(DEFAULT_PROJECT)
    expect(mergeRun(before, [patch(UPDATE, OTHER_PROJECT)], context).session_id).toBe(OTHER_PROJECT)
  })

  it.each([
    [{}, 'pending'],
    [{ outputs: {} }, 'pending'],
    [{ end_time: 1752122540100 }, 'success'],
    [{ error: 'boom' }, 'error'],
    [{ error: '', end_time: 1752122540100 }, 'success'],
    [{ status: 'interrupted' }, 'interrupted'],
    [{ status: 'success', error: 'boom' }, 'error'],
  ])('derives the status of %j as %s', (fields, status) => {
    expect(merge(post({ ...CREATE, ...fields })).status).toBe(status)
  })

  it('keeps payload text exactly: big integers, key order, repeated keys, lone surrogates', () => {
    const inputs = '{"z":12345678901234567890,"a":1,"a":2,"s":"\\ud800\\u0000"}'
    const main = `{"name":"n","inputs":${inputs},"extra":{"metadata":{"n":9007199254740993}}}`
    const run = mergeRun(undefined, [writeText('post', main), patch(UPDATE)], context)
    expect(run.inputs).toBe(inputs)
    expect(run.extra).toContain('9007199254740993')
  })

  it('takes a path from the start time when none came', () => {
    expect(merge(post(CREATE))).toMatchObject({ trace_id: ID, dotted_order: `20250710T044219024001Z${ID}` })
  })

  it('finds the first token among the events', () => {
    const events = [
      { name: 'start', time: '2025-07-10T04:42:19.1Z' },
      { name: 'new_token', time: '2025-07-10T04:42:19.5' },
    ]
    expect(merge(post(CREATE), patch({ events })).first_token_time).toBe('2025-07-10 04:42:19.500000')
  })

  it('prices tokens of llm runs and leaves the cost of an unpriced model unknown', () => {
    const outputs = { usage_metadata: { input_tokens: 20, output_tokens: 10, input_token_details: { cache_read: 5 } } }
    const run = { ...CREATE, outputs, extra: { metadata: { ls_model_name: 'm', ls_provider: 'p' } } }
    const price = {
      id: PROJECT,
      prompt_cost: '0.000002',
      completion_cost: '0.000003',
      prompt_cost_details: { cache_read: '0.000001' },
      completion_cost_details: null,
    }
    const priced = mergeRun(undefined, [post(run)], { ...context, findPrice: () => price as never })
    expect(priced).toMatchObject({
      total_tokens: 30,
      prompt_cost: '0.000035',
      completion_cost: '0.00003',
      total_cost: '0.000065',
      price_model_id: PROJECT,
    })
    expect(merge(post(run))).toMatchObject({ total_tokens: 30, total_cost: null })
    expect(merge(post({ ...run, run_type: 'chain' }))).toMatchObject({ total_tokens: null, total_cost: null })
  })
})

function comparable({ patched, received_at, version, ...rest }: StoredRun) {
  return { ...rest, extra: JSON.parse(rest.extra) as unknown }
}
