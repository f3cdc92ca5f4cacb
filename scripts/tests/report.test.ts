import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../steps/root.mjs'
import { countTests, type FileReport, listSlowestFiles, type Report, sumByGroup, sumByProject } from './report.mjs'
import { runVitest } from './run-vitest.mjs'

const aFile = (fields: Partial<FileReport> = {}): FileReport => ({
  path: 'good.test.ts',
  project: 'server',
  seconds: 1,
  beganAt: 1_000,
  endedAt: 2_000,
  statements: null,
  compared: 0,
  passed: 7,
  failed: 0,
  skipped: 2,
  failures: [],
  ...fields,
})
const aReport = (...files: FileReport[]): Report => ({ seconds: 1, files, errors: [] })
const failures = [{ test: 'a list is sorted', message: 'it is not' }]

describe('the tally of a test run', () => {
  it.each([
    ['counts what ran', aReport(aFile()), 0, { passed: 7, failed: 0, skipped: 2 }],
    ['counts failures', aReport(aFile({ failed: 1, failures })), 1, { passed: 7, failed: 1, skipped: 2 }],
    [
      'counts a file that could not be loaded',
      aReport(aFile(), aFile({ passed: 0, skipped: 0, failures: [{ message: 'no such module' }] })),
      1,
      { passed: 7, failed: 1, skipped: 2 },
    ],
    [
      'counts an error outside any file',
      { ...aReport(aFile()), errors: ['late'] },
      1,
      { passed: 7, failed: 1, skipped: 2 },
    ],
    ['counts a failure that nothing explains', aReport(aFile()), 1, { passed: 7, failed: 1, skipped: 2 }],
    ['does not call nothing a success', aReport(), 0, { passed: 0, failed: 1, skipped: 0 }],
    ['counts a runner that died', undefined, 137, { passed: 0, failed: 1, skipped: 0 }],
  ])('%s', (_, report, exitCode, tally) => {
    expect(countTests(report, exitCode)).toEqual(tally)
  })
})

describe('the times of a test run', () => {
  const report = aReport(
    aFile({ path: 'a.test.ts', seconds: 3, beganAt: 0, endedAt: 3_000 }),
    aFile({ path: 'b.test.ts', seconds: 9, beganAt: 1_000, endedAt: 10_000 }),
    aFile({ path: 'c.test.ts', project: 'sdk', seconds: 2, beganAt: 9_000, endedAt: 11_000, passed: 4 }),
    aFile({ path: 'd.test.ts', project: 'e2e-web', seconds: 5, beganAt: 11_000, endedAt: 16_000 }),
  )

  it('are summed by project, longest first', () => {
    expect(sumByProject(report)).toEqual([
      { project: 'server', files: 2, tests: 14, seconds: 12, wallSeconds: 10 },
      { project: 'e2e-web', files: 1, tests: 7, seconds: 5, wallSeconds: 5 },
      { project: 'sdk', files: 1, tests: 4, seconds: 2, wallSeconds: 2 },
    ])
  })

  it('are measured by group, as the groups ran', () => {
    expect(sumByGroup(report)).toEqual([
      { group: 'units', wallSeconds: 11 },
      { group: 'e2e-web', wallSeconds: 5 },
    ])
  })

  it('name the slowest files, as many as asked for', () => {
    expect(listSlowestFiles(report, 2).map(({ path }) => path)).toEqual(['b.test.ts', 'd.test.ts'])
  })
})

describe('what the reporter writes', () => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache/report-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

  it('has a row per file with its project, counts and failures, also of hooks, imports and dead workers', () => {
    const test = "import { beforeAll, expect, it } from 'vitest'\n"
    write('config.mjs', `export default { test: { name: 'small', pool: 'forks', include: ['**/*.check.mjs'] } }`)
    write('good.check.mjs', `${test}it('holds', () => {})\nit.skip('waits', () => {})`)
    write('bad.check.mjs', `${test}it('is sorted', () => expect([2, 1]).toEqual([1, 2]))\nit('is short', () => {})`)
    write('hook.check.mjs', `${test}beforeAll(() => { throw new Error('no browser') })\nit('opens', () => {})`)
    write('late.check.mjs', `${test}it('ends', () => new Promise(() => {}), 50)`)
    write('import.check.mjs', `import './missing.mjs'`)
    write('dies.check.mjs', `${test}it('dies', () => new Promise(() => process.kill(process.pid, 'SIGKILL')))`)

    const { report, exitCode } = runVitest(['--root', folder, '--config', join(folder, 'config.mjs')], {
      reportFile: relative(root, join(folder, 'report.json')),
      spawn: { env: process.env, stdio: 'ignore' },
    })

    expect(exitCode).toBe(1)
    const rows = report?.files.map(({ path, project, passed, failed, skipped, failures }) => ({
      file: path.replace(/^.*\//, '').replace('.check.mjs', ''),
      project,
      counts: [passed, failed, skipped],
      failures: failures.map(({ test, message }) => [test, message.split('\n')[0]]),
    }))
    expect(rows?.sort((a, b) => a.file.localeCompare(b.file))).toEqual([
      {
        file: 'bad',
        project: 'small',
        counts: [1, 1, 0],
        failures: [['is sorted', expect.stringContaining('to deeply equal')]],
      },
      {
        file: 'dies',
        project: 'small',
        counts: [0, 0, 0],
        failures: [
          [undefined, expect.stringContaining('did not end')],
          [undefined, expect.stringContaining('Worker forks emitted error')],
        ],
      },
      { file: 'good', project: 'small', counts: [1, 0, 1], failures: [] },
      { file: 'hook', project: 'small', counts: [0, 0, 1], failures: [[undefined, 'Error: no browser']] },
      {
        file: 'import',
        project: 'small',
        counts: [0, 0, 0],
        failures: [[undefined, expect.stringContaining('missing.mjs')]],
      },
      {
        file: 'late',
        project: 'small',
        counts: [0, 1, 0],
        failures: [['ends', expect.stringContaining('timed out in 50ms')]],
      },
    ])
    expect(report?.errors).toEqual([])
    expect(report?.files.every(({ seconds }) => seconds >= 0)).toBe(true)
  }, 60_000)
})
