import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { columns, text } from '../rows.ts'
import { openChdb } from './chdb.ts'
import { literal, sql } from './sql.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-full-'))
const isMounted = mount(folder)
afterAll(() => {
  if (isMounted) execFileSync('umount', ['--lazy', folder])
  rmSync(folder, { recursive: true, force: true })
})

/** Mounts a file system for the test; false where the machine does not allow that. */
function mount(path: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=420m', 'tmpfs', path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Writes until the disk is full. */
function fill(path: string) {
  const file = openSync(path, 'w')
  const zeros = Buffer.alloc(1 << 20)
  for (let size = zeros.length; size >= 4096; ) {
    try {
      writeSync(file, zeros, 0, size)
    } catch {
      size >>= 1
    }
  }
  closeSync(file)
}

describe.skipIf(!isMounted)(
  'the embedded column store on a disk that another program fills while a block is written',
  () => {
    it('does not acknowledge the block, and is readable again once there is space', { timeout: 60_000 }, async () => {
      const directory = join(folder, 'data')
      mkdirSync(directory)
      const analytics = await openChdb(directory)
      await analytics.command(
        literal(
          'create table blocks (id UInt64, text String) engine = MergeTree order by id settings fsync_after_insert = 1',
        ),
      )
      const rows = Array.from({ length: 110 }, (_, id) => ({
        json: JSON.stringify({ id, text: randomBytes(1e6).toString('base64') }),
      }))
      await analytics.insert('blocks', [{ json: JSON.stringify({ id: 1000, text: 'before' }) }])
      const [table] = await analytics.query(
        sql`select data_paths[1] as folder from system.tables where database = currentDatabase() and name = 'blocks'`,
        columns({ folder: text }),
      )

      const inserting = analytics.insert('blocks', rows).then(
        () => 'promised',
        (error: Error) => error.message,
      )
      await setImmediate()
      // The block is written on another thread; this loop must not miss the moment.
      const deadline = Date.now() + 20_000
      while (!readdirSync(table!.folder).some((name) => name.startsWith('tmp_insert_')) && Date.now() < deadline);
      fill(join(folder, 'ballast'))
      const outcome = await inserting
      rmSync(join(folder, 'ballast'))

      expect(outcome).toMatch(/space/i)
      await analytics.insert('blocks', [{ json: JSON.stringify({ id: 1001, text: 'after' }) }])
      const kept = await analytics.query(
        sql`select text from blocks where text in ('before', 'after') order by id`,
        columns({ text }),
      )
      expect(kept).toEqual([{ text: 'before' }, { text: 'after' }])
      await analytics.close()
      expect(readdirSync(directory)).not.toEqual([])
    })
  },
)
