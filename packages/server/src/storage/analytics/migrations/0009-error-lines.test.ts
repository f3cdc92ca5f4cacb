import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toErrorLine, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columns, text } from '../../rows.ts'
import { openChdb } from '../chdb.ts'
import { ERROR_GROUP } from '../error-expressions.ts'
import type { Analytics } from '../port.ts'
import { text as bind, literal, sql, uuid } from '../sql.ts'
import { errorLines } from './0009-error-lines.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openChdb(mkdtempSync(join(tmpdir(), 'touchstone-chdb-')))
})
afterAll(() => analytics.close())

const START = 'Traceback (most recent call last):'
const FRAMES = `  File "/srv/agent/tools.py", line 41, in issue_refund
    raise RefundError("409 order 8812 is already refunded")
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^`

/** Errors as clients send them, with the line of each. */
const ERRORS: readonly (readonly [client: string, error: string, line: string])[] = [
  [
    'langsmith for Python',
    `${START}\n${FRAMES}\ntools.RefundError: 409 order 8812 is already refunded\n`,
    'tools.RefundError: 409 order 8812 is already refunded',
  ],
  [
    'LangChain for Python',
    `RefundError('409 order 8812 is already refunded')${START}\n\n\n${FRAMES}\n\n\nRefundError: 409 order 8812 is already refunded`,
    'RefundError: 409 order 8812 is already refunded',
  ],
  [
    'LangGraph, with its note',
    `${START}\n${FRAMES}\nRefundError: 409 conflict\nDuring task with name 'tools' and id '0c9e9f2c-5f43-4d56-9a7e-3f8f2f6d3f11'`,
    'RefundError: 409 conflict',
  ],
  [
    'a chain of exceptions',
    `${START}\n${FRAMES}\nKeyError: 'id'\n\nThe above exception was the direct cause of the following exception:\n\n${START}\n${FRAMES}\nRuntimeError: tool failed`,
    'RuntimeError: tool failed',
  ],
  [
    'Pydantic, with a message of several lines',
    `${START}\n${FRAMES}\npydantic_core.ValidationError: 1 validation error for Order\ntotal\n  Field required [type=missing]`,
    'pydantic_core.ValidationError: 1 validation error for Order total Field required [type=missing]',
  ],
  [
    'an exception group',
    `  + Exception Group ${START}\n  |   File "/srv/a.py", line 1, in main\n  |     await run()\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | ${START}\n    |   File "/srv/b.py", line 2, in call\n    |     raise McpError\n    | McpError: Connection closed\n    +------------------------------------`,
    'McpError: Connection closed',
  ],
  [
    'LangChain for JavaScript',
    '429 Rate limit reached\n\nRateLimitError: 429 Rate limit reached\n    at APIError.generate (/app/node_modules/openai/error.js:66:20)\n    at async run (/app/agent.ts:3:5)',
    'RateLimitError: 429 Rate limit reached',
  ],
  ['langsmith for JavaScript', 'Error: boom', 'Error: boom'],
  ['JavaScript without a type', 'no route\n\tat run (/app/a.ts:1:1)', 'no route'],
  [
    'Java',
    'java.lang.IllegalStateException: closed\n\tat com.acme.Bot.run(Bot.java:3)',
    'java.lang.IllegalStateException: closed',
  ],
  [
    'OpenAI for Python, only the message',
    "Error code: 401 - {'error': {'message': 'Incorrect API key',\n 'code': 'invalid_api_key'}}",
    "Error code: 401 - {'error': {'message': 'Incorrect API key', 'code': 'invalid_api_key'}}",
  ],
  [
    'a stack trace that was cut',
    `ValueError('no')${START}\n  File "/srv/a.py", line 1, in main\n    run()`,
    `ValueError('no') File "/srv/a.py", line 1, in main run()`,
  ],
  ['Windows', `${START}\r\n  File "C:\\app.py", line 1\r\n    run()\r\nOSError: gone\r\n`, 'OSError: gone'],
  ['a long message', `Überlauf ${'é'.repeat(400)}`, `Überlauf ${'é'.repeat(291)}`],
  ['only white space', ' \n\t ', ''],
  ['JavaScript without a message', '\n    at run (a.ts:1)', 'at run (a.ts:1)'],
  ['blank lines before frames', ' \n \n    at run (a.ts:1)\n    at b.ts:2', 'at run (a.ts:1) at b.ts:2'],
  ['frames that were cut', 'Error: boom\n    at ', 'Error: boom'],
  ['lines with U+00A0', `${START}\n${FRAMES}\n\u00a0note\nOSError: gone\u00a0\n`, '\u00a0note OSError: gone\u00a0'],
  ['only U+00A0 before frames', '\u00a0\n    at run (a.ts:1)', '\u00a0'],
  ['much white space before a character of two code units', `E${' '.repeat(2398)}😀`, 'E 😀'],
  ['many characters of two code units', `x${'😀'.repeat(2000)}`, `x${'😀'.repeat(299)}`],
  ['a space at the limit', `${'x'.repeat(299)} y`, `${'x'.repeat(299)} `],
]

const tenant_id = uuid7()
const trace_id = uuid7()
const time = '2026-02-03 04:05:06.000007'

async function store(errors: readonly string[]): Promise<void> {
  const rows = errors.map((error) => {
    const run = { tenant_id, session_id: uuid7(), trace_id, start_time: time, id: uuid7(), name: 'n', run_type: 'tool' }
    return { json: JSON.stringify({ ...run, status: 'error', error, received_at: time, version: 7 }) }
  })
  await analytics.insert('runs', rows)
}

describe('runs that were stored before there were error lines', () => {
  beforeAll(() => store(ERRORS.map(([, error]) => error)))

  it.each(ERRORS)('have the line that a writer gives them: %s', async (_, error, line) => {
    expect(toErrorLine(error)).toBe(line)
    const found = await analytics.query(
      sql`select error, error_line from runs final where tenant_id = ${uuid(tenant_id)}`,
      columns({ error: text, error_line: text }),
    )
    expect(found.find((row) => row.error === error)?.error_line).toBe(line)
  })

  it('show it in run trees, however often the migration is run', async () => {
    const readPreviews = async () => {
      const found = await analytics.query(
        sql`select error_preview from trace_runs final where tenant_id = ${uuid(tenant_id)}`,
        columns({ error_preview: text }),
      )
      return found.map(({ error_preview }) => error_preview).sort()
    }
    const before = await readPreviews()
    await analytics.command(
      literal(`insert into trace_runs select * replace ('${START}' as error_preview) from trace_runs final
        where tenant_id = '${tenant_id}' and endsWith(trace_runs.error_preview, 'is already refunded')`),
    )
    expect(await readPreviews()).toContain(START)
    for (let round = 0; round < 2; round++) {
      for (const statement of errorLines.statements) await analytics.command(literal(statement))
    }
    expect(await readPreviews()).toEqual(before)
  })
})

describe('the group of an error', () => {
  it.each([
    ['RefundError: 409 order 8812 is already refunded', 'RefundError: 409 order # is already refunded'],
    [
      'Error code: 429 - limit 30000, used 29871, retry in 1.52s, or 20 ms',
      'Error code: 429 - limit #, used #, retry in #, or # ms',
    ],
    ['run 0c9e9f2c-5f43-4d56-9a7e-3f8f2f6d3f11 at 0x7f3a9c at 2026-11-22T03:11:43.212Z', 'run # at # at #'],
    [
      'no message for call_8xKj2mQ9 in step_12, order ORD-88121 or A7712345',
      'no message for call_# in step_#, order ORD-# or #',
    ],
    ['gpt-4o and text-embedding-3-small do not exist', 'gpt-4o and text-embedding-#-small do not exist'],
    ["KeyError: 'order_id'", "KeyError: 'order_id'"],
  ])('%s', async (line, group) => {
    const [found] = await analytics.query(
      sql`select ${literal(ERROR_GROUP)} as name from (select ${bind(line)} as error_line)`,
      columns({ name: text }),
    )
    expect(found?.name).toBe(group)
  })
})
