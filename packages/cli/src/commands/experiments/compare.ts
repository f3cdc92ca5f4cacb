import type { Client, ExperimentStatistics, TracerSessionResult } from '@touchstone/sdk'
import {
  type FailCondition,
  type FailedGate,
  findFailures,
  gateFiguresOf,
  parseFailIf,
} from '@touchstone/sdk/evaluation'
import { command } from '../../command.ts'
import { GateError } from '../../exit-codes.ts'
import { projectKey, UsageError } from '../../flags.ts'
import { shortNumber, table } from '../../output.ts'

export default command({
  summary: 'Compare an experiment with a baseline over the same examples, and fail if it is not good enough',
  words: ['baseline', 'experiment'],
  flags: {
    key: {
      type: 'string',
      value: 'KEY',
      multiple: true,
      says: 'only this feedback key; may be repeated (default all)',
    },
    'fail-if': {
      type: 'string',
      value: 'CONDITION',
      multiple: true,
      says: 'end with code 7 if it holds of the experiment; may be repeated',
    },
    confidence: { type: 'string', value: 'SHARE', says: 'of the intervals, 0.5 to 0.999 (default 0.95)' },
  },
  notes: [
    'Both are named by id or name, and are over one dataset. Examples that both scored are paired; repetitions are averaged.',
    '',
    'A CONDITION is KEY.FIGURE, then < <= > >= = or !=, then a value:',
    '  correctness.mean<0.8             the mean score of the experiment; also n, stdev, min, max, errors',
    '  correctness.verdict=worse        shown to be worse than the baseline; also better, "no difference shown",',
    '                                   "not enough data"',
    '  correctness.difference<-0.05     experiment minus baseline; also low, high (the interval), p (corrected for the',
    '                                   number of keys), wins, losses, ties, pairs, mde (minimum detectable effect)',
    'or a FIGURE of the experiment: error_rate>5%, run_count<100, latency_p50>2 (seconds), latency_p99, total_tokens,',
    'total_cost (US dollars). What was not measured does not pass. Quote conditions: < and > mean something to a shell.',
  ],
  async run({ client, output, words, flags }) {
    const conditions = (flags['fail-if'] ?? []).map(conditionOf)
    const confidence = confidenceOf(flags.confidence)
    const [baseline, experiment] = await Promise.all([read(client, words[0] ?? ''), read(client, words[1] ?? '')])
    const datasetId = datasetOf(baseline, experiment)
    const statistics = await client.compareExperiments({
      datasetId,
      baselineId: baseline.id,
      experimentIds: [experiment.id],
      feedbackKeys: flags.key && [...flags.key],
      confidence,
    })
    const failures = findFailures(conditions, gateFiguresOf(experiment, statistics.results))
    const url = await client.getComparisonUrl({ datasetId, experimentIds: [baseline.id, experiment.id] })
    output.data({ statistics, failures, url }, () => resultsTable(statistics))
    if (statistics.results.length === 0) output.talk('The two have no scores in common.')
    output.talk(url)
    if (failures.length > 0) throw new GateError(sentence(failures))
  },
})

function conditionOf(text: string): FailCondition {
  try {
    return parseFailIf(text)
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

function confidenceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const share = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
  if (share >= 0.5 && share <= 0.999) return share
  throw new UsageError(`--confidence takes a share from 0.5 to 0.999, not "${text}".`)
}

async function read(client: Client, word: string): Promise<TracerSessionResult> {
  return await client.readProject({ ...projectKey(word), includeStats: true })
}

function datasetOf(baseline: TracerSessionResult, experiment: TracerSessionResult): string {
  for (const { name, reference_dataset_id } of [baseline, experiment]) {
    if (!reference_dataset_id) throw new UsageError(`"${name}" is no experiment: it is over no dataset.`)
  }
  if (baseline.reference_dataset_id === experiment.reference_dataset_id) return baseline.reference_dataset_id!
  throw new UsageError(`"${baseline.name}" and "${experiment.name}" are over different datasets.`)
}

function resultsTable({ results }: ExperimentStatistics): string {
  return table(results, [
    ['KEY', ({ feedback_key }) => feedback_key],
    ['BASELINE', ({ baseline }) => shortNumber(baseline.mean)],
    ['EXPERIMENT', ({ comparison }) => shortNumber(comparison.mean)],
    ['DIFFERENCE', ({ difference }) => shortNumber(difference.mean)],
    [
      'INTERVAL',
      ({ difference: { interval } }) => interval && `${shortNumber(interval.low)} … ${shortNumber(interval.high)}`,
    ],
    ['P', ({ p_value_adjusted }) => shortNumber(p_value_adjusted)],
    ['PAIRS', ({ pair_count }) => pair_count],
    ['WON', ({ wins }) => wins],
    ['LOST', ({ losses }) => losses],
    ['VERDICT', ({ verdict }) => verdict],
  ])
}

function sentence(failures: readonly FailedGate[]): string {
  return ['The experiment failed:', ...failures.map(({ message }) => `  ${message}`)].join('\n')
}
