import { z } from 'zod'
import { CHART_METRICS, type ChartMetric } from '../dashboards/chart-metrics.ts'
import { FilterError, parseFilter, RUN_FILTERS } from '../filter/index.ts'
import { RunGrouping } from '../runs/stats.ts'
import { Uuid } from '../wire/ids.ts'
import { identifierText, repairedText } from '../wire/text.ts'
import { TimeZone } from '../wire/time-zone.ts'

/** Most alerts of a workspace. */
export const MAX_ALERTS = 200
/** Most projects of one alert. */
export const MAX_ALERT_PROJECTS = 50
/** Most channels of one alert. */
export const MAX_ALERT_CHANNELS = 20
/** Most versions of one alert. */
export const MAX_ALERT_VERSIONS = 1000
/** Most groups that an alert watches: those with the most runs in the window. */
export const MAX_ALERT_GROUPS = 20

/** Which figure of a metric is compared. */
export const ALERT_STATISTICS = ['count', 'share', 'sum', 'avg', 'p50', 'p95', 'p99', 'max'] as const
export const AlertStatistic = z.enum(ALERT_STATISTICS)
export type AlertStatistic = z.infer<typeof AlertStatistic>

/**
 * Statistics of each metric of charts; the first is the default. Latencies are seconds, `tokens` and `cost` (US dollars)
 * are those of a run and everything below it, and shares are 0 to 1. `runs` as a share are the runs that match `filter`
 * among those that match `denominator_filter`; `errors` counts runs that failed.
 */
export const ALERT_METRICS = {
  runs: ['count', 'share'],
  error_rate: ['share'],
  errors: ['count'],
  latency: ['p95', 'avg', 'p50', 'p99', 'max'],
  first_token: ['p95', 'avg', 'p50', 'p99', 'max'],
  tokens: ['sum', 'avg'],
  cost: ['sum', 'avg'],
  feedback: ['avg', 'sum', 'count'],
  threads: ['count'],
  users: ['count'],
} as const satisfies Record<ChartMetric, readonly AlertStatistic[]>

export const ALERT_KINDS = ['threshold', 'change', 'anomaly'] as const
export const AlertKind = z.enum(ALERT_KINDS)
export type AlertKind = z.infer<typeof AlertKind>

export const ALERT_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const
export const AlertOperator = z.enum(ALERT_OPERATORS)
export type AlertOperator = z.infer<typeof AlertOperator>

const FilterText = repairedText(10_000)
  .superRefine((text, context) => {
    try {
      parseFilter(text, RUN_FILTERS)
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
  })
  .nullish()

const DayTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is no time of day such as 22:00')
const Minutes = (least: number, most: number) => z.int().min(least).max(most)
const Level = z.number().min(-1e15).max(1e15).nullish()

/** No notices between these times of day; `from` after `to` passes midnight. */
export const QuietHours = z.object({
  time_zone: TimeZone,
  from: DayTime,
  /** Exclusive. */
  to: DayTime,
})
export type QuietHours = z.output<typeof QuietHours>

/** What an alert watches and when it tells whom. A change of it makes a new version. */
export const AlertDefinition = z
  .object({
    project_ids: z.array(Uuid).min(1).max(MAX_ALERT_PROJECTS),
    /** Root runs, or all runs. */
    scope: z.enum(['traces', 'runs']).default('traces'),
    /** On the run itself. @default all runs of the scope */
    filter: FilterText,
    /** On the root of its trace. */
    trace_filter: FilterText,
    /** On any run of its trace. */
    tree_filter: FilterText,
    /** Of the share of runs: all runs of which `filter` selects some. @default all runs of the scope */
    denominator_filter: FilterText,
    metric: z.enum(CHART_METRICS),
    /** @default the first of `ALERT_METRICS` */
    statistic: AlertStatistic.nullish(),
    /** Feedback key, for the metric `feedback`. */
    feedback_key: identifierText(180).nullish(),
    /** Each group is watched; the worst one decides. */
    group_by: RunGrouping.refine(
      ({ path }) => identifierText(1000).nullish().safeParse(path).success,
      'cannot be stored',
    ).nullish(),
    /** Runs that started within this time are measured. Minutes. */
    window_minutes: Minutes(1, 10_080),
    /**
     * What the levels mean. `threshold`: values of the metric. `change`: multiples of the value in the window before.
     * `anomaly`: distances from the usual value of this hour of the week, in deviations (1.4826 × MAD of the last four weeks).
     */
    kind: AlertKind.default('threshold'),
    /** How the value is compared with a level; `anomaly` also watches the other side when `is_two_sided` is true. */
    operator: AlertOperator.default('gt'),
    is_two_sided: z.boolean().default(false),
    /** @default no warning; 3 for `anomaly` */
    warning: Level,
    /** @default none, when there is a warning; 5 for `anomaly` */
    critical: Level,
    /** Of `change`: length of the earlier window in minutes; sums and counts are converted. @default `window_minutes` */
    compare_minutes: Minutes(1, 10_080).nullish(),
    /** With fewer runs in the window, the level is `ok`. */
    min_count: z.int().min(1).max(1_000_000_000).default(1),
    /** How long a worse level has to last before it is notified. */
    for_minutes: Minutes(0, 10_080).default(0),
    /** How long the level has to be back before the alert is `ok` again. @default `window_minutes` */
    recovery_minutes: Minutes(0, 10_080).nullish(),
    /**
     * Without runs in the window: `ok`; keep the state; or alert as critical. With `ok`, counts and sums of nothing are compared
     * as zero.
     */
    no_data: z.enum(['ok', 'keep', 'alert']).default('ok'),
    /** Notices of an episode repeat after this time, unless a user acknowledged it. @default never */
    renotify_minutes: Minutes(5, 10_080).nullish(),
    quiet_hours: QuietHours.nullish(),
    channel_ids: z.array(Uuid).max(MAX_ALERT_CHANNELS).default([]),
    /** Whether notices may contain texts of runs: messages of errors. */
    shows_content: z.boolean().default(false),
  })
  .superRefine((alert, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', message, path: [field] })
    const statistics: readonly AlertStatistic[] = ALERT_METRICS[alert.metric]
    if (alert.statistic != null && !statistics.includes(alert.statistic)) {
      refuse('statistic', `of ${alert.metric} is one of ${statistics.join(', ')}`)
    }
    if (alert.metric === 'feedback' && !alert.feedback_key) refuse('feedback_key', 'is required for feedback')
    if (alert.denominator_filter && alert.statistic !== 'share')
      refuse('denominator_filter', 'needs the statistic share')
    if (alert.kind !== 'anomaly' && alert.warning == null && alert.critical == null) {
      refuse('critical', 'give a warning level, a critical level, or both')
    }
    if (alert.warning != null && alert.critical != null) {
      const isAbove = alert.kind === 'anomaly' || alert.operator === 'gt' || alert.operator === 'gte'
      if (isAbove ? alert.critical < alert.warning : alert.critical > alert.warning) {
        refuse('critical', `is reached before the warning level ${alert.warning}`)
      }
    }
    if (alert.kind !== 'threshold' && [alert.warning, alert.critical].some((level) => level != null && level <= 0)) {
      refuse('critical', 'is a positive number')
    }
    if (alert.kind === 'anomaly' && alert.window_minutes > 1_440)
      refuse('window_minutes', 'of an anomaly is at most 1440')
    if (new Set(alert.channel_ids).size < alert.channel_ids.length) refuse('channel_ids', 'has a channel twice')
  })
export type AlertDefinition = z.output<typeof AlertDefinition>
export type AlertDefinitionInput = z.input<typeof AlertDefinition>

/** The statistic that an alert compares. */
export function statisticOf({ metric, statistic }: Pick<AlertDefinition, 'metric' | 'statistic'>): AlertStatistic {
  return statistic ?? ALERT_METRICS[metric][0]
}

/** Seconds between two evaluations. They are at multiples of it since 1970, 15 s behind the clock. */
export function stepSecondsOf({ window_minutes }: Pick<AlertDefinition, 'window_minutes'>): number {
  if (window_minutes < 5) return 30
  if (window_minutes <= 60) return 60
  return window_minutes <= 1_440 ? 300 : 1_800
}
