import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
const folder = mkdtempSync(join(tmpdir(), 'touchstone-evaluators-'))
beforeAll(async () => {
  terminal = await Terminal.open()
}, 90_000)
afterAll(() => terminal?.close())

const touchstone = (...args: string[]) => terminal.run('evaluators', ...args)
const write = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const SOURCE = 'function evaluate({ outputs, reference_outputs }) {\n  return outputs.a === reference_outputs.a\n}\n'

// Each command is a process.
describe('evaluators on the command line', { timeout: 120_000 }, () => {
  it('are created from a file and get versions', async () => {
    const file = write('exact.js', SOURCE)
    const made = await touchstone('create', 'exact', '--file', file, '--key', 'exact', '--description', 'Equal?')
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('Saved version 1 of the evaluator "exact"') })
    expect((await touchstone('create', 'exact', '--file', file)).code).toBe(5)
    const changed = write('changed.js', `${SOURCE}// changed\n`)
    const second = await touchstone('create', 'exact', '--file', changed, '--new-version', '--note', 'a remark')
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('Saved version 2') })
  })

  it('are shown, at a version too, and listed', async () => {
    expect((await touchstone('show', 'exact')).stdout).toContain('// changed')
    expect((await touchstone('show', 'exact', '--version', '1')).stdout.trim()).toBe(SOURCE.trim())
    expect((await touchstone('versions', 'exact')).stdout).toMatch(/^VERSION.*\n2 .*a remark\n1 /)
    expect((await touchstone('list', '--search', 'exa')).stdout).toMatch(/exact\s+javascript\s+2/)
    expect((await touchstone('list', '--json')).json()).toMatchObject([{ name: 'exact', version: 2 }])
    expect((await touchstone('show', 'unknown')).code).toBe(3)
  })

  it('are previewed over the rows of a file', async () => {
    const file = write('preview.js', SOURCE)
    const rows = write('rows.json', JSON.stringify([{ outputs: { a: 1 }, reference_outputs: { a: 1 } }]))
    const found = await touchstone('preview', '--file', file, '--rows', rows)
    expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ROW.*\n1\s+score\s+1/) })
    const bad = write('bad.json', JSON.stringify([{ outputs: { a: 1 } }]))
    const failed = await touchstone('preview', '--file', file, '--rows', bad)
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("cannot read property 'a' of null") })
    expect((await touchstone('preview', '--file', file)).code).toBe(2)
    expect((await touchstone('preview', 'exact', '--rows', write('no.json', '{'))).code).toBe(2)
  })

  it('judge the runs of an experiment on the server, each once', async () => {
    const client = new Client({ apiUrl: `${terminal.endpoint}/api/v1` })
    const { id: datasetId } = await client.createDataset('questions')
    const examples = await client.createExamples(
      [1, 2].map((a) => ({ dataset_id: datasetId, inputs: { q: a }, outputs: { a: 1 } })),
    )
    await client.createProject({ projectName: 'answers', referenceDatasetId: datasetId })
    for (const { id, inputs } of examples) {
      const times = { start_time: Date.now(), end_time: Date.now() + 1 }
      const run = { name: 'answer', run_type: 'chain' as const, project_name: 'answers', reference_example_id: id }
      await client.createRun({ ...run, ...times, inputs, outputs: { a: inputs.q } })
    }
    await client.flush()
    const run = (...args: string[]) => touchstone('run', 'exact', '--experiment', 'answers', ...args)
    await expect.poll(async () => (await run()).stderr, { timeout: 60_000 }).toContain('over 2 runs')
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes to confirm') })
    const judged = await run('--yes')
    expect(judged).toMatchObject({ code: 0, stdout: expect.stringMatching(/answers .*\s2\s+0/) })
    expect(judged.stderr).toContain('2 of 2 runs')
    const again = await run('--yes')
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Left out: 2 judged before.') })
    expect((await run('--yes', '--again', '--json')).json()).toMatchObject({ state: 'COMPLETED', done: 2, again: true })
    expect((await touchstone('run', 'exact')).code).toBe(2)
  })
})
