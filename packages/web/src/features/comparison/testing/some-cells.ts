import type { ExperimentCells } from '@touchstone/sdk'
import { type ComparisonCells, toComparisonCells } from '../logic/comparison.ts'

/** A score, one per repetition, or none. */
type Given = number | null | readonly (number | null)[]

export interface CellOptions {
  /** Key → per experiment → per example. */
  readonly scores: Readonly<Record<string, readonly (readonly Given[])[]>>
  readonly lowerIsBetter?: readonly string[]
  readonly splits?: readonly (readonly string[])[]
  /** Fields of a run. */
  readonly run?: (
    experiment: number,
    example: number,
    repetition: number,
  ) => {
    latency?: number
    cost?: number | null
    reported?: number | null
    error?: string
    isRunning?: boolean
    isAbsent?: boolean
  }
}

/** The ids of experiments are `x0`, `x1`…; of examples `e0`, `e1`…; of runs `x0/e0/0`. */
export function someCells(options: CellOptions): ComparisonCells {
  return toComparisonCells(someAnswer(options))
}

export function someAnswer({ scores, lowerIsBetter = [], splits, run }: CellOptions): ExperimentCells {
  const keys = Object.keys(scores).sort()
  const sides = Object.values(scores)
  const experiments = Math.max(...sides.map((side) => side.length))
  const examples = Math.max(...sides.flatMap((side) => side.map((list) => list.length)))
  const errors: string[] = []
  const at = Array.from({ length: examples }, (_, index) => index)
  return {
    example_ids: at.map((example) => `e${example}`),
    deleted_count: 0,
    splits: at.map((example) => [...(splits?.[example] ?? ['base'])]),
    errors,
    keys: keys.map((key) => ({ key, is_lower_score_better: lowerIsBetter.includes(key), labels: [] })),
    omitted_keys: [],
    missing_session_ids: [],
    experiments: Array.from({ length: experiments }, (_, experiment) => {
      const given = (key: string, example: number) => [scores[key]?.[experiment]?.[example] ?? null].flat()
      const runs = at.flatMap((example) => {
        const repetitions = Math.max(1, ...keys.map((key) => given(key, example).length))
        return Array.from({ length: repetitions }, (_, repetition) => ({ example, repetition })).flatMap((one) => {
          const fields = run?.(experiment, one.example, one.repetition) ?? {}
          return fields.isAbsent ? [] : [{ ...one, ...fields }]
        })
      })
      const numberOf = (error: string) => {
        if (!errors.includes(error)) errors.push(error)
        return errors.indexOf(error)
      }
      return {
        id: `x${experiment}`,
        name: `experiment ${experiment}`,
        runs: {
          id: runs.map((one) => `x${experiment}/e${one.example}/${one.repetition}`),
          example: runs.map((one) => one.example),
          repetition: runs.map((one) => one.repetition),
          status: runs.map((one) => (one.error ? 'error' : one.isRunning ? 'pending' : 'success')),
          error: runs.map((one) => (one.error ? numberOf(one.error) : null)),
          start_time: runs.map(() => '2026-03-02T08:00:00.000000Z'),
          latency_ms: runs.map((one) => one.latency ?? 100),
          total_tokens: runs.map(() => 30),
          total_cost: runs.map((one) => one.cost ?? null),
          reported_cost: runs.map((one) => one.reported ?? null),
        },
        feedback: keys.map((key) => ({
          key,
          scores: runs.map((one) => given(key, one.example)[one.repetition] ?? null),
          counts: null,
          labels: null,
          failed: [],
        })),
      }
    }),
  }
}
