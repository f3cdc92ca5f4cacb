import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
}, 90_000)
afterAll(() => terminal?.close())

// Each command is a process.
describe('notification channels on the command line', { timeout: 120_000 }, () => {
  it('are created, listed, tested and deleted', async () => {
    const hook = ['channels', 'create', 'ops', '--kind', 'webhook', '--url', 'http://10.0.0.1/hook']
    const refused = await terminal.run(...hook)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('TOUCHSTONE_OUTBOUND_ALLOW')
    const mail = ['channels', 'create', 'mail', '--kind', 'email']
    expect(await terminal.run(...mail)).toMatchObject({ code: 2, stderr: expect.stringContaining('--to') })
    expect((await terminal.run(...mail, '--to', 'ann@acme.example')).code).toBe(0)
    const listed = await terminal.run('channels', 'list', '--json')
    expect(listed.json()).toMatchObject([{ name: 'mail', kind: 'email', config: { to: ['ann@acme.example'] } }])
    const tested = await terminal.run('channels', 'test', 'mail')
    expect(tested.code).not.toBe(0)
    expect(tested.stdout).toContain('TOUCHSTONE_SMTP_URL')
    expect((await terminal.run('channels', 'delete', 'mail')).code).toBe(2)
    expect((await terminal.run('channels', 'delete', 'mail', '--yes')).code).toBe(0)
    expect((await terminal.run('channels', 'test', 'mail')).code).toBe(2)
  })
})
