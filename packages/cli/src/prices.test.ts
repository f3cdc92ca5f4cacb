import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
}, 90_000)
afterAll(() => terminal?.close())

// Each command is a process.
describe('prices on the command line', { timeout: 120_000 }, () => {
  it('price stored runs again after an estimate, and restore their costs', async () => {
    const client = new Client({ apiUrl: `${terminal.endpoint}/api/v1` })
    const usage_metadata = { input_tokens: 1000, output_tokens: 0, total_tokens: 1000 }
    await client.createRun({
      ...{ name: 'call', run_type: 'llm', inputs: {}, project_name: 'billed', start_time: Date.now() },
      ...{ end_time: Date.now(), outputs: { usage_metadata }, extra: { metadata: { ls_model_name: 'of-mine' } } },
    })
    await client.flush()
    expect((await terminal.run('prices', 'unpriced')).stdout).toMatch(/of-mine\s+-\s+1\s+1000/)
    await client.createModelPrice({
      name: 'mine',
      match_pattern: '^of-mine$',
      prompt_cost: '1e-6',
      completion_cost: '0',
    })

    const all = ['prices', 'reprice', '--project', 'billed', '--since', '7d']
    const estimate = await terminal.run(...all)
    expect(estimate).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 of 1 runs change: unknown → $0.001.'),
    })
    expect(estimate.stdout).toMatch(/of-mine\s+-\s+1\s+1\s+-\s+\$0.001\s+mine/)
    expect((await terminal.run(...all, '--json')).json()).toMatchObject({ run_count: 1, cost_after: '0.001' })

    const done = await terminal.run(...all, '--yes')
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('Changed the costs of 1 run.') })
    const [, job = ''] = /prices undo (\S+)/.exec(done.stderr) ?? []
    const undone = await terminal.run('prices', 'undo', job)
    expect(undone).toMatchObject({ code: 0, stderr: expect.stringContaining('Restored the costs of 1 run.') })
    expect((await terminal.run('prices', 'undo', job)).code).toBe(5)
    expect((await terminal.run('prices', 'reprice', '--since', 'soon')).code).toBe(2)
  })
})
