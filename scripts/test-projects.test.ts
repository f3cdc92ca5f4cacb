import { execFileSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './steps/root.mjs'

// With a ClickHouse server, a project runs suites of another a second time.
const env = { ...process.env, TOUCHSTONE_TEST_CLICKHOUSE_URL: '' }
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: root, env, encoding: 'utf8' })

it('runs each test file in exactly one project of vitest.config.ts', () => {
  const listed = JSON.parse(run(join(root, 'node_modules/.bin/vitest'), 'list', '--filesOnly', '--json'))
  const projects: Record<string, string[]> = {}
  for (const file of run('git', 'ls-files', '-z', '*.test.*', '*.spec.*').split('\0').filter(Boolean))
    projects[file] = []
  for (const { file, projectName } of listed as { file: string; projectName: string }[]) {
    projects[relative(root, file)]?.push(projectName)
  }
  expect(Object.keys(projects).length).toBeGreaterThan(0)
  expect(Object.entries(projects).filter(([, names]) => names.length !== 1)).toEqual([])
})
