import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type Rule, type RuleFunnel } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeRule } from './commands/rules-doctor.ts'
import { Terminal } from './testing/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-rules-'))
const write = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('sentences about a rule', () => {
  const now = Date.parse('2026-11-28T12:00:00Z')
  const rule: Rule = {
    id: 'r',
    tenant_id: 't',
    name: 'judge a tenth',
    description: '',
    is_enabled: true,
    version: 1,
    definition: {
      target: 'run',
      project_ids: ['p', 'q'],
      quiet_seconds: 10,
      idle_minutes: 10,
      after_rule_ids: [],
      notice_channel_ids: [],
      filter: 'eq(is_root, true)',
      sampling_rate: 0.1,
      sampling_seed: '',
      actions: [{ kind: 'feedback', key: 'seen', score: 1 }],
    },
    blocked: null,
    looked_at: '2026-11-28T11:59:58.000000Z',
    created_at: '2026-11-28T10:00:00.000000Z',
    modified_at: '2026-11-28T10:00:00.000000Z',
    created_by: null,
  }
  const funnel: RuleFunnel = {
    seen: 12,
    matched: 10,
    sampled_out: 9,
    waiting: 0,
    limited: 0,
    done: 1,
    failed: 0,
    cost: 0,
    lag_p95_ms: null,
    hours: [],
  }

  it('say when it looked, what it takes, and what came of it', () => {
    expect(describeRule(rule, funnel, now)).toEqual([
      'The rule "judge a tenth" is on: it last looked for runs 2 seconds ago.',
      'It takes runs that match eq(is_root, true) of 2 projects, and 10 % of them.',
      'In the last 24 hours 12 runs of its projects ended and 10 matched: 9 sampled out, 0 waiting, 0 limited, 1 done, 0 failed.',
    ])
  })

  it('name a lag, a pause, and a block with its cure', () => {
    const late = describeRule(rule, { ...funnel, lag_p95_ms: 90_000 }, now)
    expect(late[0]).toMatch(
      / 2 seconds ago\. It lags: 5 % of the runs of the last 24 hours waited longer than 90\.0 s\.$/,
    )
    expect(describeRule(rule, { ...funnel, lag_p95_ms: 400 }, now)[0]).toMatch(/waited at most 0\.4 s\.$/)
    const paused = describeRule({ ...rule, is_enabled: false }, funnel, now)
    expect(paused[0]).toContain(
      'is paused: it does not look at runs. To go on: touchstone rules resume "judge a tenth"',
    )
    const message = 'Enter another key of the provider.'
    const blocked = { reason: 'provider_key_refused', message, since: '2026-11-28T11:00:00.000000Z' } as const
    expect(describeRule({ ...rule, blocked }, funnel, now)).toContain(
      `It is blocked since 2026-11-28T11:00:00: provider_key_refused. ${message}`,
    )
  })

  it('say why nothing happened', () => {
    const none = { ...funnel, matched: 0, sampled_out: 0, done: 0 }
    expect(describeRule(rule, none, now).at(-1)).toBe('Nothing matched: see below which condition fails.')
    expect(describeRule(rule, { ...none, seen: 0 }, now).at(-1)).toMatch(/^Nothing arrived: check that the projects/)
  })
})

// Each command is a process.
describe('rules on the command line', { timeout: 120_000 }, () => {
  let terminal: Terminal
  let client: Client
  beforeAll(async () => {
    terminal = await Terminal.open()
    client = new Client({ apiUrl: `${terminal.endpoint}/api/v1` })
    await client.createProject({ projectName: 'support' })
    const source = 'function evaluate({ outputs }) { return outputs.answer === "yes" }'
    await client.createSavedEvaluator({ name: 'agrees', definition: { kind: 'javascript', source } })
    await client.createDataset('kept')
  }, 90_000)
  afterAll(() => terminal?.close())
  const touchstone = (...args: string[]) => terminal.run('rules', ...args)

  it('are created from flags and from a file, listed and shown', async () => {
    const flags = [
      '--project',
      'support',
      '--filter',
      'eq(is_root, true)',
      '--evaluator',
      'agrees',
      '--dataset',
      'kept',
    ]
    const made = await touchstone('create', 'judge', ...flags)
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('Created the rule "judge", on.') })
    const shown = await touchstone('show', 'judge')
    expect(shown.stderr).toMatch(/judge: on, version 1\. Last 24 hours: 0 seen/)
    const copy = await touchstone('create', 'copy', '--paused', '--file', write('rule.json', shown.stdout))
    expect(copy).toMatchObject({ code: 0, stderr: expect.stringContaining('Created the rule "copy", paused.') })
    expect((await touchstone('list')).stdout).toMatch(/copy\s+paused\s+1\s+evaluate, add_to_dataset/)
    expect((await touchstone('list', '--project', 'support', '--json')).json()).toMatchObject([
      { name: 'copy' },
      { name: 'judge' },
    ])
  })

  it('refuse what is incomplete or unknown, with the codes of other commands', async () => {
    expect((await touchstone('create', 'none', '--evaluator', 'agrees')).code).toBe(2)
    expect((await touchstone('create', 'none', '--project', 'support')).code).toBe(2)
    expect((await touchstone('create', 'none', '--project', 'support', '--evaluator', 'unknown')).code).toBe(3)
    expect((await touchstone('create', 'judge', '--project', 'support', '--evaluator', 'agrees')).code).toBe(5)
    expect((await touchstone('doctor', 'unknown')).code).toBe(3)
    expect((await touchstone('delete', 'judge')).code).toBe(2)
  })

  it('explain a run and diagnose a rule', async () => {
    const id = crypto.randomUUID()
    const times = { start_time: Date.now(), end_time: Date.now() + 1 }
    const run = { id, name: 'answer', run_type: 'chain' as const, project_name: 'support', inputs: {} }
    await client.createRun({ ...run, ...times, outputs: { answer: 'yes' } })
    await client.flush()
    const explain = async () => (await touchstone('explain', id)).stdout
    await expect.poll(explain, { timeout: 60_000 }).toMatch(/judge \(version 1\): done\n {2}Done: evaluate/)
    expect(await explain()).toContain('  yes  filter: eq(is_root, true)')
    const doctor = await touchstone('doctor', 'judge')
    expect(doctor.stdout).toMatch(/The rule "judge" is on: it last looked for runs \d+ seconds? ago\./)
    expect(doctor.stdout).toMatch(/answer\s+done\s+Done: evaluate/)
    expect((await touchstone('doctor', 'judge', '--json')).json()).toMatchObject({
      funnel: { seen: 1, done: 1 },
      runs: [{ run_id: id, explanation: { decision: { state: 'done' } } }],
    })
    expect((await touchstone('explain', crypto.randomUUID())).code).toBe(3)
  })

  it('are paused, resumed and deleted', async () => {
    expect((await touchstone('pause', 'judge')).stderr).toContain('The rule "judge" is paused.')
    expect((await touchstone('doctor', 'judge')).stdout).toContain('is paused: it does not look at runs')
    expect((await touchstone('resume', 'judge')).stderr).toContain('The rule "judge" is on.')
    expect((await touchstone('delete', 'judge', '--yes')).code).toBe(0)
    expect((await touchstone('show', 'judge')).code).toBe(3)
  })
})
