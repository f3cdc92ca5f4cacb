import type { KVMap } from '../schemas.ts'
import { runningTest } from './context.ts'
import type { TestFeedback } from './types.ts'

/**
 * Gives the running test a score.
 *
 * @throws outside `ls.describe` and `ls.test`
 */
export function logFeedback(feedback: TestFeedback, config: { sourceRunId?: string | undefined } = {}): void {
  const { suite, test } = runningTest('logFeedback')
  test.feedback.push(feedback)
  if (!test.runTree) return
  const { key, score, value, comment, correction, evaluatorInfo, feedbackConfig } = feedback
  const sourceRunId = config.sourceRunId ?? feedback.sourceRunId
  suite.track(
    suite.client.createFeedback({
      runId: test.runTree.id,
      key,
      score,
      value,
      comment,
      correction,
      feedbackConfig,
      sourceInfo: evaluatorInfo,
      feedbackSourceType: 'model',
      sourceRunId,
      sessionId: test.experimentId,
      traceId: test.runTree.trace_id,
    }),
  )
}

/**
 * Records what the tested code put out; a value that the test returns wins over it.
 *
 * @throws outside `ls.describe` and `ls.test`
 */
export function logOutputs(outputs: KVMap): void {
  const { test } = runningTest('logOutputs')
  if (test.outputs !== undefined) {
    console.warn('[WARN]: New "logOutputs()" call will override output set by previous "logOutputs()" call.')
  }
  test.outputs = outputs
}
