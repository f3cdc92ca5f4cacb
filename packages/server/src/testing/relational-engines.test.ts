import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseEngine, everyRelationalEngine, relationalEngines } from './relational-engines.ts'

const sources = join(import.meta.dirname, '..')
const suites = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join(sources, path))
  .filter((path) => readFileSync(path, 'utf8').includes('describe.each(relationalEngines(import.meta.filename))'))

it('suites that run on one engine are divided between both', () => {
  const onPostgres = suites.filter((path) => chooseEngine(path, ['pglite', 'postgres']) === 'postgres')
  expect(onPostgres.length).toBeGreaterThan(suites.length / 3)
  expect(onPostgres.length).toBeLessThan((suites.length * 2) / 3)
})

it('a suite runs on the engine that is there when there is only one', () => {
  expect(new Set(suites.map((path) => chooseEngine(path, ['pglite'])))).toEqual(new Set(['pglite']))
})

it('every suite has an engine', () => {
  for (const path of suites) expect(everyRelationalEngine).toEqual(expect.arrayContaining([...relationalEngines(path)]))
  expect(suites.map((path) => relationalEngines(path).length)).not.toContain(0)
})
