import { mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyAnalytics } from './copy-analytics.ts'

const TABLE = 'store/881/881f03a8-bb2c-47b1-a38a-99109e89e74a'
const DATABASE = 'store/d34/d34f03a8-bb2c-47b1-a38a-99109e89e74a'

describe('a copy of the column store', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-copy-analytics-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  it('counts rows and links its tables by relative paths, also from a data directory that was copied with links in full', async () => {
    const from = join(root, 'analytics')
    const frozen = join(from, 'shadow/now', TABLE, 'all_1_1_0')
    for (const folder of [frozen, join(from, 'metadata'), join(from, 'data/default')]) {
      await mkdir(folder, { recursive: true })
    }
    await writeFile(join(frozen, 'count.txt'), '7')
    await symlink(`/srv/older/analytics/${TABLE}/`, join(from, 'data/default/runs'))
    await symlink(`../${DATABASE}`, join(from, 'metadata/default'))
    const to = join(root, 'copy')
    expect(await copyAnalytics(from, 'now', to, () => {})).toEqual({ runs: 7 })
    expect(await readlink(join(to, 'data/default/runs'))).toBe(`../../${TABLE}`)
    expect(await readlink(join(to, 'metadata/default'))).toBe(`../${DATABASE}`)
  })
})
