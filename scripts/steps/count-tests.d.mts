export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
export function countTests(report: string, exitCode: number): Tally
export function printTally(tally: Tally): void
