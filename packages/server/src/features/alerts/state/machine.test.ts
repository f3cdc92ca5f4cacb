import type { AlertLevel } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { begin, end, type Notified, type Policy, type Progress, step } from './machine.ts'

const MINUTE = 60_000

const POLICY: Policy = {
  forMs: 0,
  recoveryMs: 0,
  noData: 'alert',
  renotifyMs: null,
  isAcknowledged: false,
  isSilent: () => false,
  isFurther: (value, than) => value > than,
}

interface Played {
  readonly states: readonly string[]
  /** `minute previous>state`, with `*` for a repeated notice. */
  readonly notified: readonly string[]
  readonly progress: Progress
  readonly notices: readonly Notified[]
}

type Step = AlertLevel | 'broken'

/** One evaluation each minute; the value is the number of the minute. */
function play(levels: readonly Step[], policy: Partial<Policy> = {}, from: Progress = begin(0)): Played {
  let progress = from
  const states: string[] = []
  const notices: Notified[] = []
  for (const [minute, level] of levels.entries()) {
    const at = minute * MINUTE
    const input = level === 'broken' ? { at, broken: 'no filter' } : { at, level, value: minute, group: null }
    const stepped = step(progress, { ...POLICY, ...policy }, input)
    progress = stepped.progress
    states.push(progress.state)
    if (stepped.notified) notices.push(stepped.notified)
  }
  const notified = notices.map(
    ({ at, previous, state, isRepeated }) => `${at / MINUTE} ${previous}>${state}${isRepeated ? '*' : ''}`,
  )
  return { states, notified, progress, notices }
}

const repeat = (level: Step, times: number): Step[] => Array(times).fill(level)

describe('the states of an alert', () => {
  const TABLE: readonly {
    readonly name: string
    readonly levels: readonly Step[]
    readonly policy?: Partial<Policy>
    readonly states: readonly string[]
    readonly notified: readonly string[]
  }[] = [
    { name: 'ok stays ok and tells nothing', levels: ['ok', 'ok'], states: ['ok', 'ok'], notified: [] },
    { name: 'ok becomes warning', levels: ['ok', 'warning'], states: ['ok', 'warning'], notified: ['1 ok>warning'] },
    {
      name: 'ok becomes critical',
      levels: ['ok', 'critical'],
      states: ['ok', 'critical'],
      notified: ['1 ok>critical'],
    },
    {
      name: 'warning becomes critical within the same episode',
      levels: ['warning', 'critical'],
      states: ['warning', 'critical'],
      notified: ['0 ok>warning', '1 warning>critical'],
    },
    {
      name: 'critical eases to warning, then to ok',
      levels: ['critical', 'warning', 'ok'],
      states: ['critical', 'warning', 'ok'],
      notified: ['0 ok>critical', '1 critical>warning', '2 warning>ok'],
    },
    {
      name: 'a worse level is pending until it has lasted',
      levels: ['critical', 'critical', 'critical'],
      policy: { forMs: 2 * MINUTE },
      states: ['pending', 'pending', 'critical'],
      notified: ['2 ok>critical'],
    },
    {
      name: 'pending goes back to ok without a notice',
      levels: ['critical', 'ok', 'critical'],
      policy: { forMs: 2 * MINUTE },
      states: ['pending', 'ok', 'pending'],
      notified: [],
    },
    {
      name: 'a level that changes between warning and critical counts as warning',
      levels: ['warning', 'critical', 'warning', 'critical'],
      policy: { forMs: 2 * MINUTE },
      states: ['pending', 'pending', 'warning', 'warning'],
      notified: ['2 ok>warning'],
    },
    {
      name: 'the way back lasts for the time of recovery',
      levels: ['critical', 'ok', 'ok', 'ok'],
      policy: { recoveryMs: 2 * MINUTE },
      states: ['critical', 'critical', 'critical', 'ok'],
      notified: ['0 ok>critical', '3 critical>ok'],
    },
    {
      name: 'a relapse begins the recovery again',
      levels: ['critical', 'ok', 'critical', 'ok', 'ok', 'ok'],
      policy: { recoveryMs: 2 * MINUTE },
      states: ['critical', 'critical', 'critical', 'critical', 'critical', 'ok'],
      notified: ['0 ok>critical', '5 critical>ok'],
    },
    {
      name: 'recovery ends at the worst level within it',
      levels: ['critical', 'ok', 'warning', 'ok'],
      policy: { recoveryMs: 2 * MINUTE },
      states: ['critical', 'critical', 'critical', 'warning'],
      notified: ['0 ok>critical', '3 critical>warning'],
    },
    {
      name: 'missing data alerts when it is wanted',
      levels: ['ok', 'no_data', 'ok'],
      states: ['ok', 'no_data', 'ok'],
      notified: ['1 ok>no_data', '2 no_data>ok'],
    },
    {
      name: 'missing data is ok when it is wanted',
      levels: ['critical', 'no_data'],
      policy: { noData: 'ok' },
      states: ['critical', 'ok'],
      notified: ['0 ok>critical', '1 critical>ok'],
    },
    {
      name: 'missing data keeps the state when it is wanted',
      levels: ['critical', 'no_data', 'no_data', 'ok'],
      policy: { noData: 'keep' },
      states: ['critical', 'critical', 'critical', 'ok'],
      notified: ['0 ok>critical', '3 critical>ok'],
    },
    {
      name: 'missing data becomes critical when runs are back and bad',
      levels: ['no_data', 'critical'],
      states: ['no_data', 'critical'],
      notified: ['0 ok>no_data', '1 no_data>critical'],
    },
    {
      name: 'a broken alert explains it once, and goes on in its episode when it is mended',
      levels: ['critical', 'broken', 'broken', 'critical', 'ok'],
      states: ['critical', 'broken', 'broken', 'critical', 'ok'],
      notified: ['0 ok>critical', '1 ok>broken', '3 ok>mended', '4 critical>ok'],
    },
    {
      name: 'notices repeat after the set time',
      levels: repeat('critical', 6),
      policy: { renotifyMs: 2 * MINUTE },
      states: repeat('critical', 6),
      notified: ['0 ok>critical', '2 critical>critical*', '4 critical>critical*'],
    },
    {
      name: 'an acknowledged episode does not repeat, but tells what gets worse and its end',
      levels: ['warning', 'warning', 'warning', 'critical', 'ok'],
      policy: { renotifyMs: MINUTE, isAcknowledged: true },
      states: ['warning', 'warning', 'warning', 'critical', 'ok'],
      notified: ['0 ok>warning', '3 warning>critical', '4 critical>ok'],
    },
    {
      name: 'what lasts after a silent time is notified then',
      levels: repeat('critical', 4),
      policy: { isSilent: (at) => at < 2 * MINUTE },
      states: repeat('critical', 4),
      notified: ['2 ok>critical'],
    },
    {
      name: 'what ends within a silent time is never notified',
      levels: ['critical', 'ok', 'ok'],
      policy: { isSilent: (at) => at < 2 * MINUTE },
      states: ['critical', 'ok', 'ok'],
      notified: [],
    },
    {
      name: 'the end of a notified episode is notified in a silent time, too',
      levels: ['critical', 'ok'],
      policy: { isSilent: (at) => at >= MINUTE },
      states: ['critical', 'ok'],
      notified: ['0 ok>critical', '1 critical>ok'],
    },
  ]

  for (const { name, levels, policy, states, notified } of TABLE) {
    it(name, () => {
      const played = play(levels, policy)
      expect(played.states).toEqual(states)
      expect(played.notified).toEqual(notified)
    })
  }

  it('count episodes, and keep the worst state and the peak of each', () => {
    const played = play(['warning', 'critical', 'warning', 'ok', 'warning'])
    expect(played.notices[2]?.episode).toMatchObject({ number: 1, worst: 'critical', peak: { value: 2 }, notices: 3 })
    expect(played.progress.episode).toMatchObject({ number: 2, worst: 'warning', startedAt: 4 * MINUTE })
  })

  it('end with the episode when the alert is paused', () => {
    const { progress } = play(['critical'])
    const ended = end(progress, MINUTE)
    expect(ended.progress).toMatchObject({ state: 'ok', episode: null, episodes: 1 })
    expect(ended.notified).toMatchObject({ state: 'ok', previous: 'critical' })
    expect(ended.ended).toMatchObject({ number: 1 })
  })
})
