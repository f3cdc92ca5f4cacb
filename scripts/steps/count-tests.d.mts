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
export interface Failure {
  /** From the repository's root. */
  readonly path: string
  /** Its groups and its name; undefined for a failure outside any test. */
  readonly test?: string
  readonly message: string
}
export function listFailures(report: string, lines?: number): Failure[]
export function printFailures(failures: readonly Failure[]): void
export function printSlowestFiles(files: readonly SlowFile[]): void
export function printTally(tally: Tally): void
