export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
export function countTests(report: string, exitCode: number): Tally
export interface SlowFile {
  /** From the repository's root. */
  readonly path: string
  readonly seconds: number
}
export function listSlowestFiles(report: string, count?: number): SlowFile[]
export function printSlowestFiles(files: readonly SlowFile[]): void
export function printTally(tally: Tally): void
