import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from './steps/root.mjs'

function run(command: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): string {
  const env = { ...process.env, TOUCHSTONE_TEST_CLICKHOUSE_URL: '', TOUCHSTONE_JOURNEYS: '', ...variables }
  return execFileSync(command, args, { cwd: root, env, encoding: 'utf8' })
}

/** The test files of each project. */
function listProjects(variables: Readonly<Record<string, string>> = {}): ReadonlyMap<string, ReadonlySet<string>> {
  const listed = JSON.parse(run(join(root, 'node_modules/.bin/vitest'), ['list', '--filesOnly', '--json'], variables))
  const projects = new Map<string, Set<string>>()
  for (const { file, projectName } of listed as { file: string; projectName: string }[]) {
    projects.set(projectName, (projects.get(projectName) ?? new Set()).add(relative(root, file)))
  }
  return projects
}

const listFiles = (projects: ReturnType<typeof listProjects>) =>
  new Set([...projects.values()].flatMap((files) => [...files]))

const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe('a project of vitest.config.ts', () => {
  // With a ClickHouse server, a project runs suites of another a second time.
  let projects: ReadonlyMap<string, ReadonlySet<string>>
  beforeAll(() => {
    projects = listProjects({ TOUCHSTONE_JOURNEYS: 'full' })
  })
  const filesOf = (project: string) => [...(projects.get(project) ?? [])]

  it('has each test file that no other project has', () => {
    const files = run('git', ['ls-files', '-z', '*.test.*', '*.spec.*']).split('\0').filter(Boolean)
    const found = files.map((file) => [file, [...projects.keys()].filter((name) => projects.get(name)?.has(file))])
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter(([, names]) => names?.length !== 1)).toEqual([])
  })

  it('has with each change all but journeys over large data', () => {
    const some = listFiles(listProjects())
    const left = [...listFiles(projects)].filter((file) => !some.has(file))
    expect(left.length).toBeGreaterThan(0)
    expect(left.filter((file) => !file.startsWith('e2e/web/journeys/'))).toEqual([])
    expect(some).toContain('e2e/web/journeys/newcomer.test.ts')
  })

  it('shares a worker only between files of one environment', () => {
    // Written out, the directive would apply to this file.
    const isOfBrowser = (file: string) => /@vitest-\w+ happy-dom/.test(read(file))
    expect(filesOf('web-components').length).toBeGreaterThan(0)
    expect(filesOf('web-components').filter((file) => !isOfBrowser(file))).toEqual([])
    for (const shared of ['formats', 'contract', 'sdk', 'server', 'cli', 'web']) {
      expect(filesOf(shared).length).toBeGreaterThan(0)
      expect(filesOf(shared).filter(isOfBrowser)).toEqual([])
    }
  })

  it('gives a file that replaces modules a process of its own', () => {
    for (const shared of ['contract', 'sdk', 'server', 'cli', 'web', 'web-components'])
      expect(filesOf(shared).filter((file) => read(file).includes('\nvi.mock('))).toEqual([])
    for (const file of filesOf('sdk')) expect(read(file)).not.toMatch(/vi\.stub|process\.env\.\w+ =/)
  })
})

describe('over HTTP', () => {
  const server = { TOUCHSTONE_TEST_CLICKHOUSE_URL: 'http://127.0.0.1:1' }

  it('the suites run of what the server does differently, and with test:full all', () => {
    const some = listProjects(server).get('server-clickhouse') ?? new Set()
    const all = listProjects({ ...server, TOUCHSTONE_JOURNEYS: 'full' })
    const every = all.get('server-clickhouse') ?? new Set()
    const folders = /^packages\/server\/src\/(ingest|features|lifecycle)\//
    expect([...every].sort()).toEqual([...(all.get('server') ?? [])].filter((file) => folders.test(file)).sort())
    expect([...some].filter((file) => !every.has(file))).toEqual([])
    for (const word of ['ingest/ingest', 'receipts/receipts', 'retention/retention', 'sql/sql'])
      expect([...some].filter((file) => file.endsWith(`/${word}.test.ts`))).toHaveLength(1)
  })
})
