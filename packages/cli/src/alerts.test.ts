import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
}, 90_000)
afterAll(() => terminal?.close())

// Each command is a process.
describe('alerts and budgets on the command line', { timeout: 120_000 }, () => {
  it('are created, listed and tested', async () => {
    await terminal.run('channels', 'create', 'mail', '--kind', 'email', '--to', 'ann@acme.example')
    const alert = ['alerts', 'create', 'errors', '--project', 'default', '--metric', 'error_rate']
    expect((await terminal.run(...alert)).code).not.toBe(0)
    const made = await terminal.run(...alert, '--critical', '0.2', '--channel', 'mail')
    expect(made.code, made.stderr).toBe(0)
    expect(made.stderr + made.stdout).toContain('In the last 30 days: 0 episodes')
    expect((await terminal.run('alerts', 'list', '--json')).json()).toMatchObject([
      { name: 'errors', definition: { metric: 'error_rate', critical: 0.2, window_minutes: 15 } },
    ])
    expect((await terminal.run('alerts', 'list', '--firing', '--json')).json()).toEqual([])
    expect((await terminal.run('alerts', 'test', 'errors')).stdout).toContain('Sent to 1 recipients')
    expect((await terminal.run('alerts', 'test', 'unknown')).code).toBe(2)

    const budget = ['budgets', 'create', 'blue team', '--amount', '20', '--metadata', 'team=blue']
    expect((await terminal.run(...budget, '--user', 'ada')).code).toBe(2)
    expect((await terminal.run(...budget)).code).toBe(0)
    expect((await terminal.run('budgets', 'list', '--json')).json()).toMatchObject([
      { name: 'blue team', scope: { kind: 'metadata', key: 'team', value: 'blue' }, amount_usd: 20 },
    ])
  })
})
