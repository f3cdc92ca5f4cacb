import type { AlertFiringState, AlertLevel, AlertState } from '@touchstone/contract'

/** Worse levels have higher ranks. */
export const RANKS: Readonly<Record<AlertLevel, number>> = { ok: 0, warning: 1, no_data: 2, critical: 3 }
const FIRING: readonly AlertFiringState[] = ['critical', 'no_data', 'warning']

/** The stay in a firing state that lasts. Times are milliseconds since 1970. */
export interface OpenEpisode {
  readonly number: number
  readonly startedAt: number
  readonly state: AlertFiringState
  /** The worst state so far. */
  readonly worst: AlertFiringState
  readonly peak: Peak | null
  /** What the last notice notified; null before the first one. */
  readonly notified: AlertFiringState | null
  readonly notifiedAt: number | null
  /** Notices so far. */
  readonly notices: number
}

export interface Peak {
  readonly value: number
  readonly at: number
  readonly group: string | null
}

/** All that the next step needs. It is stored as JSON. */
export interface Progress {
  readonly state: Exclude<AlertState, 'paused'>
  readonly since: number
  /** Since when evaluations were at this level or a worse one. */
  readonly reached: Readonly<Partial<Record<AlertFiringState, number>>>
  /** Since when evaluations were better than the state, and the worst of them. */
  readonly easing: { readonly since: number; readonly to: AlertLevel } | null
  readonly episode: OpenEpisode | null
  /** Number of the last episode. */
  readonly episodes: number
}

/** What an alert states about the steps. */
export interface Policy {
  readonly forMs: number
  readonly recoveryMs: number
  readonly noData: 'ok' | 'keep' | 'alert'
  readonly renotifyMs: number | null
  readonly isAcknowledged: boolean
  /** Muted, or in quiet hours. */
  isSilent(at: number): boolean
  /** Whether a value is further beyond the levels than another one. */
  isFurther(value: number, than: number): boolean
}

/** An evaluation, or why there was none. */
export type Input =
  | { readonly at: number; readonly level: AlertLevel; readonly value: number | null; readonly group: string | null }
  | { readonly at: number; readonly broken: string }

/** What people have to be notified. */
export interface Notified {
  readonly at: number
  readonly state: AlertFiringState | 'ok' | 'broken' | 'mended'
  readonly previous: AlertFiringState | 'ok'
  /** The episode as it was notified; null for `broken` and `mended`. */
  readonly episode: OpenEpisode | null
  readonly isRepeated: boolean
}

export interface Stepped {
  readonly progress: Progress
  readonly notified: Notified | null
  /** An episode that ended with this step. */
  readonly ended: OpenEpisode | null
}

export function begin(at: number, episodes = 0): Progress {
  return { state: 'ok', since: at, reached: {}, easing: null, episode: null, episodes }
}

/** One evaluation further. It depends on its arguments alone. */
export function step(before: Progress, policy: Policy, input: Input): Stepped {
  if ('broken' in input) return breakDown(before, policy, input.at)
  const isMended = before.state === 'broken'
  const stepped: Progress = isMended ? { ...before, state: before.episode?.state ?? 'ok', since: input.at } : before
  const after =
    input.level === 'no_data' && policy.noData === 'keep'
      ? notify(stepped, policy, input.at)
      : move(stepped, policy, input)
  if (!isMended || after.notified !== null) return after
  return { ...after, notified: { at: input.at, state: 'mended', previous: 'ok', episode: null, isRepeated: false } }
}

function breakDown(before: Progress, policy: Policy, at: number): Stepped {
  if (before.state === 'broken') return { progress: before, notified: null, ended: null }
  const notified = { at, state: 'broken', previous: 'ok', episode: null, isRepeated: false } as const
  return {
    progress: { ...before, state: 'broken', since: at },
    notified: policy.isSilent(at) ? null : notified,
    ended: null,
  }
}

interface Evaluation {
  readonly at: number
  readonly level: AlertLevel
  readonly value: number | null
  readonly group: string | null
}

function move(before: Progress, policy: Policy, given: Evaluation): Stepped {
  const level = given.level === 'no_data' && policy.noData === 'ok' ? 'ok' : given.level
  const { at } = given
  const reached = noteReached(before.reached, level, at)
  const current: AlertLevel = before.episode?.state ?? 'ok'
  const worse = FIRING.find(
    (state) => RANKS[state] > RANKS[current] && reached[state] !== undefined && at - reached[state] >= policy.forMs,
  )
  const easing = worse === undefined ? noteEasing(before.easing, level, current, at) : null
  const isEased = easing !== null && at - easing.since >= policy.recoveryMs
  const next = worse ?? (isEased ? easing.to : current)
  const progress = { ...before, reached, easing: isEased ? null : easing }
  if (next === 'ok') return close(progress, at)
  return notify(enter(progress, policy, { ...given, level }, next), policy, at)
}

function noteReached(before: Progress['reached'], level: AlertLevel, at: number): Progress['reached'] {
  const lasting = FIRING.filter((state) => RANKS[level] >= RANKS[state])
  return Object.fromEntries(lasting.map((state) => [state, before[state] ?? at]))
}

function noteEasing(
  before: Progress['easing'],
  level: AlertLevel,
  current: AlertLevel,
  at: number,
): Progress['easing'] {
  if (RANKS[level] >= RANKS[current]) return null
  if (before === null) return { since: at, to: level }
  return { since: before.since, to: RANKS[level] > RANKS[before.to] ? level : before.to }
}

/** Begins an episode, or goes on with it. */
function enter(
  before: Progress,
  policy: Policy,
  { at, level, value, group }: Evaluation,
  state: AlertFiringState,
): Progress {
  const number = before.episodes + 1
  const episode: OpenEpisode = before.episode ?? {
    number,
    startedAt: at,
    state,
    worst: state,
    peak: null,
    notified: null,
    notifiedAt: null,
    notices: 0,
  }
  const isPeak =
    value !== null && RANKS[level] > 0 && (episode.peak === null || policy.isFurther(value, episode.peak.value))
  return {
    ...before,
    state,
    since: before.state === state ? before.since : at,
    episodes: episode.number,
    episode: {
      ...episode,
      state,
      worst: RANKS[state] > RANKS[episode.worst] ? state : episode.worst,
      peak: isPeak ? { value, at, group } : episode.peak,
    },
  }
}

/** Ends the episode, if there is one. Its end is notified whenever the episode was, also in quiet hours, so that incidents close. */
function close(before: Progress, at: number): Stepped {
  const state = Object.keys(before.reached).length > 0 ? 'pending' : 'ok'
  const since = before.state === state ? before.since : at
  const ended = before.episode
  const notified =
    ended?.notified == null
      ? null
      : ({
          at,
          state: 'ok',
          previous: ended.notified,
          episode: { ...ended, notices: ended.notices + 1 },
          isRepeated: false,
        } as const)
  return {
    progress: { ...before, state, since, episode: null, easing: null },
    notified,
    ended: notified?.episode ?? ended,
  }
}

/** Ends what an alert has open, because it is paused or deleted. */
export function end(before: Progress, at: number): Stepped {
  return close({ ...before, reached: {} }, at)
}

/** Decides whether a notice is due. What was silent is notified as soon as it may be. */
function notify(progress: Progress, policy: Policy, at: number): Stepped {
  const { episode } = progress
  if (episode === null || policy.isSilent(at)) return { progress, notified: null, ended: null }
  const isNew = episode.notified !== episode.state
  const isRepeated =
    !isNew &&
    policy.renotifyMs !== null &&
    !policy.isAcknowledged &&
    at - (episode.notifiedAt ?? at) >= policy.renotifyMs
  if (!isNew && !isRepeated) return { progress, notified: null, ended: null }
  const after: OpenEpisode = { ...episode, notified: episode.state, notifiedAt: at, notices: episode.notices + 1 }
  return {
    progress: { ...progress, episode: after },
    notified: { at, state: episode.state, previous: episode.notified ?? 'ok', episode: after, isRepeated },
    ended: null,
  }
}
