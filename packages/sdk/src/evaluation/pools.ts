import { Limiter } from '../transport/limiter.ts'

type Options = {
  maxConcurrency?: number | undefined
  targetConcurrency?: number | undefined
  evaluationConcurrency?: number | undefined
}

export interface Pools {
  target<T>(task: () => Promise<T>): Promise<T>
  evaluation<T>(task: () => Promise<T>): Promise<T>
  /** Rows worth having under way at a time. */
  rows: number
}

/**
 * How much may run at a time. Targets and evaluators share `maxConcurrency`, each within its own bound when it has one;
 * with both bounds given, nothing is shared. 0 means one after the other.
 *
 * @throws for what is negative or no number
 */
export function poolsOf(options: Options): Pools {
  const max = bound('maxConcurrency', options.maxConcurrency ?? 0)
  const ofTarget = bound('targetConcurrency', options.targetConcurrency ?? max)
  const ofEvaluation = bound('evaluationConcurrency', options.evaluationConcurrency ?? max)
  const target = new Limiter(ofTarget)
  const evaluation = new Limiter(ofEvaluation)
  if (options.targetConcurrency !== undefined && options.evaluationConcurrency !== undefined) {
    const run = (pool: Limiter) => (task: () => Promise<never>) => pool.run(task)
    return { target: run(target), evaluation: run(evaluation), rows: ofTarget + ofEvaluation } as Pools
  }
  const shared = new Limiter(Math.max(max, ofTarget, ofEvaluation))
  // The own bound first: who waits for it must not hold a place that others could use.
  const run = (pool: Limiter) => (task: () => Promise<never>) => pool.run(() => shared.run(task))
  return { target: run(target), evaluation: run(evaluation), rows: Math.max(max, ofTarget, ofEvaluation) } as Pools
}

function bound(name: string, value: number): number {
  if (!(value >= 0)) throw new Error(`${name} must be a positive number.`)
  return Math.max(1, value)
}

/** Goes through the items with so many workers; the first failure stops what has not started, and is thrown. */
export async function forEach<Item>(
  items: readonly Item[],
  workers: number,
  task: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  let failure: { error: unknown } | undefined
  const work = async () => {
    while (!failure && next < items.length) {
      const index = next++
      try {
        await task(items[index]!, index)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, work))
  if (failure) throw failure.error
}
