import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage, QueryFlag, strictPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'
import { AlertDefinition } from './definition.ts'

/**
 * `pending`: a worse level that has not lasted for `for_minutes`. `no_data`: nothing in the window, where that alerts.
 * `paused`: not enabled. `broken`: it cannot be evaluated, `broken_reason` explains why.
 */
export const ALERT_STATES = ['ok', 'pending', 'warning', 'critical', 'no_data', 'paused', 'broken'] as const
export const AlertState = z.enum(ALERT_STATES)
export type AlertState = z.infer<typeof AlertState>

/** States of an episode: of an alert that fires. */
export const FIRING_STATES = ['warning', 'critical', 'no_data'] as const satisfies readonly AlertState[]
export const AlertFiringState = z.enum(FIRING_STATES)
export type AlertFiringState = z.infer<typeof AlertFiringState>

/** Level of one evaluation, without regard to how long it lasts. */
export const ALERT_LEVELS = ['ok', 'warning', 'critical', 'no_data'] as const
export const AlertLevel = z.enum(ALERT_LEVELS)
export type AlertLevel = z.infer<typeof AlertLevel>

/** One group at one evaluation. */
export const AlertGroup = z.object({
  /** Null for runs that lack the attribute, and without `group_by`. */
  group: z.string().nullable(),
  /** Null when there is nothing to measure. Latencies are seconds, costs US dollars, shares 0 to 1. */
  value: z.number().nullable(),
  /** Runs in the window; of `feedback`, scores. */
  count: z.int(),
  level: AlertLevel,
})
export type AlertGroup = z.infer<typeof AlertGroup>

/** One evaluation: exactly what was compared. With `group_by` the figures are those of the worst group. */
export const AlertPoint = z.object({
  /** End of the window. */
  at: z.string(),
  ...AlertGroup.shape,
  /**
   * What a value had to pass at this time: of `threshold` the levels themselves; of `change` and `anomaly` computed from
   * earlier runs. Null: no such level, or too little to compare with.
   */
  warning: z.number().nullable(),
  critical: z.number().nullable(),
  /** Of `anomaly`: the usual value; of `change`: the value of the window before. */
  usual: z.number().nullable(),
})
export type AlertPoint = z.infer<typeof AlertPoint>

/** One stay in a firing state. */
export const AlertEpisode = z.object({
  alert_id: z.string(),
  alert_name: z.string(),
  alert_version: z.int(),
  /** Counts from 1 per alert. */
  number: z.int(),
  /** The worst state so far. */
  state: AlertFiringState,
  started_at: z.string(),
  /** Null while it lasts. */
  ended_at: z.string().nullable(),
  /** The value that was furthest beyond the level, when and in which group. */
  peak: z.number().nullable(),
  peak_at: z.string().nullable(),
  peak_group: z.string().nullable(),
  /** Notices that were sent. */
  notices: z.array(
    z.object({
      at: z.string(),
      /** What it notified. */
      state: z.enum([...FIRING_STATES, 'ok']),
      is_repeated: z.boolean(),
      /** One for each channel. */
      delivery_ids: z.array(z.string()),
    }),
  ),
  /** Name of the user or key; an acknowledged episode sends no repeated notices. */
  acknowledged_by: z.string().nullable(),
  acknowledged_at: z.string().nullable(),
})
export type AlertEpisode = z.infer<typeof AlertEpisode>

export const Alert = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Unique in the workspace. */
  name: z.string(),
  description: z.string(),
  is_enabled: z.boolean(),
  /** No notices until then. Episodes are recorded, and one that still lasts is notified afterwards. */
  mute_until: z.string().nullable(),
  /** Number of the newest version; versions count from 1. */
  version: z.int(),
  /** Of the newest version. */
  definition: AlertDefinition,
  /** Whether it was written by the routes of LangSmith, which hold its own actions beside `channel_ids`. */
  has_actions: z.boolean(),
  state: AlertState,
  /** Null before the first evaluation. */
  state_since: z.string().nullable(),
  /** Of `broken`: what failed, and how to mend it. */
  broken_reason: z.string().nullable(),
  /** Of `anomaly`: why there is no usual value yet. */
  notice: z.string().nullable(),
  /** Number of the episode that lasts. */
  episode: z.int().nullable(),
  acknowledged_by: z.string().nullable(),
  /** The newest evaluation. */
  last: AlertPoint.nullable(),
  evaluated_at: z.string().nullable(),
  created_at: z.string(),
  modified_at: z.string(),
  /** Name of the user or key that created it; null on an open server. */
  created_by: z.string().nullable(),
})
export type Alert = z.infer<typeof Alert>

/** A version never changes. */
export const AlertVersion = z.object({
  alert_id: z.string(),
  version: z.int(),
  definition: AlertDefinition,
  created_at: z.string(),
  created_by: z.string().nullable(),
})
export type AlertVersion = z.infer<typeof AlertVersion>

const fields = {
  name: repairedText(200).trim().min(1, 'is empty'),
  description: repairedText(5000),
}

export const AlertCreate = z.object({
  name: fields.name,
  description: fields.description.nullish(),
  /** @default true */
  is_enabled: z.boolean().nullish(),
  mute_until: Time.nullish(),
  definition: AlertDefinition,
})
export type AlertCreate = z.output<typeof AlertCreate>

/** Absent means unchanged; null too, but for `mute_until`, where it ends the mute. */
export const AlertUpdate = z.object({
  name: fields.name.nullish(),
  description: fields.description.nullish(),
  is_enabled: z.boolean().nullish(),
  mute_until: Time.nullish(),
  /** Makes a new version. An episode that lasts goes on with it. */
  definition: AlertDefinition.nullish(),
  /** The newest version that the change is based on; another newest version is refused with 409. */
  expected_version: z.int().min(1).nullish(),
})
export type AlertUpdate = z.output<typeof AlertUpdate>

export const AlertPreviewQuery = z.object({
  definition: AlertDefinition,
  /** Days up to now. */
  days: z.int().min(1).max(30).default(30),
  /** Most points of the answer. Of neighbors the one furthest beyond a level is kept. */
  max_points: z.int().min(10).max(5000).default(1000),
})
export type AlertPreviewQuery = z.output<typeof AlertPreviewQuery>

/** What the alert would have done. It is computed by the code that evaluates alerts. */
export const AlertPreview = z.object({
  /** Seconds between two evaluations. */
  step_seconds: z.int(),
  from: z.string(),
  to: z.string(),
  /** Evaluations, before points were left out. */
  evaluations: z.int(),
  points: z.array(AlertPoint),
  episodes: z.array(
    AlertEpisode.pick({
      number: true,
      state: true,
      started_at: true,
      ended_at: true,
      peak: true,
      peak_at: true,
      peak_group: true,
    }),
  ),
  /** Minutes of all episodes. */
  firing_minutes: z.number(),
  /** What the preview cannot show, such as an anomaly alert without two weeks of runs. */
  notice: z.string().nullable(),
})
export type AlertPreview = z.infer<typeof AlertPreview>

const tag = 'alerts'
const extension = true
const params = z.object({ alert_id: Uuid })
const episodeParams = params.extend({ number: z.coerce.number<number>().pipe(z.int().min(1)) })
const period = {
  /** @default 24 hours before `to` */
  from: Time.optional(),
  /** @default now */
  to: Time.optional(),
}

export const alertRoutes = describeRoutes(routes.alerts, tag, {
  list: {
    extension,
    summary: 'Alerts of the workspace: those that fire first, then by name',
    query: z.object({
      /** Alerts that watch this project. */
      project_id: Uuid.optional(),
      /** Part of the name or the description. */
      search: z.string().max(1000).optional(),
      state: AlertState.optional(),
      /** Those in a state of an episode. */
      is_firing: QueryFlag.optional(),
      ...strictPage,
    }),
    answer: z.object({
      alerts: z.array(Alert),
      total: z.int(),
      /** Of the whole workspace, without regard to the query. */
      firing: z.int(),
    }),
  },
  create: {
    extension,
    summary: 'Create an alert; 409 for a name that is taken, 429 at the most alerts of a workspace',
    body: AlertCreate,
    status: 201,
    answer: Alert,
  },
  preview: {
    extension,
    summary: 'What an alert would have done in the last days; nothing is saved or sent',
    body: AlertPreviewQuery,
    answer: AlertPreview,
  },
  listEpisodes: {
    extension,
    summary: 'Episodes of alerts that touch a period, newest first',
    query: z.object({
      project_id: Uuid.optional(),
      alert_id: Uuid.optional(),
      /** Only those that last. */
      is_open: QueryFlag.optional(),
      /** @default all */
      from: Time.optional(),
      to: Time.optional(),
      ...historyPage,
    }),
    answer: z.object({ episodes: z.array(AlertEpisode), total: z.int() }),
  },
  read: { extension, summary: 'One alert', params, answer: Alert },
  update: { extension, summary: 'Change an alert, pause it or mute it', params, body: AlertUpdate, answer: Alert },
  delete: { extension, summary: 'Delete an alert with its history', params, status: 204 },
  test: {
    extension,
    summary: 'Send a test notice to all recipients of an alert',
    params,
    answer: z.object({
      /** One for each channel. */
      delivery_ids: z.array(z.string()),
    }),
  },
  listVersions: {
    extension,
    summary: 'Versions of an alert, newest first',
    params,
    query: z.object(historyPage),
    answer: z.object({ versions: z.array(AlertVersion), total: z.int() }),
  },
  points: {
    extension,
    summary: 'Evaluations of an alert, oldest first; they are kept for 90 days',
    params,
    query: z.object({
      ...period,
      max_points: z.coerce.number<number>().pipe(z.int().min(10).max(5000)).default(1000),
    }),
    answer: z.object({ points: z.array(AlertPoint) }),
  },
  readEpisode: {
    extension,
    summary: 'One episode with the groups at its worst and the query of its runs',
    params: episodeParams,
    answer: z.object({
      episode: AlertEpisode,
      /** At the peak, the worst first; at most 20. */
      groups: z.array(AlertGroup),
      /** Conditions of the runs that were measured from one window before its start to its end, as in `POST /runs/query`. */
      runs: z.object({
        session: z.array(z.string()),
        is_root: z.boolean().nullable(),
        filter: z.string().nullable(),
        trace_filter: z.string().nullable(),
        tree_filter: z.string().nullable(),
        start_time: z.string(),
        end_time: z.string(),
      }),
    }),
  },
  acknowledge: {
    extension,
    summary: 'Say that a user takes care of an episode: notices about it do not repeat',
    params: episodeParams,
    answer: AlertEpisode,
  },
})
