import { type RuleActionOutcome, type RuleDefinition, timeOfEpochMs } from '@touchstone/contract'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import { type ActionDeps, type ActionResult, act } from '../actions/index.ts'
import { readOutcomes } from '../present.ts'
import { blockRule, countDecision } from './block.ts'
import { settleClaim } from './claims.ts'

/** Tries of a claim whose failure may pass. */
const MAX_TRIES = 5
/** Before the second try; each later one waits twice as long. */
const FIRST_WAIT_MS = 10_000

/** Does the actions of a rule for one run, in their order, and stores what became of it. Actions that succeeded are not repeated. */
export async function workOnClaim(
  deps: ActionDeps,
  claim: RuleClaimRow,
  definition: RuleDefinition,
  signal: AbortSignal,
): Promise<void> {
  const outcomes: RuleActionOutcome[] = readOutcomes(claim.outcomes).filter(({ state }) => state === 'done')
  // A try that fails is counted when it ends; more tries than that ended with their process.
  if (claim.attempts > MAX_TRIES) return settleFailure(deps, claim, outcomes, DIED)
  for (const action of definition.actions.slice(outcomes.length)) {
    const result = await tryAction(deps, claim, action, signal)
    // What the end of the server or of the lease interrupted is done later.
    if (signal.aborted && result.outcome.state === 'failed') return giveBack(deps, claim, outcomes)
    outcomes.push({ kind: action.kind, ...result.outcome })
    if (result.outcome.state === 'done') continue
    return settleFailure(deps, claim, outcomes, result)
  }
  await settle(deps, claim, { state: 'done', outcomes, detail: '' })
  await countDecision(deps, toRule(claim), undefined)
}

const DIED: ActionResult = {
  outcome: { state: 'failed', detail: 'The server stopped unexpectedly during each try.', cost: null },
}

const toRule = ({ rule_id: id, rule_version: version }: RuleClaimRow) => ({ id, version })

/** A store that does not answer is a failure that may pass. */
async function tryAction(...given: Parameters<typeof act>): Promise<ActionResult> {
  try {
    return await act(...given)
  } catch (error) {
    const [deps, claim, action] = given
    deps.log.warn({ err: error, rule: claim.rule_id, run: claim.target_id, action: action.kind }, 'a rule failed')
    const detail = 'The server failed; its log has the reason.'
    return { outcome: { state: 'failed', detail, cost: null }, mayPass: true }
  }
}

async function settleFailure(
  deps: ActionDeps,
  claim: RuleClaimRow,
  outcomes: readonly RuleActionOutcome[],
  { outcome, mayPass = false, block }: ActionResult,
): Promise<void> {
  if (block !== undefined) {
    await blockRule(deps, toRule(claim), block)
    // The run waits for the end of the block; the try does not count.
    return giveBack(deps, claim, outcomes, outcome.detail)
  }
  if (mayPass && claim.attempts < MAX_TRIES) {
    const dueAt = deps.clock() + FIRST_WAIT_MS * 2 ** (claim.attempts - 1)
    return settle(deps, claim, { state: 'waiting', outcomes, detail: outcome.detail }, dueAt)
  }
  await settle(deps, claim, { state: 'failed', outcomes, detail: outcome.detail })
  await countDecision(deps, toRule(claim), outcome.detail)
}

async function giveBack(
  { relational, clock }: ActionDeps,
  claim: RuleClaimRow,
  outcomes: readonly RuleActionOutcome[],
  detail = '',
): Promise<void> {
  const succeeded = JSON.stringify(outcomes.filter(({ state }) => state === 'done'))
  const change = { attempts: claim.attempts - 1, due_at: timeOfEpochMs(clock()), outcomes: succeeded, detail }
  await settleClaim(relational.db, claim, { state: 'waiting', ...change })
}

async function settle(
  { relational, clock }: ActionDeps,
  claim: RuleClaimRow,
  end: {
    readonly state: RuleClaimRow['state']
    readonly outcomes: readonly RuleActionOutcome[]
    readonly detail: string
  },
  dueAtMs = clock(),
): Promise<void> {
  await settleClaim(relational.db, claim, {
    state: end.state,
    outcomes: JSON.stringify(end.outcomes),
    detail: end.detail.slice(0, 2000),
    due_at: timeOfEpochMs(dueAtMs),
    decided_at: timeOfEpochMs(clock()),
  })
}
