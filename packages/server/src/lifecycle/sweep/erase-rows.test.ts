import { mkdtempSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChdb } from '../../storage/analytics/chdb.ts'
import { literal, sql } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { eraseDeletedRows } from './erase-rows.ts'
import { removeOrphanedAttachments } from './sweep-job.ts'

describe('erasing deleted rows', () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-erased-'))
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp({ analytics: await openChdb(directory) })
    for (const table of TABLES) {
      // Files that a rewrite replaces stay for eight minutes; compression would hide the words from a search.
      await app.deps.analytics.command(
        literal(`alter table ${table} modify setting old_parts_lifetime = 1, default_compression_codec = 'NONE'`),
      )
    }
  })
  afterAll(() => app.close())

  const TABLES = [
    'runs',
    'run_keys',
    'run_links',
    'trace_runs',
    'project_roots',
    'project_usage',
    'run_feedback',
    'run_attachments',
  ]

  /** Files below the data directory of the store that hold a word. */
  async function filesWith(word: string): Promise<string[]> {
    const names = await readdir(directory, { recursive: true, withFileTypes: true })
    const paths = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
    const found = await Promise.all(
      paths.map(async (path) => ((await readFile(path).catch(() => Buffer.of())).includes(word) ? [path] : [])),
    )
    return found.flat()
  }

  async function record(project: string, word: string): Promise<{ id: string; projectId: string }> {
    const id = uuid7()
    const start_time = new Date().toISOString()
    const run = { id, trace_id: id, name: word, run_type: 'chain', start_time, session_name: project, tags: [word] }
    await app.call(contract.runs.batch, { body: { post: [{ ...run, inputs: {}, error: word }] } })
    await app.call(contract.feedback.create, { body: { run_id: id, key: 'k', comment: word } })
    const { session_id } = (await app.call(contract.runs.read, { params: { run_id: id } })).body
    return { id, projectId: session_id }
  }

  it('removes the text of deleted traces, projects and feedback from the disk, and no other text', async () => {
    const doomed = await record('erased traces', 'zebrafinch')
    const ofProject = await record('erased project', 'kookaburra')
    await record('erased traces', 'nightingale')
    const body = { session_id: doomed.projectId, trace_ids: [doomed.id] }
    const { deletion_id } = (await app.call(contract.runDeletions.delete, { body })).body
    await app.call(contract.projects.delete, { params: { session_id: ofProject.projectId } })
    expect(await eraseDeletedRows(app.deps, { afterMs: 60_000 })).toBe(false)

    expect(await eraseDeletedRows(app.deps, { afterMs: 0 })).toBe(true)
    for (const word of ['zebrafinch', 'kookaburra']) {
      await expect.poll(() => filesWith(word), { timeout: 90_000, interval: 500 }).toEqual([])
    }
    const rows = await app.deps.analytics.query(sql`select name from runs final`, columns({ name: text }))
    expect(rows).toEqual([{ name: 'nightingale' }])
    const { body: deletion } = await app.call(contract.deletions.read, { params: { deletion_id: deletion_id! } })
    expect(deletion).toMatchObject({ status: 'done', remaining: 0, analytics: { runs: 1, feedback: 1 } })
    expect(deletion.erased_at).not.toBeNull()
    expect(await eraseDeletedRows(app.deps, { afterMs: 0 })).toBe(false)
  }, 180_000)

  it('keeps a run that was sent again after its deletion', async () => {
    const { id, projectId } = await record('sent again', 'before')
    await app.call(contract.runDeletions.delete, { body: { session_id: projectId, trace_ids: [id] } })
    const start_time = new Date().toISOString()
    const run = {
      id,
      trace_id: id,
      name: 'after',
      run_type: 'chain',
      start_time,
      session_name: 'sent again',
      inputs: {},
    }
    await app.call(contract.runs.batch, { body: { post: [run] } })
    await eraseDeletedRows(app.deps, { afterMs: 0 })
    expect((await app.call(contract.runs.read, { params: { run_id: id } })).body.name).toBe('after')
  })

  it('removes attachment rows that have had no run for a day', async () => {
    const { id } = await record('with a run', 'attached')
    const form = new FormData()
    for (const run of [id, uuid7()])
      form.append(`attachment.${run}.note`, new Blob(['a'], { type: 'text/plain; length=1' }))
    expect((await app.fetch('/runs/multipart', { method: 'POST', body: form })).status).toBe(202)
    const namedRuns = () =>
      app.deps.analytics.query(sql`select run_id from run_attachments final`, columns({ run_id: text }))
    await removeOrphanedAttachments(app.deps)
    expect(await namedRuns()).toHaveLength(2)
    await removeOrphanedAttachments({ ...app.deps, clock: () => Date.now() + 25 * 3_600_000 })
    expect(await namedRuns()).toEqual([{ run_id: id }])
  })
})
