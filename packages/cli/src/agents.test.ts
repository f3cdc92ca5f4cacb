import { AgentAddress, Client } from '@touchstone/sdk'
import { traceable } from '@touchstone/sdk/traceable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
}, 90_000)
afterAll(() => terminal?.close())

const touchstone = (...args: string[]) => terminal.run(...args)

describe('agents on the command line', () => {
  it('are created, shown, and deleted only with --yes', async () => {
    const made = await touchstone('agents', 'create', 'billing', '--name', 'Billing team', '--coding')
    expect(made).toMatchObject({
      code: 0,
      stdout: 'billing\n',
      stderr: expect.stringContaining('LANGSMITH_AGENT_ID=billing'),
    })
    expect((await touchstone('agents', 'create', 'billing')).code).not.toBe(0)
    const shown = await touchstone('agents', 'get', 'billing')
    expect(shown.stdout).toMatch(/production\s+[0-9a-f-]{36}\s+billing\/production/)
    expect((await touchstone('agents', 'get', 'billing', '--json')).json()).toMatchObject({
      name: 'Billing team',
      agent_type: 'CODING',
    })

    const refused = await touchstone('agents', 'delete', 'billing')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('all traces') })
    expect((await touchstone('agents', 'delete', 'billing', '--yes', '--json')).json()).toMatchObject({ deleted: true })
    expect((await touchstone('agents', 'get', 'billing')).code).toBe(3)
    expect((await touchstone('agents', 'delete', 'billing', '--yes')).code).toBe(3)
  })

  it('created by sending traces are listed, the latest run first', async () => {
    const client = new Client({ apiUrl: `${terminal.endpoint}/api/v1` })
    await client.agents.create({ id: 'idle' })
    const address = new AgentAddress('support', 'staging')
    const answer = traceable(async () => 'yes', { name: 'answer', client, address, tracingEnabled: true })
    await answer()
    await client.flush()

    const { session_id } = await client.sessions.resolve(address)
    const runs = []
    for await (const run of client.listRuns({ projectId: session_id })) runs.push(run)
    expect(runs).toMatchObject([{ name: 'answer', outputs: { outputs: 'yes' } }])
    await client.createFeedback({ runId: runs[0]!.id, key: 'good', score: 1, address })
    expect(await client.queryFeedback({ run: [runs[0]!.id] })).toMatchObject([{ key: 'good', score: 1 }])
    expect(await client.getRunUrl({ run: { id: 'r', address } })).toContain(`/projects/p/${session_id}/r/r`)

    const list = (...args: string[]) => touchstone('agents', 'list', '--json', ...args)
    expect((await list()).json().map(({ id }: { id: string }) => id)).toEqual(['support', 'idle'])
    expect((await list('--search', 'IDL')).json()).toMatchObject([{ id: 'idle' }])
    const first = await touchstone('agents', 'list', '--limit', '1')
    expect(first.stdout).toContain('support')
    expect(first.stdout).not.toContain('idle')
    expect(first.stderr).toContain('--limit')
  })
})
