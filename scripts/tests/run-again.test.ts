import { describe, expect, it } from 'vitest'
import type { FileReport } from './report.mjs'
import { runFailedAgain } from './run-again.mjs'

const aFile = (path: string, failures: FileReport['failures'] = []): FileReport => ({
  path,
  project: 'e2e',
  seconds: 1,
  beganAt: 0,
  endedAt: 1_000,
  statements: null,
  compared: 0,
  passed: 3 - failures.length,
  failed: failures.length,
  skipped: 0,
  failures,
})
const failed = (path: string) => aFile(path, [{ test: 'is found', message: 'it is not' }])
const reportOf = (...files: FileReport[]) => ({ seconds: 1, files, errors: [] })

describe('a file that failed', () => {
  it('is unstable when it passes alone, and counts with its second result', () => {
    const report = reportOf(aFile('good'), failed('bad'))
    const again = runFailedAgain(report, ({ path }) => aFile(path))
    expect(again.report.files).toEqual([aFile('good'), aFile('bad')])
    expect(again.unstable).toEqual([{ beside: failed('bad'), alone: aFile('bad') }])
  })

  it.each([
    ['fails alone too', failed('bad')],
    ['runs nothing alone', { ...aFile('bad'), passed: 0 }],
    ['ends the runner alone', undefined],
  ])('stays failed when it %s', (_, alone) => {
    const report = reportOf(failed('bad'), aFile('good'))
    expect(runFailedAgain(report, () => alone)).toEqual({ report, unstable: [] })
  })

  it('keeps the first result, and is named, when more than three are unstable', () => {
    const report = reportOf(...['a', 'b', 'c', 'd'].map(failed))
    const again = runFailedAgain(report, ({ path }) => aFile(path))
    expect(again.report).toBe(report)
    expect(again.unstable.map(({ beside }) => beside.path)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is not run again when so many failed that the run is red anyway', () => {
    const report = reportOf(...Array.from({ length: 13 }, (_, at) => failed(`${at}`)))
    const runs: string[] = []
    const again = runFailedAgain(report, ({ path }) => {
      runs.push(path)
      return aFile(path)
    })
    expect({ again, runs }).toEqual({ again: { report, unstable: [] }, runs: [] })
  })

  it('is only run again itself', () => {
    const runs: string[] = []
    runFailedAgain(reportOf(aFile('good'), failed('bad'), failed('worse')), ({ path }) => {
      runs.push(path)
      return undefined
    })
    expect(runs).toEqual(['bad', 'worse'])
  })
})
