import type { Client, EvaluatorJobDetail, EvaluatorJobEstimate, EvaluatorJobWrite } from '@touchstone/sdk'
import { parsePositiveInteger, toProjectKey } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'
import { findEvaluator, VERSION_FLAG } from './evaluators.ts'
import { createProgress, formatCost, parseMaxCost } from './playground.ts'

export const runEvaluator = command({
  summary: 'Judge the runs of experiments with an evaluator, on the server',
  positionals: ['evaluator'],
  flags: {
    experiment: {
      type: 'string',
      value: 'NAME',
      multiple: true,
      description: 'name or id of an experiment; required, may be repeated for experiments over one dataset',
    },
    version: VERSION_FLAG,
    again: { type: 'boolean', description: 'judge runs again that this version has judged before' },
    concurrency: { type: 'string', value: 'N', description: 'judgements at once, 1 to 20 (default 5)' },
    'max-cost': { type: 'string', value: 'USD', description: 'begin no more judgements at this cost in US dollars' },
    yes: { type: 'boolean', description: 'confirm; without this flag only the estimate is shown' },
  },
  notes: [
    'The job continues on the server when this command is ended. The exit code is 1 when a judgement failed or the job did',
    'not complete.',
  ],
  async run({ client, output, positionals, flags }) {
    const job: EvaluatorJobWrite = {
      evaluator_id: (await findEvaluator(client, positionals[0])).id,
      experiment_ids: await findExperimentIds(client, flags.experiment ?? []),
      version: parsePositiveInteger('version', flags.version),
      again: flags.again,
      concurrency: parsePositiveInteger('concurrency', flags.concurrency),
      limits: { max_cost_usd: parseMaxCost(flags['max-cost']) },
    }
    const estimate = await client.estimateEvaluatorJob(job)
    for (const line of formatEstimate(estimate)) output.message(line)
    if (flags.yes !== true) {
      if (output.isJson) output.data(estimate, () => '')
      throw new UsageError(`This would judge ${estimate.runs} runs. Add --yes to confirm.`)
    }
    if (estimate.runs === 0) return output.data(estimate, () => '')
    const { id } = await client.createEvaluatorJob(job)
    const done = await client.waitForEvaluatorJob(id, { onProgress: createProgress(output.message, 'runs') })
    output.data(done, formatJob)
    assertSucceeded(done)
  },
})

async function findExperimentIds(client: Client, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) throw new UsageError('--experiment is missing.')
  return Promise.all(names.map(async (name) => (await client.readProject(toProjectKey(name))).id))
}

function formatEstimate(estimate: EvaluatorJobEstimate): string[] {
  const { evaluator_name, version, runs, left_out, prompt_tokens, problem } = estimate
  const price = formatCost(estimate.cost)
  const need =
    prompt_tokens === 0
      ? ''
      : `, about ${prompt_tokens} tokens of prompts, ${price ? `about ${price}` : 'unknown cost'}`
  const others = [
    left_out.judged > 0 && `${left_out.judged} judged before`,
    left_out.failed > 0 && `${left_out.failed} failed`,
    left_out.running > 0 && `${left_out.running} not ended`,
  ].filter(Boolean)
  return [
    `Version ${version} of "${evaluator_name}" over ${runs} runs${need}.`,
    ...(others.length > 0 ? [`Left out: ${others.join(', ')}.`] : []),
    ...(problem === null ? [] : [problem.message]),
  ]
}

function formatJob({ experiments }: EvaluatorJobDetail): string {
  return formatTable(experiments, [
    ['EXPERIMENT', ({ experiment_name }) => experiment_name],
    ['ID', ({ experiment_id }) => experiment_id],
    ['JUDGED', ({ done }) => done],
    ['FAILED', ({ failed }) => failed],
    ['COST', ({ cost }) => formatCost(cost)],
  ])
}

function assertSucceeded({ state, reason, failed, done, failures }: EvaluatorJobDetail): void {
  if (state !== 'COMPLETED') throw new Error(`The job is ${state}${reason === null ? '.' : `: ${reason}`}`)
  const first = failures[0]
  if (failed > 0) throw new Error(`${failed} of ${done} runs have no result: ${first?.problem?.message ?? ''}`)
  if (first !== undefined) throw new Error(`Scores could not be recorded: ${first.recording_error ?? ''}`)
}
