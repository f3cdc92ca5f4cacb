import { cp, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyFolder } from '../support/copy-folder.ts'
import { aRunHead, postJson } from '../support/raw-ingest.ts'
import { startServer } from '../support/start-server.ts'

let written: string
const copies: string[] = []

beforeAll(async () => {
  written = await mkdtemp(join(tmpdir(), 'touchstone-written-'))
  const template = process.env.TOUCHSTONE_E2E_TEMPLATE
  if (template !== undefined) await copyFolder(template, written)
  const server = await startServer({ dataDir: written })
  for (let at = 0; at < 5; at++) {
    const post = Array.from({ length: 20 }, () => ({ ...aRunHead({ session_name: 'damaged' }), inputs: { at } }))
    expect((await postJson(`${server.url}/runs/batch`, JSON.stringify({ post }))).status).toBe(202)
    expect((await postJson(`${server.url}/datasets`, JSON.stringify({ name: `kept ${at}` }))).status).toBe(200)
  }
  await server.stop()
})

afterAll(async () => {
  for (const folder of [written, ...copies]) await rm(folder, { recursive: true, force: true })
})

async function aCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'touchstone-damaged-'))
  copies.push(copy)
  await cp(written, copy, { recursive: true })
  return copy
}

/** Overwrites the last 8 bytes of the newest files below a folder. */
async function damageNewest(folder: string, count: number, isWanted = (_name: string) => true): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const paths = entries
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(paths.map(async (path) => ({ path, ...pick(await stat(path)) })))
  const newest = files.filter(({ size }) => size >= 8).sort((one, other) => other.mtimeMs - one.mtimeMs)
  for (const { path, size } of newest.slice(0, count)) {
    const file = await open(path, 'r+')
    await file.write(Buffer.alloc(8, 0xa5), 0, 8, size - 8)
    await file.close()
  }
}

const pick = ({ size, mtimeMs }: { size: number; mtimeMs: number }) => ({ size, mtimeMs })

/** What the server prints when it refuses the directory. */
async function readRefusal(dataDir: string): Promise<string> {
  const started = await startServer({ dataDir }).catch((error: Error) => error.message)
  if (typeof started === 'string') return started
  await started.kill()
  return 'it started'
}

describe('B17: a damaged file', () => {
  it('of the relational database is refused with a sentence that names it and the way back', async () => {
    const dataDir = await aCopy()
    await damageNewest(join(dataDir, 'relational'), 12)
    const refusal = await readRefusal(dataDir)
    expect(refusal).toContain('exit code 1')
    expect(refusal).toContain(`${dataDir}/relational is damaged: `)
    expect(refusal).toContain('touchstone backup restore')
    expect(refusal).not.toMatch(/^ {4}at /m)
  })

  it('of the column store is refused with a sentence that names table and part', async () => {
    const dataDir = await aCopy()
    await damageNewest(join(dataDir, 'analytics'), 12, (name) => name.endsWith('.bin'))
    const refusal = await readRefusal(dataDir)
    expect(refusal).toContain('exit code 1')
    expect(refusal).toMatch(/analytics is damaged: the part \S+ of the table \w+ .*cannot be read/)
    expect(refusal).toContain('touchstone backup restore')
    expect(refusal).not.toMatch(/^ {4}at /m)
  })

  it('that makes the column store set a part aside is logged at each start', async () => {
    const dataDir = await aCopy()
    await damageNewest(join(dataDir, 'analytics'), 4, (name) => name === 'checksums.txt')
    for (let start = 0; start < 2; start++) {
      const server = await startServer({ dataDir })
      expect(server.output()).toMatch(/could not load the part \S+ of the table \w+ and set it aside/)
      await server.stop()
    }
  })
})
