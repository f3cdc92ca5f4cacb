import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { assertKnownMigrations } from './check-files.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'

const MANIFEST: Manifest = {
  format: 1,
  touchstone_version: '9.9.9',
  point_in_time: '2026-11-22T07:40:10.000Z',
  pause_ms: 12,
  relational: { migration: 1, rows: { projects: 2 } },
  analytics: { migration: 1, rows: { runs: 3 } },
  blobs: { count: 0, bytes: 0 },
  bytes: 0,
  files: [],
  directories: ['relational'],
  links: [{ path: 'analytics/data/default/runs', target: '../../store/31d/31d77196' }],
}

let backup: string
const made: string[] = []
beforeEach(async () => {
  backup = await mkdtemp(join(tmpdir(), 'touchstone-manifest-'))
  made.push(backup)
})
afterAll(() => Promise.all(made.map((path) => rm(path, { recursive: true, force: true }))))

/** Writes a manifest of another program, with a checksum that matches. */
async function writeForeign(manifest: object): Promise<void> {
  const text = JSON.stringify(manifest)
  await writeFile(join(backup, 'manifest.json'), text)
  await writeFile(join(backup, 'manifest.json.sha256'), createHash('sha256').update(text).digest('hex'))
}

const withSequences = (sequences: Record<string, string>) => ({
  ...MANIFEST.relational,
  as_rows: { migrations: [1], sequences, job_queue: null },
})

describe('the manifest of a backup', () => {
  it('is read as it was written', async () => {
    await writeManifest(backup, MANIFEST)
    expect(await readManifest(backup)).toEqual(MANIFEST)
  })

  it('is refused in another format, which the message names', async () => {
    await writeForeign({ ...MANIFEST, format: 3, files: 'elsewhere' })
    await expect(readManifest(backup)).rejects.toThrow(/has format 3, this version reads the formats 1 and 2/)
  })

  it.each([
    ['a file outside', { files: [{ path: '../../etc/passwd', bytes: 1, sha256: '' }] }],
    ['an absolute file', { files: [{ path: '/etc/passwd', bytes: 1, sha256: '' }] }],
    ['a folder outside', { directories: ['relational/../../x'] }],
    ['a link outside', { links: [{ path: 'analytics/data/default/runs', target: '../../../../etc' }] }],
    ['an absolute link', { links: [{ path: 'analytics/data/default/runs', target: '/etc' }] }],
    ['a link to a store outside', { links: [{ path: 'analytics/data/runs', target: '../../../store/x' }] }],
    ['a link in another store', { links: [{ path: 'blobs/aa', target: '../analytics/store/x' }] }],
    ['a table that is a statement', { relational: { migration: 1, rows: { 'projects"; drop table runs; --': 1 } } }],
    ['a table in a file outside', { analytics: { migration: 1, rows: { '../../runs': 1 } } }],
    ['a sequence that is a statement', { relational: withSequences({ "a.b'); drop table runs; --": '1' }) }],
    ['a value that is a statement', { relational: withSequences({ 'a.b': '1); drop table runs' }) }],
  ])('is refused when it names %s', async (_, change) => {
    await writeForeign({ ...MANIFEST, ...change })
    await expect(readManifest(backup)).rejects.toThrow(/is not valid/)
  })

  it.each([
    ['relational', { relational: { migration: 9999, rows: {} } }],
    ['analytics', { analytics: { migration: 9999, rows: {} } }],
  ])('is refused when the %s data is newer than this program', (_, change) => {
    const newer = () => assertKnownMigrations(backup, { ...MANIFEST, ...change })
    expect(newer).toThrow(/made by a newer Touchstone \(9\.9\.9\)/)
  })
})
