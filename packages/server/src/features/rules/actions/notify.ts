import { RUN_FIELDS_DEFAULT, type RuleAction } from '@touchstone/contract'
import { parseExactJson } from '@touchstone/formats/exact-json'
import { eq } from 'drizzle-orm'
import { all, sql, uuid } from '../../../storage/analytics/sql.ts'
import { rules } from '../../../storage/relational/tables/rules.ts'
import { findChannelProblems, sendNotice } from '../../notifications/index.ts'
import { appPath, presentRun, readRunViews, whereRunIds } from '../../runs/index.ts'
import { aRuleNotice } from '../notices.ts'
import { type Act, done, failed } from './action.ts'

/** Characters of a run in the body of a webhook; a longer one is left out. */
const MAX_RUN = 900_000
const FIELDS = new Set<string>([...RUN_FIELDS_DEFAULT, 'feedback_stats'])

/** Sends a notice about the run, once for each content of it. Webhooks get the run as those of LangSmith's rules. */
export const notify: Act<Extract<RuleAction, { kind: 'notify' }>> = async (deps, claim, { channel_ids }) => {
  const { tenant_id: tenantId, rule_id, run_id } = claim
  const problems = await findChannelProblems(deps.relational.db, tenantId, channel_ids)
  const gone = problems.find(({ isGone }) => isGone)
  if (gone !== undefined) return failed(gone.problem, { block: { reason: 'target_missing', message: gone.problem } })
  if (problems.length === channel_ids.length) return failed(problems.map(({ problem }) => problem).join(' '))
  const where = all([sql`tenant_id = ${uuid(tenantId)}`, whereRunIds(tenantId, [run_id])])
  const [view] = (await readRunViews(deps, tenantId, where, FIELDS, { all: 'asc' })).views
  const [rule] = await deps.relational.db.select().from(rules).where(eq(rules.id, rule_id))
  if (view === undefined || rule === undefined) return failed('The run was deleted.')
  const { publicUrl } = deps.config
  const { row } = view
  const text = presentRun(view, FIELDS)
  const run =
    text.length > MAX_RUN ? { id: run_id, truncated: true } : (parseExactJson(text) as Record<string, unknown>)
  const key = `rule:${rule_id}:${claim.target_id}:${claim.target_version}`
  const notice = aRuleNotice(deps, rule, {
    key,
    incident: key,
    severity: 'info',
    title: `${rule.name}: ${row.name ?? 'a run'}`,
    text: `The rule "${rule.name}" matches the run "${row.name ?? ''}".`,
    links: publicUrl === undefined ? [] : [{ label: 'Run', url: `${publicUrl}${appPath(tenantId, row)}` }],
    // Members as LangSmith's rules send them.
    body: {
      start_time: claim.ready_at,
      end_time: claim.ready_at,
      runs: [run],
      feedback_stats: run.feedback_stats ?? {},
    },
  })
  await deps.relational.transaction((tx) => sendNotice(deps, tx, tenantId, channel_ids, notice))
  deps.noticeDeliveries.begin()
  const sent = channel_ids.length - problems.length
  const off = problems.map(({ problem }) => ` ${problem}`).join('')
  return done(`${sent} ${sent === 1 ? 'channel' : 'channels'}${off === '' ? '' : `.${off}`}`)
}
