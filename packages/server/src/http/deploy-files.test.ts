import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../settings.ts'
import { createMetrics } from './metrics.ts'

const root = join(import.meta.dirname, '../../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))

/** Names of metrics without the suffixes of their series. */
function findMetrics(text: string): Set<string> {
  const names = text.match(/\b(?:touchstone|process|nodejs)_[a-z0-9_]+/g) ?? []
  return new Set(names.map((name) => name.replace(/_(?:bucket|count|sum)$/, '')))
}

describe('the files for operating a server', () => {
  it.each(['deploy/grafana/touchstone.json', 'deploy/prometheus/alerts.yaml', 'docs/guides/monitoring-the-server.md'])(
    'use metrics that the server prints: %s',
    async (path) => {
      const printed = await createMetrics().print()
      const known = new Set([...printed.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
      const used = findMetrics(read(path))
      expect([...used].filter((name) => !known.has(name))).toEqual([])
      expect(used.size).toBeGreaterThan(3)
    },
  )

  it('list every metric of the server in the guide', async () => {
    const printed = await createMetrics().print()
    const own = [...printed.matchAll(/^# TYPE (touchstone_\S+)/gm)].map(([, name]) => name)
    const guide = findMetrics(read('docs/guides/monitoring-the-server.md'))
    expect(own.filter((name) => name !== undefined && !guide.has(name))).toEqual([])
  })

  it.each(files.map((path) => path.slice(root.length + 1)))('use settings that exist: %s', (path) => {
    const known = new Set<string>(Object.values(SETTINGS).map(({ env }) => env))
    const used = new Set(read(path).match(/TOUCHSTONE_[A-Z0-9_]+/g))
    expect([...used].filter((name) => !known.has(name))).toEqual([])
  })
})
