import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { takeStatementCount } from './count-statements.ts'
import { takeComparedCount, takeDifferences } from './http-mirror.ts'
import { countOpenApps } from './start-app.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Statements that a file has sent to the column store. */
    statements?: number
    /** Statements of a file that were compared over HTTP. */
    compared?: number
  }
}

// What a file before left open fails that file only.
let openBefore = 0
beforeAll(() => {
  openBefore = countOpenApps()
})

// A difference fails the test that read it, or the file when it was read outside of tests.
const assertNoDifference = () => expect(takeDifferences().join('\n\n'), 'reads over HTTP').toBe('')
afterEach(assertNoDifference)
// biome-ignore lint/correctness/noEmptyPattern: Vitest asks for a pattern; the file is the second argument.
afterAll(({}, file) => {
  file.meta.statements = takeStatementCount()
  file.meta.compared = takeComparedCount()
  assertNoDifference()
  expect(countOpenApps() - openBefore, 'apps that the file has not closed').toBe(0)
})
