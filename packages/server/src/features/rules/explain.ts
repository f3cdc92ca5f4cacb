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
} from '@touchstone/contract'
import { asc, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { all, join, literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { type RuleRow, rules } from '../../storage/relational/tables/rules.ts'
import { ANY_ROW, columns, nullable, text } from '../../storage/rows.ts'
import { whereRunIds, whereRuns } from '../runs/index.ts'
import { IS_READY, toRunConditions } from './conditions.ts'
import { selectOpenClaims } from './engine/claims.ts'
import { readDecisions } from './ledger.ts'
import { presentClaim, readDefinition } from './present.ts'

type ExplainDeps = Pick<Deps, 'relational' | 'analytics'>

/** Most decisions about one run. */
const MAX_DECISIONS = 1_000

/** What each rule of the workspace decided about a run, and by which condition. @throws ApiError NOT_FOUND */
export async function explainRun(deps: ExplainDeps, tenantId: string, runId: string): Promise<RuleExplanation[]> {
  const { db } = deps.relational
  const found = await db.select().from(rules).where(eq(rules.tenant_id, tenantId)).orderBy(asc(rules.name))
  const [run] = await deps.analytics.query(
    sql`select id, session_id, toString(end_time) as end_time from runs final
      where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, [runId])}`,
    columns({ id: text, session_id: text, end_time: nullable(text) }),
  )
  if (run === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  const decisions = await readLatest(deps, tenantId, run.id, found)
  const explained: RuleExplanation[] = []
  for (const rule of found) {
    const definition = readDefinition(rule.definition)
    const clauses = await testClauses(deps, tenantId, run.id, definition)
    const decision = decisions.get(rule.id) ?? null
    const { id: rule_id, name, version, is_enabled } = rule
    const summary = summarize(rule, definition, clauses, decision)
    explained.push({ rule_id, name, version, is_enabled, decision, clauses, summary })
  }
  return explained
}

/** The newest decision of each rule. */
async function readLatest(
  deps: ExplainDeps,
  tenantId: string,
  runId: string,
  found: readonly RuleRow[],
): Promise<Map<string, RuleDecision>> {
  const { decisions } = await readDecisions(deps, tenantId, { runId, limit: MAX_DECISIONS })
  const open = await selectOpenClaims(deps.relational.db, tenantId, { runId, limit: MAX_DECISIONS })
  const rate = (id: string) => {
    const rule = found.find((one) => one.id === id)
    return rule === undefined ? 1 : readDefinition(rule.definition).sampling_rate
  }
  const all = [...open.map((claim) => presentClaim(claim, rate(claim.rule_id))), ...decisions]
  const latest = new Map<string, RuleDecision>()
  for (const decision of all) if (!latest.has(decision.rule_id)) latest.set(decision.rule_id, decision)
  return latest
}

/** Each condition of a rule alone, compiled as for live runs. */
async function testClauses(
  { analytics }: ExplainDeps,
  tenantId: string,
  runId: string,
  definition: RuleDefinition,
): Promise<RuleClause[]> {
  const clauses = listClauses(definition)
  const alone = { project_ids: definition.project_ids, filter: null, trace_filter: null, tree_filter: null }
  const conditions = clauses.map(({ of, text }) => {
    if (of === 'end') return IS_READY
    return whereRuns(tenantId, toRunConditions(of === 'project' ? alone : { ...alone, [of]: text }))
  })
  const columns = conditions.map((condition, at) => sql`toUInt8(${condition}) as ${literal(`c${at}`)}`)
  const [row = {}] = await analytics.query(
    sql`select ${join(columns, ', ')} from runs final where ${all([
      sql`tenant_id = ${uuid(tenantId)}`,
      whereRunIds(tenantId, [runId]),
    ])}`,
    ANY_ROW,
  )
  const values = row as Readonly<Record<string, unknown>>
  return clauses.map((clause, at) => ({ ...clause, holds: Number(values[`c${at}`]) === 1 }))
}

type Condition = Omit<RuleClause, 'holds'>

function listClauses({ filter, trace_filter, tree_filter }: RuleDefinition): Condition[] {
  const ofRun = splitClauses(filter).map((text): Condition => ({ of: 'filter', text }))
  // Conditions on the trace apply to one run of it together.
  return [
    { of: 'project', text: 'The run belongs to a project of the rule.' },
    { of: 'end', text: 'The run has ended.' },
    ...ofRun,
    ...(trace_filter ? [{ of: 'trace_filter' as const, text: trace_filter }] : []),
    ...(tree_filter ? [{ of: 'tree_filter' as const, text: tree_filter }] : []),
  ]
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
  project: () => 'The rule does not look at the project of the run.',
  end: () => 'Waiting: the run has no end time.',
  filter: (text) => `It does not match: ${text}`,
  trace_filter: (text) => `The root of its trace does not match: ${text}`,
  tree_filter: (text) => `No run of its trace matches: ${text}`,
}

const DECIDED: Record<RuleDecision['state'], (decision: RuleDecision, rule: RuleRow) => string> = {
  sampled_out: ({ sample_value, sampling_rate }) =>
    `It matches, and is not in the sample: ${sample_value.toFixed(4)} ≥ ${sampling_rate}`,
  waiting: ({ detail, attempts }, { is_enabled, blocked_message }) => {
    if (!is_enabled) return 'It waits: the rule is off.'
    if (blocked_message !== null) return `It waits: the rule is blocked. ${blocked_message}`
    return attempts === 0 ? 'It waits for its turn.' : `It is tried again after ${attempts} tries: ${detail}`
  },
  running: () => 'The actions are under way.',
  done: ({ outcomes }) => `Done: ${outcomes.map(({ kind, detail }) => `${kind} (${detail})`).join(', ')}`,
  failed: ({ detail, attempts }) => `It failed after ${attempts} ${attempts === 1 ? 'try' : 'tries'}: ${detail}`,
}
