import type { Client, ExperimentStatistics, TracerSessionResult } from '@touchstone/sdk'
import {
  type FailCondition,
  type FailedGate,
  findFailures,
  gateFiguresOf,
  parseFailIf,
} from '@touchstone/sdk/evaluation'
import { toDatasetKey, toProjectKey } from '../arguments.ts'
import { command } from '../command.ts'
import { ThresholdError, UsageError } from '../exit-codes.ts'
import { formatNumber, formatPercent, formatSeconds, formatTable, formatTime } from '../output.ts'
import { collect, LIMIT_FLAG, printLimitNotice, readLimit } from '../paging.ts'

export const listExperiments = command({
  summary: 'List experiments over a dataset with their scores, newest first',
  positionals: ['dataset'],
  flags: {
    name: { type: 'string', value: 'TEXT', description: 'only experiments whose name contains this text' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, positionals, flags }) {
    const [dataset = ''] = positionals
    const limit = readLimit(flags.limit)
    const { id } = await client.readDataset(toDatasetKey(dataset))
    const query = { referenceDatasetId: id, nameContains: flags.name, includeStats: true, limit }
    const experiments = await collect(client.listProjects(query))
    const keys = [...new Set(experiments.flatMap(({ feedback_stats }) => Object.keys(feedback_stats ?? {})))].sort()
    output.data(experiments, (rows) =>
      formatTable(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['RUNS', ({ run_count }) => run_count],
        ['ERRORS', ({ error_rate }) => formatPercent(error_rate)],
        ['P50', ({ latency_p50 }) => formatSeconds(latency_p50)],
        ...keys.map(
          (key) => [key, (row: (typeof rows)[number]) => formatNumber(row.feedback_stats?.[key]?.avg)] as const,
        ),
        ['STARTED', ({ start_time }) => formatTime(start_time)],
      ]),
    )
    printLimitNotice(output, experiments, limit)
  },
})

export const compareExperiments = command({
  summary: 'Compare an experiment with a baseline over the same examples, and fail if a threshold is not met',
  positionals: ['baseline', 'experiment'],
  flags: {
    key: {
      type: 'string',
      value: 'KEY',
      multiple: true,
      description: 'only this feedback key; may be repeated (default all)',
    },
    'fail-if': {
      type: 'string',
      value: 'CONDITION',
      multiple: true,
      description: 'exit with code 7 if the condition holds for the experiment; may be repeated',
    },
    confidence: {
      type: 'string',
      value: 'SHARE',
      description: 'confidence level of the intervals, 0.5 to 0.999 (default 0.95)',
    },
  },
  notes: [
    'Both experiments are ids or names, and must belong to one dataset. Examples scored by both are paired; repetitions are',
    'averaged.',
    '',
    'A CONDITION is KEY.FIGURE, then < <= > >= = or !=, then a value:',
    '  correctness.mean<0.8             mean score of the experiment; also n, stdev, min, max, errors',
    '  correctness.verdict=worse        significantly worse than the baseline; also better, "no difference shown",',
    '                                   "not enough data"',
    '  correctness.difference<-0.05     experiment minus baseline; also low, high (the interval), p (corrected for the',
    '                                   number of keys), wins, losses, ties, pairs, mde (minimum detectable effect)',
    'or a FIGURE of the experiment: error_rate>5%, run_count<100, latency_p50>2 (seconds), latency_p99, total_tokens,',
    'total_cost (US dollars). A figure without a value fails. Quote conditions: < and > have a meaning in shells.',
  ],
  async run({ client, output, positionals, flags }) {
    const [baselineName = '', experimentName = ''] = positionals
    const conditions = (flags['fail-if'] ?? []).map(parseCondition)
    const confidence = parseConfidence(flags.confidence)
    const [baseline, experiment] = await Promise.all([
      readExperiment(client, baselineName),
      readExperiment(client, experimentName),
    ])
    const datasetId = getSharedDataset(baseline, experiment)
    const statistics = await client.compareExperiments({
      datasetId,
      baselineId: baseline.id,
      experimentIds: [experiment.id],
      feedbackKeys: flags.key && [...flags.key],
      confidence,
    })
    const failures = findFailures(conditions, gateFiguresOf(experiment, statistics.results))
    const url = await client.getComparisonUrl({ datasetId, experimentIds: [baseline.id, experiment.id] })
    output.data({ statistics, failures, url }, () => formatStatistics(statistics))
    if (statistics.results.length === 0) output.message('The experiments have no scores in common.')
    output.message(url)
    if (failures.length > 0) throw new ThresholdError(formatFailures(failures))
  },
})

function parseCondition(text: string): FailCondition {
  try {
    return parseFailIf(text)
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

function parseConfidence(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const share = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
  if (share >= 0.5 && share <= 0.999) return share
  throw new UsageError(`--confidence must be from 0.5 to 0.999, not "${text}".`)
}

async function readExperiment(client: Client, idOrName: string): Promise<TracerSessionResult> {
  return await client.readProject({ ...toProjectKey(idOrName), includeStats: true })
}

function getSharedDataset(baseline: TracerSessionResult, experiment: TracerSessionResult): string {
  const datasetId = getDatasetId(baseline)
  if (datasetId === getDatasetId(experiment)) return datasetId
  throw new UsageError(`"${baseline.name}" and "${experiment.name}" belong to different datasets.`)
}

function getDatasetId({ name, reference_dataset_id }: TracerSessionResult): string {
  if (!reference_dataset_id) throw new UsageError(`"${name}" is not an experiment: it belongs to no dataset.`)
  return reference_dataset_id
}

function formatStatistics({ results }: ExperimentStatistics): string {
  return formatTable(results, [
    ['KEY', ({ feedback_key }) => feedback_key],
    ['BASELINE', ({ baseline }) => formatNumber(baseline.mean)],
    ['EXPERIMENT', ({ comparison }) => formatNumber(comparison.mean)],
    ['DIFFERENCE', ({ difference }) => formatNumber(difference.mean)],
    [
      'INTERVAL',
      ({ difference: { interval } }) => interval && `${formatNumber(interval.low)} … ${formatNumber(interval.high)}`,
    ],
    ['P', ({ p_value_adjusted }) => formatNumber(p_value_adjusted)],
    ['PAIRS', ({ pair_count }) => pair_count],
    ['WON', ({ wins }) => wins],
    ['LOST', ({ losses }) => losses],
    ['VERDICT', ({ verdict }) => verdict],
  ])
}

function formatFailures(failures: readonly FailedGate[]): string {
  return ['The experiment failed:', ...failures.map(({ message }) => `  ${message}`)].join('\n')
}
