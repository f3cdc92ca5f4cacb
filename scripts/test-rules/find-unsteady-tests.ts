/** A class of tests that fail now and then, and the comment that gives the reason why one site is not of that class. */
interface Rule {
  readonly pattern: RegExp
  /** The comment on the line before, or at the end of the line: `// Pause: …`. Undefined where there is no exception. */
  readonly reason: string | undefined
  readonly advice: string
  /** Files to which it applies. @default every test file */
  readonly files?: RegExp
}

const RULES: readonly Rule[] = [
  {
    pattern: /\bsetTimeout\((?!\))/,
    reason: 'Pause',
    advice: 'wait for the event itself (expect.poll, a barrier)',
  },
  {
    pattern: /\bexpect\([^)]*\b(performance|Date)\.now\(\)\s*-.*toBeLess/,
    reason: 'Clock',
    advice: 'measure CPU time (process.cpuUsage) with a bound that only another growth exceeds, or write a benchmark',
  },
  {
    pattern: /\bMath\.random\(\)/,
    reason: 'Random',
    advice: 'use a generator with a seed, so that a failure can be repeated',
    files: /^packages\//,
  },
  {
    pattern: /^\s*let \w+: Page\b/,
    reason: 'Shared',
    advice: 'open the page in each test; a chain of steps is one test',
    files: /^e2e\/web\//,
  },
  {
    // The page changes before its address, and typed text arrives letter by letter.
    pattern: /\bexpect\((?:new URL\()?page\.url\(\)/,
    reason: 'Once',
    advice: 'use expect.poll(() => page.url()) or page.waitForURL',
    files: /^e2e\/web\//,
  },
  {
    // Vitest's own patience is a second.
    pattern: /\bvi\.waitFor\((?!.*(?:timeout|, [\d_]+\))).*\)$/,
    reason: undefined,
    advice: 'use expect.poll, or waitFor of the testing library, whose patience does not depend on the machine',
  },
  {
    pattern: /\bretry: [1-9]/,
    reason: undefined,
    advice: 'mend the test; a second try starts from the state that the first one left',
  },
]

/** Files of this rule itself. */
const EXCLUDED = /^scripts\/test-rules\//

/**
 * The lines of a test file that make it depend on the speed of the machine, on chance or on another test.
 *
 * @returns `file:line: advice` for each
 */
export function findUnsteadyTests(file: string, text: string): string[] {
  if (EXCLUDED.test(file)) return []
  const lines = text.split('\n')
  const rules = RULES.filter(({ files }) => files?.test(file) ?? true)
  return lines.flatMap((line, at) =>
    rules
      .filter(({ pattern, reason }) => pattern.test(line) && !hasReason(reason, line, lines[at - 1]))
      .map(
        ({ reason, advice }) =>
          `${file}:${at + 1}: ${advice}${reason === undefined ? '' : `, or say why: // ${reason}: …`}`,
      ),
  )
}

function hasReason(reason: string | undefined, line: string, before: string | undefined): boolean {
  return reason !== undefined && [line, before].some((one) => one?.includes(`// ${reason}: `))
}
