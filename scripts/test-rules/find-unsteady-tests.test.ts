import { describe, expect, it } from 'vitest'
import { findUnsteadyTests } from './find-unsteady-tests.ts'

const FILE = 'packages/sdk/src/some.test.ts'
const PAUSE = '  await new Promise((resolve) => setTimeout(resolve, 20))'

describe('the rules for steady tests', () => {
  it.each([
    ['a pause', PAUSE, 'wait for the event itself'],
    ['a time as an assertion', '  expect(performance.now() - began).toBeLessThan(100)', 'measure CPU time'],
    ['a date as an assertion', '  expect(Date.now() - began).toBeLessThan(100)', 'measure CPU time'],
    ['chance', '  const at = Math.random() * 3', 'with a seed'],
    ['the patience of a second', '  await vi.waitFor(() => expect(sent).toEqual([]))', 'use expect.poll'],
    ['a second try', '  retry: 2,', 'mend the test'],
  ])('find %s', (_, line, advice) => {
    expect(findUnsteadyTests(FILE, `\n${line}\n`)).toEqual([expect.stringMatching(`^${FILE}:2: .*${advice}`)])
  })

  it.each([
    ['a pause with its reason', `  // Pause: a request too many would be sent in this time.\n${PAUSE}`],
    ['a pause with its reason at the end of the line', `${PAUSE} // Pause: requests overlap.`],
    ['patience that is said', '  await vi.waitFor(() => group.settled(), { timeout: 20_000 })'],
    ['CPU time', '  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)'],
    ['a fake timer', "  vi.useFakeTimers({ toFake: ['setTimeout'] })"],
  ])('allow %s', (_, text) => {
    expect(findUnsteadyTests(FILE, text)).toEqual([])
  })

  it('find an address that is read once', () => {
    const text = '  expect(new URL(page.url()).search).toBe("")'
    expect(findUnsteadyTests('e2e/web/runs.test.ts', text)).toHaveLength(1)
    const polled = '  await expect.poll(() => page.url()).toContain("/o/")'
    expect(findUnsteadyTests('e2e/web/runs.test.ts', polled)).toEqual([])
  })

  it('find a page that the tests of a browser suite share', () => {
    const text = "  let page: Page\n  it('opens', async () => {})"
    expect(findUnsteadyTests('e2e/web/runs.test.ts', text)).toHaveLength(1)
    expect(findUnsteadyTests(FILE, text)).toEqual([])
  })
})
