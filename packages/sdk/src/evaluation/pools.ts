import { Limiter } from '../transport/limiter.ts'

type Options = {
  maxConcurrency?: number | undefined
  targetConcurrency?: number | undefined
  evaluationConcurrency?: number | undefined
}

export interface Pools {
  target<T>(task: () => Promise<T>): Promise<T>
  evaluation<T>(task: () => Promise<T>): Promise<T>
  /** Number of rows worth running concurrently. */
  rows: number
}

/**
 * Concurrency limits. Targets and evaluators share `maxConcurrency`, each within its own limit if it has one. With both
 * limits given, nothing is shared. 0 means sequential.
 *
 * @throws Error for a negative limit or a value that is not a number
 */
export function createPools(options: Options): Pools {
  const max = checkLimit('maxConcurrency', options.maxConcurrency ?? 0)
  const ofTarget = checkLimit('targetConcurrency', options.targetConcurrency ?? max)
  const ofEvaluation = checkLimit('evaluationConcurrency', options.evaluationConcurrency ?? max)
  const target = new Limiter(ofTarget)
  const evaluation = new Limiter(ofEvaluation)
  if (options.targetConcurrency !== undefined && options.evaluationConcurrency !== undefined) {
    const run = (pool: Limiter) => (task: () => Promise<never>) => pool.run(task)
    return { target: run(target), evaluation: run(evaluation), rows: ofTarget + ofEvaluation } as Pools
  }
  const shared = new Limiter(Math.max(max, ofTarget, ofEvaluation))
  // The own limit comes first: a task that waits for it must not occupy a shared slot.
  const run = (pool: Limiter) => (task: () => Promise<never>) => pool.run(() => shared.run(task))
  return { target: run(target), evaluation: run(evaluation), rows: Math.max(max, ofTarget, ofEvaluation) } as Pools
}

function checkLimit(name: string, value: number): number {
  if (!(value >= 0)) throw new Error(`${name} must be a positive number.`)
  return Math.max(1, value)
}

/** Processes items with the given number of workers. The first failure stops further items and is thrown. */
export async function forEach<Item>(
  items: readonly Item[],
  workers: number,
  task: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries()
  let failure: { error: unknown } | undefined
  const work = async () => {
    for (const [index, item] of queue) {
      try {
        await task(item, index)
      } catch (error) {
        failure ??= { error }
      }
      if (failure) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, work))
  if (failure) throw failure.error
}
