import { randomBytes } from 'node:crypto'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { PYTHON_CLIENTS, python, runScript } from './run-script.ts'

type Fields = Record<string, unknown>
interface Report {
  readonly listed: Fields[]
  readonly v2: Fields[]
  readonly named: string[]
  readonly online: (Fields & { run_rules: Fields[] })[]
  readonly spend: { groups: Fields[] }
}

/** Booleans and numbers that the models of the client require. */
const REQUIRED = [
  'add_to_dataset_prefer_correction',
  'extend_only',
  'include_extended_stats',
  'is_enabled',
  'transient',
]
const REQUIRED_TOO = ['is_managed_evaluator', 'is_tracing_disabled', 'use_corrections_dataset']

let server: SharedServer
let fake: FakeProvider
beforeAll(async () => {
  if (python === undefined) return
  fake = await startFakeProvider()
  server = await shareServer()
})
afterAll(async () => {
  await server?.stop()
  await fake?.close()
})

const aName = (word: string) => `${word}-${randomBytes(4).toString('hex')}`

async function call<Answer>(method: string, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  expect(answer.ok, text).toBe(true)
  return JSON.parse(text)
}

/** 0.14 has no `list_v2`. */
const CLIENTS = PYTHON_CLIENTS.filter(({ version }) => version !== '0.14')

describe.skipIf(python === undefined).each(CLIENTS)('the published Python client $version', ({ env }) => {
  let project: { id: string; name: string }
  let rule: Fields & { id: string }
  const key = aName('grounded').replace('-', '_')
  const structured = {
    prompt: [
      ['system', 'Judge the answer.'],
      ['human', `A: {{answer}} <<<{"${key}":{"value":true}}>>>`],
    ],
    template_format: 'mustache',
    schema: { type: 'object', properties: { [key]: { type: 'boolean' } }, required: [key] },
    variable_mapping: { answer: 'output.answer' },
    model: {
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'chat_models', 'openai', 'ChatOpenAI'],
      kwargs: { model: 'fake-script' },
    },
  }
  const given = {
    display_name: aName('judged'),
    sampling_rate: 1,
    filter: 'eq(is_root, true)',
    evaluators: [{ structured }],
    webhooks: [{ url: 'https://example.com/hook', headers: { 'x-team': 'a' } }],
    alerts: [{ type: 'pagerduty', routing_key: 'key', severity: 'error', summary: 'It fell' }],
    spend_limit: { limit_usd: '25', window: 'weekly' },
    num_few_shot_examples: 3,
  }
  beforeAll(async () => {
    const client = new Client({ apiUrl: `${server.url}/api/v1`, webUrl: server.url })
    const provider = {
      name: aName('Fake'),
      kind: 'openai-chat' as const,
      base_url: fake.url,
      models: ['fake-script'],
      provider: 'openai',
    }
    await client.createModelProvider(provider)
    project = await call('POST', '/api/v1/sessions', { name: aName('rules') })
    await call('POST', '/api/v1/model-price-map', {
      name: aName('fake'),
      match_pattern: '^fake-script$',
      prompt_cost: '0.001',
      completion_cost: '0.001',
    })
    rule = await call('POST', '/api/v1/runs/rules', { ...given, session_id: project.id })
    const start = Date.now() - 1000
    const id = crypto.randomUUID()
    const stamp = new Date(start).toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')
    const run = {
      id,
      trace_id: id,
      dotted_order: `${stamp}${id}`,
      name: 'answer',
      run_type: 'chain',
      session_name: project.name,
    }
    const times = { start_time: new Date(start).toISOString(), end_time: new Date(start + 500).toISOString() }
    const post = [{ ...run, ...times, inputs: { question: 'why' }, outputs: { answer: 'because' } }]
    await call('POST', '/api/v1/runs/batch', { post, patch: [] })
  })

  it('reads what was created in both versions of the list, and the evaluator with its rule and its cost', async () => {
    const path = `${server.url}/api/v1/runs/rules/${rule.id}/logs`
    const readOutcomes = async () => {
      const log = (await (await fetch(path)).json()) as { evaluators: { outcome: string } }[]
      return log.map(({ evaluators }) => evaluators.outcome)
    }
    await expect.poll(readOutcomes, { timeout: 60_000 }).toEqual(['success'])
    const task = { do: 'read', project_id: project.id, name: given.display_name, key }
    const report = await runScript<Report>('run_rules', task, server.url, env)
    expect(report.listed).toMatchObject([{ ...given, id: rule.id, session_id: project.id, session_name: project.name }])
    expect(report.v2).toMatchObject([
      {
        id: rule.id,
        project_id: project.id,
        project_name: project.name,
        evaluators: [{ structured }],
        webhooks: given.webhooks,
        alerts: [{ ...given.alerts[0], type: 'PAGERDUTY', severity: 'ERROR' }],
        spend_limit: { limit_usd: '25', window: 'WEEKLY' },
        effective_spend_limit: { limit_usd: '25', window: 'WEEKLY' },
        trace_count: 1,
      },
    ])
    for (const name of [...REQUIRED, ...REQUIRED_TOO])
      expect([name, typeof report.v2[0]![name]]).toEqual([name, 'boolean'])
    expect(report.named).toEqual([rule.id])
    expect(report.online).toMatchObject([
      {
        id: rule.evaluator_id,
        type: 'llm',
        feedback_keys: [key],
        run_rules: [{ id: rule.id, session_id: project.id }],
      },
    ])
    const groups = report.spend.groups.filter((group) => group.run_rule_id === rule.id)
    expect(groups).toMatchObject([{ evaluator_id: rule.evaluator_id, session_id: project.id, total_trace_count: 1 }])
    expect(groups[0]!.total_spend_usd).toBeGreaterThan(0)
    expect(report.listed[0]!.spend_usd).toBeGreaterThan(0)
  })

  it('creates a decision model', async () => {
    const task = { do: 'create', project_id: project.id, name: aName('decides') }
    const { created } = await runScript<{ created: Fields }>('run_rules', task, server.url, env)
    expect(created).toMatchObject({
      display_name: task.name,
      evaluator_type: 'decision_model',
      evaluator_version: 1,
      sampling_rate: 0.25,
      session_id: project.id,
      is_enabled: true,
    })
  })
})
