import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  Rule,
  RuleBackfill,
  RuleBackfillState,
  RuleBackfillWrite,
  RuleCounts,
  RuleDecision,
  RuleDryRun,
  RuleExplanation,
  RuleForecast,
  RuleFunnel,
  RuleSpend,
  RuleState,
  RuleTry,
  RuleTryResult,
  RuleUpdate,
  RuleVersion,
  RuleWindow,
  RuleWrite,
} from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'

export interface ListRulesParams {
  /** Rules that look at this project. */
  projectId?: string | undefined
  /** Rules on experiments of this dataset. */
  datasetId?: string | undefined
  /** Part of the name or the description. */
  search?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export interface ListRuleDecisionsParams {
  state?: RuleState | undefined
  /** Caps the total. */
  limit?: number | undefined
}

/** Rules that act on runs by themselves, what they decided about each run, and why. Extensions of ours. */
export class RuleCalls extends Calls {
  /** By name, fetched a page at a time. */
  async *listRules(
    { projectId, datasetId, search, limit }: ListRulesParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<Rule> {
    const request = { query: { project_id: projectId, dataset_id: datasetId, search }, doing: 'list rules', ...options }
    yield* offsetPages(this.transport, routes.rules.list, request, { limit, key: 'rules' })
  }

  /** It looks at runs that arrive from now on. @throws ConflictError for a name that is taken */
  async createRule(rule: RuleWrite, options: CallOptions = {}): Promise<Rule> {
    const request = { body: rule, doing: `create rule ${rule.name}`, ...options }
    return await this.transport.call(routes.rules.create, request)
  }

  /** @throws NotFoundError */
  async readRule(id: string, options: CallOptions = {}): Promise<Rule> {
    const request = { params: toParams(id), doing: `read rule ${id}`, ...options }
    return await this.transport.call(routes.rules.read, request)
  }

  /**
   * A changed definition makes a new version. `is_enabled: false` pauses the rule, `true` resumes it and ends its block.
   *
   * @throws ConflictError for a name that is taken, and when `expected_version` is not the newest version
   */
  async updateRule(id: string, change: RuleUpdate, options: CallOptions = {}): Promise<Rule> {
    const request = { params: toParams(id), body: change, doing: `update rule ${id}`, ...options }
    return await this.transport.call(routes.rules.update, request)
  }

  /** With its decisions; what it did stays. @throws NotFoundError */
  async deleteRule(id: string, options: CallOptions = {}): Promise<void> {
    const request = { params: toParams(id), doing: `delete rule ${id}`, ...options }
    await this.transport.send(routes.rules.delete, request)
  }

  /** Newest first, fetched a page at a time. */
  async *listRuleVersions(
    id: string,
    { limit }: { limit?: number | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<RuleVersion> {
    const request = { params: toParams(id), doing: `list versions of rule ${id}`, ...options }
    yield* offsetPages(this.transport, routes.rules.listVersions, request, { limit, key: 'versions' })
  }

  /** Newest first, fetched a page at a time. Decisions are kept for 90 days. */
  async *listRuleDecisions(
    id: string,
    { state, limit }: ListRuleDecisionsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<RuleDecision> {
    let left = limit ?? Number.POSITIVE_INFINITY
    let cursor: string | undefined
    while (left > 0) {
      const page = await this.readRuleDecisions(id, { state, cursor, limit: Math.min(left, PAGE_SIZE) }, options)
      yield* page.decisions
      if (page.next_cursor === null) return
      left -= page.decisions.length
      cursor = page.next_cursor
    }
  }

  /** One page of the decisions; `next_cursor` is null on the last one. */
  async readRuleDecisions(
    id: string,
    query: ListRuleDecisionsParams & { readonly cursor?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<{ decisions: RuleDecision[]; next_cursor: string | null }> {
    const request = { params: toParams(id), query, doing: `list decisions of rule ${id}`, ...options }
    return await this.transport.call(routes.rules.listDecisions, request)
  }

  /** Runs that the rule saw, matched, sampled and acted on within the window, a day unless given. */
  async readRuleFunnel(id: string, window?: RuleWindow, options: CallOptions = {}): Promise<RuleFunnel> {
    const request = { params: toParams(id), query: { window }, doing: `count the runs of rule ${id}`, ...options }
    return await this.transport.call(routes.rules.funnel, request)
  }

  /** Decisions of each rule of the workspace within the window, a day unless given. */
  async countRuleDecisions(window?: RuleWindow, options: CallOptions = {}): Promise<RuleCounts[]> {
    const request = { query: { window }, doing: 'count the decisions of rules', ...options }
    return (await this.transport.call(routes.rules.counts, request)).rules
  }

  /** What a definition would do with the runs of a window, and what it would cost. Nothing is stored. */
  async dryRunRule(body: RuleDryRun, options: CallOptions = {}): Promise<RuleForecast> {
    const request = { body, doing: 'estimate a rule', timeoutMs: TRIAL_TIMEOUT_MS, ...options }
    return await this.transport.call(routes.rules.dryRun, request)
  }

  /** Runs the evaluators of a definition on up to ten runs. Scores are returned and not stored. */
  async tryRule(body: RuleTry, options: CallOptions = {}): Promise<RuleTryResult> {
    const request = { body, doing: 'try a rule', timeoutMs: TRIAL_TIMEOUT_MS, ...options }
    return await this.transport.call(routes.rules.try, request)
  }

  /** Acts again on up to 100 runs that the rule has acted on. @returns how many of them wait for it now */
  async redoRule(id: string, runIds: readonly string[], options: CallOptions = {}): Promise<number> {
    const doing = `act again on runs of rule ${id}`
    const request = { params: toParams(id), body: { run_ids: [...runIds] }, doing, ...options }
    return (await this.transport.call(routes.rules.redo, request)).redone
  }

  /** What the evaluators of the rule have spent. */
  async readRuleSpend(id: string, options: CallOptions = {}): Promise<RuleSpend> {
    const request = { params: toParams(id), doing: `read the spend of rule ${id}`, ...options }
    return await this.transport.call(routes.rules.spend, request)
  }

  /** Newest first, fetched a page at a time. */
  async *listRuleBackfills(
    id: string,
    { limit }: { limit?: number | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<RuleBackfill> {
    const request = { params: toParams(id), doing: `list backfills of rule ${id}`, ...options }
    yield* offsetPages(this.transport, routes.rules.listBackfills, request, { limit, key: 'backfills' })
  }

  /** Lets the newest version act on runs of the past. @throws ConflictError when too many backfills are open */
  async createRuleBackfill(id: string, body: RuleBackfillWrite, options: CallOptions = {}): Promise<RuleBackfill> {
    const request = { params: toParams(id), body, doing: `backfill rule ${id}`, ...options }
    return await this.transport.call(routes.rules.createBackfill, request)
  }

  /** Pauses, resumes or cancels a backfill. @throws ConflictError when it has ended */
  async updateRuleBackfill(
    id: string,
    backfillId: string,
    state: RuleBackfillState,
    options: CallOptions = {},
  ): Promise<RuleBackfill> {
    assertUuid(backfillId)
    const params = { ...toParams(id), backfill_id: backfillId }
    const request = { params, body: { state }, doing: `update backfill ${backfillId}`, ...options }
    return await this.transport.call(routes.rules.updateBackfill, request)
  }

  /** What each rule of the workspace decided about a run, and by which condition. @throws NotFoundError */
  async explainRules(runId: string, options: CallOptions = {}): Promise<RuleExplanation[]> {
    assertUuid(runId)
    const request = { params: { run_id: runId }, doing: `explain the rules of run ${runId}`, ...options }
    return (await this.transport.call(routes.rules.explain, request)).rules
  }
}

/** Calls of models take longer than other requests. */
const TRIAL_TIMEOUT_MS = 180_000

/** The server's cap. */
const PAGE_SIZE = 100

function toParams(id: string): { rule_id: string } {
  assertUuid(id)
  return { rule_id: id }
}
