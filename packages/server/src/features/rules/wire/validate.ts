import type { RunRuleValidate } from '@touchstone/contract'
import type { Caller } from '../../../http/serve.ts'
import { readTurns, runEvaluator } from '../../evaluators/index.ts'
import type { RuleServices } from '../actions/index.ts'
import { toJudge } from './judges.ts'
import { unprocessable } from './problems.ts'

/** Milliseconds for the call of a model. */
const CALL_TIMEOUT_MS = 60_000

/** Runs the first judge of a rule on given values, or on a thread; nothing is stored. @throws ApiError UNPROCESSABLE */
export async function validateRunRule(deps: RuleServices, caller: Caller, body: RunRuleValidate, signal: AbortSignal) {
  const structured = body.evaluators[0]?.structured ?? {}
  const judge = await toJudge(deps, caller, structured, ['evaluators', 0, 'structured'])
  const row = {
    inputs: body.test_inputs ?? null,
    outputs: body.test_outputs ?? null,
    reference_outputs: body.test_reference_outputs ?? null,
    ...(body.group_by === 'thread_id' && { turns: await readThread(deps, caller, body) }),
  }
  const options = { signal, timeoutMs: CALL_TIMEOUT_MS }
  const { scores, messages, usage, cost, problem } = await runEvaluator(deps, caller.tenantId, judge, row, options)
  return { results: scores, rendered_prompt: messages, usage, cost_usd: cost, problem: problem?.message ?? null }
}

function readThread(
  deps: RuleServices,
  { tenantId }: Caller,
  { session_id, test_thread_id: threadId }: RunRuleValidate,
) {
  if (session_id == null || !threadId) {
    throw unprocessable(['test_thread_id'], 'Give the thread and its project (session_id) for group_by "thread_id".')
  }
  return readTurns(deps, tenantId, { sessionId: session_id, threadId })
}
