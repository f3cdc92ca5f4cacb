import { runInContext } from '../tracing/context.ts'
import { createSilentRunTree, type RunTree, type RunTreeConfig } from '../tracing/run-tree.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { ROOT } from '../tracing/traceable/types.ts'
import { runningTest } from './context.ts'
import { logFeedback } from './log.ts'
import type { Any, TestFeedback } from './types.ts'

/**
 * An evaluator that records itself as a run of its own in the project `evaluators`, and whose results with a key become
 * feedback of the running test.
 */
export function wrapEvaluator<Input, Result>(
  evaluator: (input: Input) => Result | Promise<Result>,
): (input: Input, config?: Partial<RunTreeConfig> & { runId?: string | undefined }) => Promise<Result> {
  return async (input, { runId, ...config } = {}) => {
    const { suite, test } = runningTest('evaluator')
    if (!test.runTree) {
      const result = await runInContext(createSilentRunTree(), () => evaluator(input))
      log(result, undefined)
      return result
    }
    let sourceRunId: string | undefined
    const traced = traceable(
      async (runTree: RunTree, given: Input) => {
        sourceRunId = runTree.id
        return await evaluator(given)
      },
      {
        name: evaluator.name || 'evaluator',
        project_name: 'evaluators',
        reference_example_id: test.exampleId,
        tracingEnabled: true,
        ...config,
        ...(runId !== undefined && { id: runId }),
        client: suite.client,
      },
    ) as (place: ROOT, given: Input) => Promise<Any>
    const result: Result = await traced(ROOT, input)
    log(result, sourceRunId)
    return result
  }
}

function log(result: unknown, sourceRunId: string | undefined): void {
  for (const one of [result].flat()) if (isFeedback(one)) logFeedback(one, { sourceRunId })
}

function isFeedback(value: unknown): value is TestFeedback {
  return (
    typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string' && 'score' in value
  )
}
