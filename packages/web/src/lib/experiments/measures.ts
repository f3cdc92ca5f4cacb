import type { ComparisonCells } from './comparison.ts'
import { type Measure, type MeasuredCells, measureCells, printMeasure } from './comparison-measures.ts'

/** The measured cells of any measure, computed when they are first needed. */
export type Measures = (measure: Measure) => MeasuredCells

/** @param repetition  only this repetition, from 0 */
export function createMeasures(cells: ComparisonCells, baseline: number, repetition: number | undefined): Measures {
  const known = new Map<string, MeasuredCells>()
  return (measure) => {
    const name = printMeasure(measure)
    const measured = known.get(name) ?? measureCells(cells, { measure, baseline, repetition })
    known.set(name, measured)
    return measured
  }
}
