import type { Client, Rule, RuleExplanation, RuleFunnel, RuleTarget } from '@touchstone/sdk'
import { command } from '../command.ts'
import { formatTable, removeControlCharacters } from '../output.ts'
import { collect, mapInParallel } from '../paging.ts'
import { findRule } from './rules.ts'

export const explainRun = command({
  summary: 'Explain what each rule decided about a run, and by which condition',
  positionals: ['run'],
  flags: {},
  async run({ client, output, positionals }) {
    const found = await client.explainRules(positionals[0] ?? '')
    output.data(found, (rules) => rules.map(explain).join('\n\n'))
    if (found.length === 0) output.message('The workspace has no rules.')
  },
})

export const diagnoseRule = command({
  summary: 'Say whether a rule looks, lags or is blocked, and why it acted on recent runs or not',
  positionals: ['rule'],
  flags: {},
  notes: ['Explains the last ten runs of the projects of the rule.'],
  async run({ client, output, positionals }) {
    const rule = await findRule(client, positionals[0])
    const funnel = await client.readRuleFunnel(rule.id)
    const { project_ids, target } = rule.definition
    const runs = project_ids.length === 0 ? [] : await listLastRuns(client, project_ids, target !== 'run')
    const answers = await mapInParallel(runs, async ({ id, name, start_time }) => {
      const explanation = (await client.explainRules(id)).find(({ rule_id }) => rule_id === rule.id)
      return { run_id: id, name, start_time, explanation }
    })
    const sentences = describeRule(rule, funnel, Date.now())
    output.data({ rule, funnel, sentences, runs: answers }, () => {
      const table = formatTable(answers, [
        ['RUN', ({ run_id }) => run_id],
        ['NAME', ({ name }) => name],
        ['DECISION', ({ explanation }) => explanation?.decision?.state],
        ['WHY', ({ explanation }) => explanation?.summary],
      ])
      const last =
        answers.length === 0 ? 'Its projects have no runs of the last week.' : `Last runs of its projects:\n${table}`
      return [...sentences.map(removeControlCharacters), '', last].join('\n')
    })
  },
})

/** Milliseconds from when a run is ready to its first try, over which a rule lags. */
const LAG_MS = 60_000

/** Whether the rule looks, what it matches and what it did, in plain sentences. */
export function describeRule(rule: Rule, funnel: RuleFunnel, now: number): string[] {
  const { seen, matched, sampled_out, waiting, limited, done, failed } = funnel
  return [
    describeLook(rule, funnel.lag_p95_ms, now),
    ...(rule.blocked === null
      ? []
      : [`It is blocked since ${rule.blocked.since.slice(0, 19)}: ${rule.blocked.reason}. ${rule.blocked.message}`]),
    ...(rule.is_enabled && rule.blocked !== null
      ? [`After mending the cause: touchstone rules resume ${JSON.stringify(rule.name)}`]
      : []),
    describeFilter(rule),
    `In the last 24 hours ${count(seen, 'run')} of its projects ended and ${matched} matched: ` +
      `${sampled_out} sampled out, ${waiting} waiting, ${limited} limited, ${done} done, ${failed} failed.`,
    ...(limited > 0 ? ['Its spend limit is reached: raise it, or wait for the next window.'] : []),
    ...(seen === 0
      ? ['Nothing arrived: check that the projects of the rule are those that the application sends to.']
      : []),
    ...(seen > 0 && matched === 0 ? ['Nothing matched: see below which condition fails.'] : []),
    ...(failed > 0 ? [`For what failed: touchstone rules explain <run>.`] : []),
  ]
}

/** A rule looks within a second after something is written, and not while nothing is. */
function describeLook({ name, is_enabled, looked_at }: Rule, lagMs: number | null, now: number): string {
  const rule = `The rule "${name}"`
  if (!is_enabled)
    return `${rule} is paused: it does not look at runs. To go on: touchstone rules resume ${JSON.stringify(name)}`
  if (looked_at === null) return `${rule} is on and has not looked for runs yet.`
  const seconds = Math.max(0, Math.round((now - Date.parse(looked_at)) / 1000))
  const look = `${rule} is on: it last looked for runs ${count(seconds, 'second')} ago.`
  if (lagMs === null) return look
  const lag = `${(lagMs / 1000).toFixed(1)} s`
  return lagMs > LAG_MS
    ? `${look} It lags: 5 % of the runs of the last 24 hours waited longer than ${lag}.`
    : `${look} 95 % of the runs of the last 24 hours waited at most ${lag}.`
}

const TARGETS: Readonly<Record<RuleTarget, string>> = {
  run: 'runs',
  trace: 'traces',
  thread: 'threads',
  feedback: 'runs with feedback',
}

function describeFilter({ definition }: Rule): string {
  const { target, project_ids, filter, trace_filter, tree_filter, feedback, sampling_rate, dataset_id } = definition
  const parts = [
    `${filter ? '' : 'all '}${TARGETS[target]}${feedback ? ` "${feedback.key}"` : ''}`,
    ...(filter ? [`that match ${filter}`] : []),
    ...(trace_filter ? [`whose root matches ${trace_filter}`] : []),
    ...(tree_filter ? [`with a run in the trace that matches ${tree_filter}`] : []),
  ]
  const source = dataset_id ? `experiments of dataset ${dataset_id}` : count(project_ids.length, 'project')
  const share = sampling_rate < 1 ? `, and ${Number((sampling_rate * 100).toPrecision(4))} % of them` : ''
  return `It takes ${parts.join(' ')} of ${source}${share}.`
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** How many runs of the projects are explained. */
const RUNS = 10

/** @param isRoot  only roots, of which rules on traces and threads decide */
async function listLastRuns(client: Client, projectIds: readonly string[], isRoot: boolean) {
  const params = {
    projectId: [...projectIds],
    limit: RUNS,
    ...(isRoot && { isRoot }),
    select: ['id', 'name', 'start_time'],
  }
  return await collect(client.listRuns(params), RUNS)
}

function explain({ name, version, decision, summary, clauses }: RuleExplanation): string {
  const marks = clauses.map(({ holds, of, text }) => `  ${holds ? 'yes' : 'no '}  ${of}: ${text}`)
  const state = decision === null ? 'no decision' : decision.state
  return [`${name} (version ${version}): ${state}`, `  ${summary}`, ...marks].map(removeControlCharacters).join('\n')
}
