import { fail, printProgress } from './output.mjs'

/** Reports a missing tool: prints a warning and continues without its suite, or ends the run in CI. */
export function reportMissing(sentence) {
  if (process.env.CI === 'true') fail(`${sentence} Under CI=true nothing is skipped.`)
  printProgress(sentence)
}
