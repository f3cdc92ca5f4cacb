import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A page state that was checked for accessibility in one theme and width. */
export interface Checked {
  /** Name of the state. */
  readonly state: string
  readonly theme: 'light' | 'dark'
  readonly size: 'desktop' | 'phone'
}

/** Records a check for the line at the end of the run. */
export function noteChecked(checked: Checked): void {
  const file = process.env.TOUCHSTONE_CHECKS
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(checked)}\n`)
}

/** Prints how many page states were checked for accessibility, and in which themes and widths. */
export default function printChecks() {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-checks-'))
  const file = join(folder, 'checks.jsonl')
  process.env.TOUCHSTONE_CHECKS = file
  return () => {
    const checks = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(read) : []
    rmSync(folder, { recursive: true, force: true })
    if (checks.length === 0) return
    const states = new Set(checks.map(({ state }) => state)).size
    const count = (part: Partial<Checked>) =>
      checks.filter((one) => Object.entries(part).every(([key, value]) => one[key as keyof Checked] === value)).length
    console.log(
      `\naccessibility: ${states} page states in ${checks.length} checks: ${count({ theme: 'light' })} light, ` +
        `${count({ theme: 'dark' })} dark, ${count({ size: 'phone' })} on a phone`,
    )
  }
}

const read = (line: string): Checked => JSON.parse(line)
