import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAsSent } from '../../support/expect-as-sent.ts'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const go = findGo()
if (go === undefined) console.info('Go is not installed: its public client is not tested.')

/** Go is not installed by this project: the test runs only if it is available. */
function findGo(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin']
  return folders.map((folder) => join(folder, 'go')).find((path) => existsSync(path))
}

let server: SharedServer
let client: string
beforeAll(async () => {
  if (go === undefined) return
  client = join(mkdtempSync(join(tmpdir(), 'touchstone-go-')), 'client')
  await promisify(execFile)(go, ['build', '-o', client, '.'], { cwd: here })
  server = await shareServer()
}, 600_000)
afterAll(() => server?.stop())

function runClient<Answer>(task: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = execFile(client, { maxBuffer: 1e9 }, (failure, stdout, stderr) =>
      failure ? reject(new Error(stderr || failure.message)) : resolve(JSON.parse(stdout)),
    )
    child.stdin!.end(JSON.stringify(task))
  })
}

describe.skipIf(go === undefined)('the public Go client', () => {
  it('gets back what it sent, page by page, filtered and by trace', async () => {
    const project = `go-${randomBytes(4).toString('hex')}`
    const runs = aTrace(project)

    const report = await runClient<{
      pages: Record<string, unknown>[][]
      filtered: string[]
      trace: string[]
      refused: boolean
    }>({
      endpoint: server.url,
      runs,
      project,
      filter: 'and(eq(run_type, "llm"), eq(metadata_key, "turn"), eq(metadata_value, 2))',
    })

    expect(report.pages.map((page) => page.length)).toEqual([2, 1])
    const read = report.pages.flat()
    for (const [at, run] of runs.entries()) expectAsSent(read[at]!, run)
    expect(report.filtered).toEqual([runs[2]!.id])
    expect(report.trace.sort()).toEqual(runs.map((run) => run.id).sort())
    expect(report.refused).toBe(true)
  })
})

/** A root and two runs of a model, a second apart. */
function aTrace(session_name: string) {
  const startMs = Date.now() - 10_000
  const timeOf = (at: number) => new Date(startMs + at * 1000).toISOString()
  const root = aRunHead({ name: 'root', start_time: timeOf(0) })
  const rest = { session_name, end_time: timeOf(5), tags: ['go'], outputs: { text: 'grüezi', list: [1, { a: [] }] } }
  const children = [1, 2].map((at) => {
    const head = aRunHead({ name: `model ${at}`, run_type: 'llm', start_time: timeOf(at) })
    const place = {
      trace_id: root.id,
      parent_run_id: root.id,
      dotted_order: `${root.dotted_order}.${head.dotted_order}`,
    }
    return { ...head, ...place, ...rest, inputs: { at }, extra: { metadata: { turn: at } } }
  })
  return [{ ...root, ...rest, inputs: { at: 0 }, extra: { metadata: { turn: 0 } } }, ...children]
}
