import {
  ApiError,
  type Filter,
  isLogical,
  parseFilter,
  printFilter,
  type RuleClause,
  type RuleDecision,
  type RuleDefinition,
  type RuleExplanation,
  type RuleTrigger,
} from '@touchstone/contract'
import { asc, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { all, type Fragment, join, literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { type RuleRow, rules } from '../../storage/relational/tables/rules.ts'
import { ANY_ROW, columns, text } from '../../storage/rows.ts'
import { whereRunIds, whereRuns } from '../runs/index.ts'
import { IS_IN_THREAD, IS_READY, readScope, type Scope, toRunConditions, withoutFilters } from './conditions.ts'
import { selectOpenClaims } from './engine/claims.ts'
import { whereHasFeedback } from './engine/find-written.ts'
import { toRate } from './engine/sampling.ts'
import { readDecisions } from './ledger.ts'
import { presentClaim, readDefinition } from './present.ts'

type ExplainDeps = Pick<Deps, 'relational' | 'analytics'>

/** Most decisions about one run. */
const MAX_DECISIONS = 1_000

/** What each rule of the workspace decided about a run, and by which condition. @throws ApiError NOT_FOUND */
export async function explainRun(deps: ExplainDeps, tenantId: string, runId: string): Promise<RuleExplanation[]> {
  const { db } = deps.relational
  const found = await db.select().from(rules).where(eq(rules.tenant_id, tenantId)).orderBy(asc(rules.name))
  const run = await findRun(deps, tenantId, runId)
  const explained: RuleExplanation[] = []
  const decisions = await readLatest(deps, tenantId, run, found)
  for (const rule of found) {
    const definition = readDefinition(rule.definition)
    const clauses = await testClauses(deps, tenantId, run, definition)
    const decision = decisions.get(rule.id) ?? null
    const { id: rule_id, name, version, is_enabled } = rule
    const summary = summarize(rule, definition, clauses, decision)
    explained.push({ rule_id, name, version, is_enabled, decision, clauses, summary })
  }
  return explained
}

interface ExplainedRun {
  readonly id: string
  readonly traceId: string
  readonly sessionId: string
  /** The root of its trace; undefined while it has not arrived. */
  readonly rootId: string | undefined
}

async function findRun({ analytics }: ExplainDeps, tenantId: string, runId: string): Promise<ExplainedRun> {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const [run] = await analytics.query(
    sql`select id, trace_id, session_id from runs final where ${tenant} and ${whereRunIds(tenantId, [runId])}`,
    columns({ id: text, trace_id: text, session_id: text }),
  )
  if (run === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  const [root] = await analytics.query(
    sql`select id from trace_runs final where ${tenant} and trace_id = ${uuid(run.trace_id)} and parent_run_id is null`,
    columns({ id: text }),
  )
  return { id: run.id, traceId: run.trace_id, sessionId: run.session_id, rootId: root?.id }
}

const isOnRoot = ({ target }: RuleDefinition): boolean => target === 'trace' || target === 'thread'

/** The newest decision of each rule. */
async function readLatest(
  deps: ExplainDeps,
  tenantId: string,
  { id, traceId }: ExplainedRun,
  found: readonly RuleRow[],
): Promise<Map<string, RuleDecision>> {
  const about = { runIds: [id], traceId, limit: MAX_DECISIONS }
  const { decisions } = await readDecisions(deps, tenantId, about)
  const open = await selectOpenClaims(deps.relational.db, tenantId, about)
  const rate = (id: string) => {
    const rule = found.find((one) => one.id === id)
    return rule === undefined ? 1 : toRate(readDefinition(rule.definition))
  }
  const all = [...open.map((claim) => presentClaim(claim, rate(claim.rule_id))), ...decisions]
  const latest = new Map<string, RuleDecision>()
  for (const decision of all) if (!latest.has(decision.rule_id)) latest.set(decision.rule_id, decision)
  return latest
}

/** Each condition of a rule alone, compiled as for live runs. */
async function testClauses(
  deps: ExplainDeps,
  tenantId: string,
  run: ExplainedRun,
  definition: RuleDefinition,
): Promise<RuleClause[]> {
  const clauses = listClauses(definition)
  const id = isOnRoot(definition) ? run.rootId : run.id
  if (id === undefined) return clauses.map((clause) => ({ ...clause, holds: false }))
  const scope = await readScope(deps, tenantId, definition)
  // Most rules look elsewhere: their other conditions need no statement.
  if (!scope.project_ids.includes(run.sessionId)) return clauses.slice(0, 1).map((one) => ({ ...one, holds: false }))
  const columns = clauses.map(
    (clause, at) => sql`toUInt8(${toCondition(tenantId, scope, definition, clause)}) as ${literal(`c${at}`)}`,
  )
  const [row = {}] = await deps.analytics.query(
    sql`select ${join(columns, ', ')} from runs final where ${all([
      sql`tenant_id = ${uuid(tenantId)}`,
      whereRunIds(tenantId, [id]),
    ])}`,
    ANY_ROW,
  )
  const values = row as Readonly<Record<string, unknown>>
  return clauses.map((clause, at) => ({ ...clause, holds: Number(values[`c${at}`]) === 1 }))
}

function toCondition(tenantId: string, scope: Scope, { feedback }: RuleDefinition, { of, text }: Condition): Fragment {
  switch (of) {
    case 'end':
      return IS_READY
    case 'thread':
      return IS_IN_THREAD
    case 'feedback':
      return feedback == null ? literal('true') : whereHasFeedback(tenantId, feedback)
    case 'project':
      return scope.project_ids.length === 0
        ? literal('false')
        : whereRuns(tenantId, toRunConditions(withoutFilters(scope)))
    default:
      return whereRuns(tenantId, toRunConditions({ ...withoutFilters(scope), [of]: text }))
  }
}

type Condition = Omit<RuleClause, 'holds'>

function listClauses({ target, dataset_id, feedback, ...filters }: RuleDefinition): Condition[] {
  const ofRun = splitClauses(filters.filter).map((text): Condition => ({ of: 'filter', text }))
  const place = dataset_id == null ? 'a project of the rule' : 'an experiment of the dataset'
  // Conditions on the trace apply to one run of it together.
  return [
    { of: 'project', text: `The run belongs to ${place}.` },
    ...TARGET_CLAUSES[target],
    ...(feedback == null ? [] : [{ of: 'feedback' as const, text: printTrigger(feedback) }]),
    ...ofRun,
    ...(filters.trace_filter ? [{ of: 'trace_filter' as const, text: filters.trace_filter }] : []),
    ...(filters.tree_filter ? [{ of: 'tree_filter' as const, text: filters.tree_filter }] : []),
  ]
}

const ENDED: Condition = { of: 'end', text: 'The run has ended.' }
const ROOT_ENDED: Condition = { of: 'end', text: 'The root of the trace has ended.' }
const IN_THREAD: Condition = { of: 'thread', text: 'The trace belongs to a thread.' }

const TARGET_CLAUSES: Record<RuleDefinition['target'], readonly Condition[]> = {
  run: [ENDED],
  feedback: [ENDED],
  trace: [ROOT_ENDED],
  thread: [ROOT_ENDED, IN_THREAD],
}

const SIGNS = { lt: '<', lte: '≤', eq: '=', gte: '≥', gt: '>' } as const

function printTrigger({ key, operator, score }: RuleTrigger): string {
  const compared = operator == null || score == null ? '' : ` with a score ${SIGNS[operator]} ${score}`
  return `The run has feedback "${key}"${compared}, which no rule gave.`
}

function splitClauses(text: string | null | undefined): string[] {
  const filter: Filter | undefined = parseFilter(text ?? '')
  if (filter === undefined) return []
  return isLogical(filter) && filter.op === 'and' ? filter.args.map(printFilter) : [printFilter(filter)]
}

function summarize(
  rule: RuleRow,
  definition: RuleDefinition,
  clauses: readonly RuleClause[],
  decision: RuleDecision | null,
): string {
  if (decision !== null) return DECIDED[decision.state](decision, rule)
  const missed = clauses.filter(({ holds }) => !holds)
  const [first] = missed
  if (first !== undefined) return FAILING[first.of](first.text)
  if (!rule.is_enabled) return 'The run matches, but the rule is off.'
  if (definition.sampling_rate === 0) return 'The run matches, but the sampling rate is 0.'
  return 'The run matches. The rule has not looked at it: it looks at runs that are written while it is on.'
}

const FAILING: Record<RuleClause['of'], (text: string) => string> = {
  project: (text) =>
    text.includes('dataset')
      ? 'The run belongs to no experiment of the dataset of the rule.'
      : 'The rule does not look at the project of the run.',
  end: (text) => (text === ENDED.text ? 'Waiting: the run has no end time.' : 'Waiting: the root has no end time.'),
  thread: () => 'The trace belongs to no thread.',
  feedback: (text) => `It does not match: ${text}`,
  filter: (text) => `It does not match: ${text}`,
  trace_filter: (text) => `The root of its trace does not match: ${text}`,
  tree_filter: (text) => `No run of its trace matches: ${text}`,
}

const DECIDED: Record<RuleDecision['state'], (decision: RuleDecision, rule: RuleRow) => string> = {
  sampled_out: ({ sample_value, sampling_rate }) =>
    `It matches, and is not in the sample: ${sample_value.toFixed(4)} ≥ ${sampling_rate}`,
  limited: ({ detail }) => `The spend limit of the rule is reached: ${detail}`,
  waiting: ({ detail, attempts }, { is_enabled, blocked_message }) => {
    if (!is_enabled) return 'It waits: the rule is off.'
    if (blocked_message !== null) return `It waits: the rule is blocked. ${blocked_message}`
    if (attempts > 0) return `It is tried again after ${attempts} tries: ${detail}`
    return detail || 'It waits for its turn.'
  },
  running: () => 'The actions are under way.',
  done: ({ outcomes }) => `Done: ${outcomes.map(({ kind, detail }) => `${kind} (${detail})`).join(', ')}`,
  failed: ({ detail, attempts }) => `It failed after ${attempts} ${attempts === 1 ? 'try' : 'tries'}: ${detail}`,
}
