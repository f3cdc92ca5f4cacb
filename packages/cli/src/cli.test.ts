import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.openOwn()
}, 90_000)
afterAll(() => terminal?.close())

const touchstone = (...args: string[]) => terminal.run(...args)

const RUN = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'

async function recordRun(): Promise<void> {
  const run = {
    id: RUN,
    trace_id: RUN,
    dotted_order: `20260203T040506000000Z${RUN}`,
    name: 'bold \u001b[1m name',
    run_type: 'llm',
    start_time: '2026-02-03T04:05:06Z',
    end_time: '2026-02-03T04:05:08Z',
    inputs: { question: 'why?' },
    session_name: 'from the terminal',
  }
  await fetch(`${terminal.endpoint}/runs`, { method: 'POST', body: JSON.stringify(run) })
}

describe('the command line', () => {
  it('prints help', async () => {
    const help = await touchstone('--help')
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('keys create') })
    const one = await touchstone('runs', 'list', '-h')
    expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining('touchstone runs list [project]') })
  })

  it.each([
    ['no command', [], 2],
    ['an unknown command', ['fly'], 2],
    ['an unknown flag', ['status', '--loud'], 2],
    ['a missing argument', ['runs', 'show'], 2],
    ['a superfluous argument', ['status', 'now'], 2],
    ['a bad number', ['projects', 'list', '--limit', 'many'], 2],
    ['an unknown figure', ['runs', 'list', '--sort', 'beauty'], 2],
    ['an unknown project', ['projects', 'delete', 'nope', '--yes'], 3],
    ['an unreachable server', ['status', '--endpoint', 'http://127.0.0.1:9'], 6],
  ])('exits with a specific code for %s', async (_, args, code) => {
    const answer = await touchstone(...args)
    expect(answer).toMatchObject({ code, stdout: '' })
    expect(answer.stderr).not.toBe('')
  })

  it('verifies the stores that a server would use, and fails when one fails', async () => {
    expect(await touchstone('verify-cluster')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('the embedded stores need no check'),
    })
    vi.stubEnv('TOUCHSTONE_POSTGRES_URL', 'postgres://ada:secret@127.0.0.1:9/runs')
    const failed = await touchstone('verify-cluster')
    expect(failed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^FAILED {3}PostgreSQL connection: .*\n {9}\S/),
    })
    const listed = await touchstone('verify-cluster', '--json')
    expect(listed.json()).toEqual([
      expect.objectContaining({
        store: 'PostgreSQL',
        check: 'connection',
        status: 'failed',
        remedy: expect.any(String),
      }),
    ])
    vi.unstubAllEnvs()
  })

  it('shows the server', async () => {
    expect((await touchstone('status', '--json')).json()).toMatchObject({ version: expect.stringMatching(/^0\.18\./) })
  })

  it('lists and shows runs on standard output, without control characters', async () => {
    await recordRun()
    const list = await touchstone('runs', 'list', 'from the terminal', '--limit', '1')
    expect(list.stdout).toContain(RUN)
    expect(list.stdout).not.toContain('\u001b')
    expect(list.stderr).toContain('--limit')
    const slow = await touchstone('runs', 'list', 'from the terminal', '--sort', 'latency', '--json')
    expect(slow.json().map(({ id }: { id: string }) => id)).toEqual([RUN])
    expect((await touchstone('runs', 'show', RUN, '--json')).json()).toMatchObject({
      id: RUN,
      inputs: { question: 'why?' },
    })
    expect((await touchstone('runs', 'show', RUN)).stdout).toContain('took     2.0 s')
  })

  it('finds the page of an id, of a link that a client printed, and the home page', async () => {
    await recordRun()
    const ofId = (await touchstone('open', RUN, '--print')).stdout.trim()
    expect(ofId).toMatch(new RegExp(`^${terminal.endpoint}/o/.*${RUN}`))
    const printed = ofId.replace(terminal.endpoint, 'http://localhost')
    expect((await touchstone('open', `${printed}?tab=json#x`, '--print')).stdout.trim()).toBe(`${ofId}?tab=json#x`)
    expect((await touchstone('open', '--print', '--json')).json()).toEqual({ url: `${terminal.endpoint}/` })
    expect((await touchstone('open', crypto.randomUUID(), '--print')).code).toBe(3)
    expect(await touchstone('open', 'nonsense', '--print')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"nonsense" is no id'),
    })
  })

  it('deletes a project only with --yes', async () => {
    await recordRun()
    expect((await touchstone('projects', 'list')).stdout).toContain('from the terminal')
    expect((await touchstone('projects', 'delete', 'from the terminal')).code).toBe(2)
    expect((await touchstone('projects', 'delete', 'from the terminal', '--yes')).code).toBe(0)
    expect((await touchstone('projects', 'list')).stdout).not.toContain('from the terminal')
  })

  it('deletes a workspace only with its name in --confirm', async () => {
    const id = (await touchstone('workspaces', 'create', 'Research')).stdout.trim()
    const refused = await touchstone('workspaces', 'delete', id, '--confirm', 'research')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('"Research"') })
    const { code, stderr } = await touchstone('workspaces', 'delete', id, '--confirm', 'Research')
    expect([code, stderr]).toEqual([0, expect.stringContaining('Deleted the workspace "Research"')])
    expect((await touchstone('workspaces', 'list')).stdout).not.toContain(id)
    expect((await touchstone('workspaces', 'delete', id)).code).toBe(3)
  })

  it('lists server administrators, and reports an address without an account', async () => {
    expect((await touchstone('server-admins', 'list', '--json')).json()).toEqual([])
    const added = await touchstone('server-admins', 'add', 'grace@example.org')
    expect(added).toMatchObject({ code: 3, stderr: expect.stringContaining('No account has the address') })
    expect((await touchstone('server-admins', 'remove', crypto.randomUUID())).code).toBe(3)
  })

  it('creates, lists and revokes keys, and requires a key afterwards', async () => {
    const { stdout: key } = await touchstone('keys', 'create', 'mine')
    expect(key).toMatch(/^ts_\w{40}\n$/)
    expect((await touchstone('keys', 'list')).code).toBe(4)
    const withKey = ['--api-key', key.trim(), '--json']
    const [listed] = (await touchstone('keys', 'list', ...withKey)).json()
    expect(listed).toMatchObject({ description: 'mine', read_only: false })
    expect((await touchstone('keys', 'revoke', listed.id, ...withKey)).code).toBe(0)
    // Without its last key the server still requires one.
    expect((await touchstone('keys', 'list')).code).toBe(4)
  })
})
