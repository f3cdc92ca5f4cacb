import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

const RUN = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
  const run = {
    id: RUN,
    trace_id: RUN,
    dotted_order: `20260203T040506000000Z${RUN}`,
    name: 'a "hi",\nbold \u001b[1m',
    run_type: 'llm',
    start_time: '2026-02-03T04:05:06Z',
    end_time: '2026-02-03T04:05:08Z',
    inputs: { question: 'why?' },
    session_name: 'from the terminal',
  }
  await fetch(`${terminal.endpoint}/runs`, { method: 'POST', body: JSON.stringify(run) })
}, 90_000)
afterAll(() => terminal?.close())

const SELECT = 'select name, latency_seconds, tags, error from runs where start_time >= :since'
const sql = (...args: string[]) =>
  terminal.run('sql', ...args, '--project', 'from the terminal', '--since', '2026-02-01')

describe('touchstone sql', () => {
  it('prints a table, JSON or CSV', async () => {
    const asTable = await sql(SELECT)
    expect(asTable.code).toBe(0)
    expect(asTable.stdout.split('\n')[0]).toMatch(/^name +latency_seconds +tags +error$/)
    expect(asTable.stdout).toMatch(/a "hi", bold {1,2}\[1m +2 +\[\] +-/)
    const asJson = (await sql(SELECT, '--json')).json()
    expect(asJson.rows).toEqual([['a "hi",\nbold \u001b[1m', 2, [], null]])
    const asCsv = await sql(SELECT, '--csv')
    expect(asCsv.stdout).toBe('name,latency_seconds,tags,error\r\n"a ""hi"",\nbold \u001b[1m",2,[],\n')
  })

  it('reads the statement from standard input', async () => {
    const flags = ['--csv', '--project', 'from the terminal']
    const { code, stdout } = await terminal.runWithInput('select 1 as one -- the statement', 'sql', '-', ...flags)
    expect(code).toBe(0)
    expect(stdout).toBe('one\r\n1\n')
  })

  it.each([
    ['a rejected statement', ['select sleep(3)'], 1, 'the function sleep is not available'],
    ['no lower bound', ['select id from runs'], 1, 'lower bound of start_time'],
    ['an unknown project', ['select 1', '--project', 'nope'], 3, 'nope'],
    ['an invalid time', ['select 1', '--since', 'soon'], 2, '--since must be an age'],
    ['two output formats', ['select 1', '--json', '--csv'], 2, 'cannot be combined'],
    ['an empty statement', [' '], 2, 'empty'],
  ])('prints an error for %s', async (_, args, code, message) => {
    const answer = await terminal.run('sql', '--project', 'from the terminal', ...args)
    expect(answer).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})
