import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BackupError } from './files.ts'
import { type Manifest, writeManifest } from './manifest.ts'
import { assertRestored, restoreBackup } from './restore-backup.ts'
import { verifyBackup } from './verify-backup.ts'

const CONTENT = 'a part'
const FILE = {
  path: 'analytics/store/part',
  bytes: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
}
const MANIFEST: Manifest = {
  format: 1,
  touchstone_version: '1.0.0',
  point_in_time: '2026-11-22T07:40:10.000Z',
  pause_ms: 0,
  relational: { migration: 1, rows: {} },
  analytics: { migration: 1, rows: {} },
  blobs: { count: 0, bytes: 0 },
  bytes: CONTENT.length,
  files: [FILE],
  directories: ['analytics', 'analytics/store', 'relational', 'blobs'],
  links: [],
}

let root: string
let made = 0
let backup: string
let dataDir: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'touchstone-hostile-archive-'))
})
beforeEach(async () => {
  backup = join(root, `backup-${++made}`)
  dataDir = join(root, `data-${made}`)
  await mkdir(join(backup, 'analytics/store'), { recursive: true })
  await writeManifest(backup, MANIFEST)
})
afterAll(() => rm(root, { recursive: true, force: true }))

const part = () => join(backup, FILE.path)
const makePipe = (path: string) => execFileSync('mkfifo', [path])

/** Neither command ends in another way, and no server starts on what is there. */
async function expectRefused(message: RegExp): Promise<void> {
  for (const attempt of [() => restoreBackup(backup, { dataDir }), () => verifyBackup(backup)]) {
    await expect(attempt()).rejects.toThrow(message)
    await expect(attempt()).rejects.toBeInstanceOf(BackupError)
  }
  const restored = await readdir(dataDir).catch(() => [])
  if (restored.length > 0) expect(() => assertRestored(dataDir)).toThrow('was interrupted')
}

describe('an archive from a stranger', () => {
  it.each([
    ['a link to a device without an end', () => symlink('/dev/zero', part()), /analytics\/store\/part is not a file/],
    ['a link to a file outside', () => symlink('/etc/hostname', part()), /is not a file/],
    ['a pipe without a writer', async () => makePipe(part()), /is not a file/],
    ['a folder', () => mkdir(part()), /is not a file/],
    ['nothing', async () => {}, /part is missing/],
    ['a longer file', () => writeFile(part(), `${CONTENT}!`), /has 7 bytes instead of 6/],
    ['another file of its size', () => writeFile(part(), 'A part'), /part was changed: its checksum does not match/],
  ])('is refused with %s in place of a file', async (_, make, message) => {
    await make()
    await expectRefused(message)
  })

  it.each([
    ['a link to a device without an end', (path: string) => symlink('/dev/zero', path)],
    ['a pipe', async (path: string) => makePipe(path)],
  ])('is refused with %s in place of its manifest', async (_, make) => {
    for (const name of ['manifest.json', 'manifest.json.sha256']) {
      await writeManifest(backup, MANIFEST)
      await rm(join(backup, name))
      await make(join(backup, name))
      await expectRefused(/is not a file/)
      await rm(join(backup, name))
    }
  })

  it.each(['{"format":1', '[]', 'null', '"1"', '{"format":1}', `{"format":${'['.repeat(100_000)}`])(
    'is refused with the manifest %.20s',
    async (text) => {
      await writeFile(join(backup, 'manifest.json'), text)
      await writeFile(join(backup, 'manifest.json.sha256'), createHash('sha256').update(text).digest('hex'))
      await expectRefused(/is not JSON|is not valid|has format undefined/)
    },
  )

  it('is refused when a folder of it is a link to devices', async () => {
    await rm(join(backup, 'analytics'), { recursive: true })
    await symlink('/dev', join(backup, 'analytics'))
    await writeManifest(backup, { ...MANIFEST, files: [{ ...FILE, path: 'analytics/zero', bytes: 0 }] })
    await expectRefused(/analytics\/zero is not a file/)
  })
})
