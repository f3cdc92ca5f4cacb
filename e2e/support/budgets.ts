import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatNumber, printTable } from '../../bench/support/figures.ts'
import { SCALE } from './scale.ts'

interface Figure {
  journey: string
  what: string
  ms: number
  budgetMs: number
}

/** Records a duration in milliseconds for the table at the end of the run. */
export function noteFigure(journey: string, what: string, ms: number, budgetMs: number): void {
  const figure: Figure = { journey, what, ms, budgetMs }
  const file = process.env.TOUCHSTONE_FIGURES
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

/**
 * Prints the measured durations of the journeys and their budgets. Durations on a busy machine are unreliable, so only
 * the full journeys fail when a budget is exceeded.
 */
export default function printFigures() {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-figures-'))
  const file = join(folder, 'figures.jsonl')
  process.env.TOUCHSTONE_FIGURES = file
  return () => {
    const figures = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(read) : []
    rmSync(folder, { recursive: true, force: true })
    if (figures.length === 0) return
    console.log()
    printTable(
      [`journeys, ${formatNumber(SCALE.runs)} runs`, 'ms', 'budget ms', ''],
      figures.map((figure) => [
        `${figure.journey}: ${figure.what}`,
        figure.ms,
        figure.budgetMs,
        isOver(figure) ? 'OVER' : 'ok',
      ]),
    )
    if (SCALE.isFull && figures.some(isOver)) process.exitCode = 1
  }
}

const read = (line: string): Figure => JSON.parse(line)

/** Both ends are read from a clock with a resolution of 0.1 ms, so a frame of 16.67 ms measures 16.6 to 16.8. */
const isOver = ({ ms, budgetMs }: Figure) => Math.round((ms - budgetMs) * 10) > 1
