import type { Deps } from '../../deps.ts'
import type { RuleClaimRow } from '../../storage/relational/tables/rules.ts'
import { type EvaluatorRow, readSteps, readTurns } from '../evaluators/index.ts'

/** What evaluators see: of traces also the steps, of threads the turns. */
export async function readRow(
  deps: Pick<Deps, 'analytics'>,
  claim: Pick<RuleClaimRow, 'tenant_id' | 'run_id' | 'target' | 'trace_id' | 'session_id' | 'thread_id'>,
  readRun: (runId: string) => Promise<EvaluatorRow | undefined>,
): Promise<EvaluatorRow | undefined> {
  const { tenant_id: tenantId, run_id, target, trace_id, session_id: sessionId, thread_id: threadId } = claim
  const row = await readRun(run_id)
  if (row === undefined) return undefined
  if (target === 'trace') return { ...row, steps: await readSteps(deps, tenantId, trace_id) }
  return target === 'thread' ? { ...row, turns: await readTurns(deps, tenantId, { sessionId, threadId }) } : row
}
