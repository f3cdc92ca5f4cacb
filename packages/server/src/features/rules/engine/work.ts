import { type RuleActionOutcome, type RuleDefinition, timeOfEpochMs } from '@touchstone/contract'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import { type ActionDeps, type ActionResult, act } from '../actions/index.ts'
import { readOutcomes } from '../present.ts'
import { type Wait, waitForRules } from './after.ts'
import { blockRule, countFailure } from './block.ts'
import { isOpen, openReady } from './open-ready.ts'

/** Tries of a claim whose failure may pass. */
const MAX_TRIES = 5
/** Before the second try; each later one waits twice as long. */
const FIRST_WAIT_MS = 10_000

/**
 * Does the actions of a rule for what it has claimed, in their order, and stores what became of it. Actions that succeeded
 * are not repeated.
 */
export async function workOnClaim(
  deps: ActionDeps,
  given: RuleClaimRow,
  definition: RuleDefinition,
  signal: AbortSignal,
): Promise<void> {
  // A try that fails is counted when it ends; more tries than that ended with their process.
  if (given.attempts > MAX_TRIES) return settleFailure(deps, given, readDone(given), DIED)
  const claim = isOpen(given) ? await openReady(deps, given, definition) : given
  if (claim === undefined) return
  const outcomes = readDone(claim)
  const wait = await waitForRules(deps, claim, definition)
  if (wait !== undefined) return giveBack(deps, claim, outcomes, wait)
  const context = { signal, spendLimit: definition.spend_limit ?? null }
  for (const action of definition.actions.slice(outcomes.length)) {
    const result = await tryAction(deps, claim, action, context)
    // What the end of the server or of the lease interrupted is done later.
    if (signal.aborted && result.outcome.state === 'failed') return giveBack(deps, claim, outcomes)
    outcomes.push({ kind: action.kind, ...result.outcome })
    if (result.outcome.state === 'done') continue
    return settleFailure(deps, claim, outcomes, result)
  }
  await settle(deps, claim, { state: 'done', outcomes, detail: '' })
  await deps.shared.countSuccess(claim.rule_id)
}

const readDone = ({ outcomes }: RuleClaimRow): RuleActionOutcome[] =>
  readOutcomes(outcomes).filter(({ state }) => state === 'done')

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
    deps.log.warn({ err: error, rule: claim.rule_id, run: claim.run_id, action: action.kind }, 'a rule failed')
    const detail = 'The server failed; its log has the reason.'
    return { outcome: { state: 'failed', detail, cost: null }, mayPass: true }
  }
}

async function settleFailure(
  deps: ActionDeps,
  claim: RuleClaimRow,
  outcomes: readonly RuleActionOutcome[],
  { outcome, mayPass = false, block, limitedUntilMs }: ActionResult,
): Promise<void> {
  const { detail } = outcome
  if (limitedUntilMs !== undefined) return settleLimited(deps, claim, outcomes, { detail, untilMs: limitedUntilMs })
  if (block !== undefined) {
    await blockRule(deps, toRule(claim), block)
    // The run waits for the end of the block; the try does not count.
    return giveBack(deps, claim, outcomes, { detail })
  }
  if (mayPass && claim.attempts < MAX_TRIES) {
    const dueAt = deps.clock() + FIRST_WAIT_MS * 2 ** (claim.attempts - 1)
    return settle(deps, claim, { state: 'waiting', outcomes, detail }, dueAt)
  }
  await settle(deps, claim, { state: 'failed', outcomes, detail })
  await countFailure(deps, toRule(claim), detail)
}

/** Runs that are older than this when the next window begins are not acted on. */
const MAX_BACKLOG_MS = 24 * 3_600_000

async function settleLimited(
  deps: ActionDeps,
  claim: RuleClaimRow,
  outcomes: readonly RuleActionOutcome[],
  { detail, untilMs }: Required<Wait>,
): Promise<void> {
  const isKept = untilMs - Date.parse(claim.ready_at) <= MAX_BACKLOG_MS
  if (isKept) return giveBack(deps, claim, outcomes, { detail, untilMs, isLimited: true })
  const succeeded = outcomes.filter(({ state }) => state === 'done')
  await settle(deps, claim, { state: 'limited', outcomes: succeeded, detail })
}

/** Lets it wait; the try does not count. */
async function giveBack(
  { shared, clock }: ActionDeps,
  claim: RuleClaimRow,
  outcomes: readonly RuleActionOutcome[],
  { detail = '', untilMs = clock(), isLimited = false }: Partial<Wait> & { readonly isLimited?: boolean } = {},
): Promise<void> {
  await shared.settle(claim, {
    state: 'waiting',
    attempts: claim.attempts - 1,
    due_at: timeOfEpochMs(untilMs),
    outcomes: JSON.stringify(outcomes.filter(({ state }) => state === 'done')),
    detail: detail.slice(0, 2000),
    is_limited: isLimited,
  })
}

async function settle(
  { shared, clock }: ActionDeps,
  claim: RuleClaimRow,
  end: {
    readonly state: RuleClaimRow['state']
    readonly outcomes: readonly RuleActionOutcome[]
    readonly detail: string
  },
  dueAtMs = clock(),
): Promise<void> {
  await shared.settle(claim, {
    state: end.state,
    outcomes: JSON.stringify(end.outcomes),
    detail: end.detail.slice(0, 2000),
    due_at: timeOfEpochMs(dueAtMs),
    decided_at: timeOfEpochMs(clock()),
    is_limited: false,
  })
}
