import { type AlertDefinitionInput, contract, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aReceiver, type Receiver } from '../../testing/a-receiver.ts'
import { stamp } from '../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { alerts, projects, notifications } = contract
const MINUTE = 60_000

describe.each(relationalEngines(import.meta.filename))('alerts on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let receiver: Receiver
  /** The clock of the server; tests move it. */
  let now = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000
  beforeAll(async () => {
    receiver = await aReceiver()
    relational = await open()
    app = await startApp({
      relational,
      clock: () => now,
      config: { outboundAllow: ['127.0.0.1'], publicUrl: 'https://touchstone.example' },
    })
    acme = await aWorkspace(app, 'acme')
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await receiver.close()
  })

  async function aProject() {
    const name = `p ${uuid7()}`
    const made = await app.call(projects.create, { headers: acme.headers, body: { name } })
    expect(made.status, made.text).toBe(200)
    return { id: made.body.id, name }
  }
  async function aChannel(): Promise<string> {
    const body = { name: `c ${uuid7()}`, config: { kind: 'webhook', url: `${receiver.url}/${uuid7()}` } }
    const made = await app.call(notifications.create, { headers: acme.headers, body })
    expect(made.status, made.text).toBeLessThan(300)
    return made.body.id
  }
  interface ARun {
    readonly at: number
    readonly error?: string
    readonly seconds?: number
    readonly name?: string
    readonly metadata?: Record<string, unknown>
  }
  async function send(project: string, runs: readonly ARun[]): Promise<void> {
    const post = runs.map(({ at, error, seconds = 1, name = 'answer', metadata }) => {
      const id = uuid7()
      return {
        id,
        trace_id: id,
        dotted_order: stamp(timeOfEpochMs(at)) + id,
        name,
        run_type: 'chain',
        session_name: project,
        start_time: timeOfEpochMs(at),
        end_time: timeOfEpochMs(at + seconds * 1000),
        inputs: {},
        outputs: {},
        ...(error && { error }),
        ...(metadata && { extra: { metadata } }),
      }
    })
    const answer = await app.fetch('/runs/batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...acme.headers },
      body: JSON.stringify({ post, patch: [] }),
    })
    expect(answer.status, await answer.text()).toBe(202)
  }
  /** Runs, one each ten seconds, of which some fail. */
  const feed = (from: number, minutes: number, fails: (at: number) => boolean): ARun[] =>
    Array.from({ length: minutes * 6 }, (_, at) => from + at * 10_000 + 1_000).map((at) => ({
      at,
      ...(fails(at) && { error: 'ValueError: no answer' }),
    }))
  async function anAlert(definition: AlertDefinitionInput, more: object = {}) {
    const body = { name: `alert ${uuid7()}`, definition, ...more }
    const made = await app.call(alerts.create, { headers: acme.headers, body })
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const read = async (alert_id: string) =>
    (await app.call(alerts.read, { headers: acme.headers, params: { alert_id } })).body
  const episodesOf = async (alert_id: string) => {
    const answer = await app.call(alerts.listEpisodes, { headers: acme.headers, query: { alert_id } })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.episodes
  }
  /** Moves the clock, and waits until an alert was evaluated up to it. */
  async function moveTo(at: number, ...ids: string[]): Promise<void> {
    now = at
    const end = Math.floor((at - 15_000) / MINUTE) * MINUTE
    for (const id of ids) {
      await expect
        .poll(async () => Date.parse((await read(id)).last?.at ?? ''), { timeout: 30_000 })
        .toBeGreaterThanOrEqual(end)
    }
  }
  const heard = (id: string) =>
    receiver.heard.map(({ body }) => JSON.parse(body)).filter((body) => body.alert_rule_id === id)

  it('tell an error rate once, repeat it, and tell its end', async () => {
    const project = await aProject()
    const channel = await aChannel()
    const start = now
    await send(
      project.name,
      feed(start, 40, (at) => at >= start + 10 * MINUTE && at < start + 20 * MINUTE),
    )
    const alert = await anAlert({
      project_ids: [project.id],
      metric: 'error_rate',
      window_minutes: 5,
      warning: 0.2,
      critical: 0.5,
      recovery_minutes: 0,
      renotify_minutes: 5,
      channel_ids: [channel],
    })
    await moveTo(start + 11 * MINUTE + 20_000, alert.id)
    expect(await read(alert.id)).toMatchObject({ state: 'ok', episode: null })
    await moveTo(start + 14 * MINUTE, alert.id)
    await moveTo(start + 40 * MINUTE, alert.id)
    expect(await read(alert.id)).toMatchObject({ state: 'ok', episode: null })
    const [episode, ...others] = await episodesOf(alert.id)
    expect(others).toEqual([])
    expect(episode).toMatchObject({ number: 1, state: 'critical', peak: 1 })
    expect(episode?.notices.map(({ state, is_repeated }) => `${state}${is_repeated ? ' again' : ''}`)).toEqual([
      'warning',
      'critical',
      'critical again',
      'warning',
      'ok',
    ])
    await expect.poll(() => heard(alert.id).length, { timeout: 30_000 }).toBe(5)
    expect(heard(alert.id)).toContainEqual(
      expect.objectContaining({
        alert_rule_name: alert.name,
        project_name: project.name,
        state: 'critical',
        previous_state: 'warning',
        episode: 1,
        triggered_threshold: 0.5,
        alert_rule_url: expect.stringMatching(/^https:\/\/touchstone\.example\/o\/.+\/projects\/p\/.+t=/),
      }),
    )
    expect(heard(alert.id).find(({ state }) => state === 'critical').text).toContain('answer: ')
  })

  it('go on beside one that cannot be read', async () => {
    const project = await aProject()
    const definition: AlertDefinitionInput = {
      ...{ metric: 'runs', project_ids: [project.id], kind: 'threshold', operator: 'gt', critical: 1_000 },
      ...{ window_minutes: 5, channel_ids: [] },
    }
    const broken = await anAlert(definition)
    const good = await anAlert(definition)
    await relational.db.execute(
      `update alerts set definition = replace(definition, '"runs"', '"furlongs"'), version = 2 where id = '${broken.id}'`,
    )
    await moveTo(now + 5 * MINUTE, good.id)
    const where = `select state, broken_reason from alerts where id = '${broken.id}'`
    await expect
      .poll(async () => relational.db.execute(where), { timeout: 30_000 })
      .toMatchObject({
        rows: [{ state: 'broken', broken_reason: expect.stringContaining('cannot read its definition') }],
      })
    expect((await app.call(alerts.delete, { headers: acme.headers, params: { alert_id: broken.id } })).status).toBe(204)
  })

  it('fire again after a pause, in an episode of their own', async () => {
    const project = await aProject()
    const alert = await anAlert({
      ...{ metric: 'error_rate', project_ids: [project.id], kind: 'threshold', operator: 'gt', critical: 0.5 },
      ...{ window_minutes: 5, channel_ids: [await aChannel()] },
    })
    const start = Math.ceil(now / MINUTE) * MINUTE
    await send(
      project.name,
      feed(start, 25, () => true),
    )
    await moveTo(start + 10 * MINUTE, alert.id)
    await expect.poll(() => heard(alert.id).map(({ state }) => state), { timeout: 30_000 }).toEqual(['critical'])
    const set = (is_enabled: boolean) =>
      app.call(alerts.update, { headers: acme.headers, params: { alert_id: alert.id }, body: { is_enabled } })
    expect((await set(false)).status).toBe(200)
    expect((await set(true)).status).toBe(200)
    await moveTo(start + 20 * MINUTE, alert.id)
    await expect
      .poll(() => heard(alert.id).map(({ state }) => state), { timeout: 30_000 })
      .toEqual(['critical', 'ok', 'critical'])
    expect((await episodesOf(alert.id)).map(({ number, ended_at }) => [number, ended_at === null])).toEqual([
      [2, true],
      [1, false],
    ])
  })

  it('preview the episodes that the evaluations then make', async () => {
    const project = await aProject()
    const start = Math.ceil(now / (10 * MINUTE)) * 10 * MINUTE
    const fails = (at: number) => Math.floor((at - start) / (7 * MINUTE)) % 3 === 1
    await send(project.name, feed(start, 55, fails))
    const definition: AlertDefinitionInput = {
      project_ids: [project.id],
      metric: 'error_rate',
      window_minutes: 5,
      critical: 0.6,
      for_minutes: 1,
    }
    await moveTo(start - MINUTE)
    const alert = await anAlert(definition)
    for (let minute = 4; minute <= 55; minute += 17) await moveTo(start + minute * MINUTE, alert.id)
    const preview = await app.call(alerts.preview, { headers: acme.headers, body: { definition, days: 1 } })
    expect(preview.status, preview.text).toBe(200)
    const made = (await episodesOf(alert.id)).toReversed()
    expect(made.length).toBeGreaterThan(1)
    expect(preview.body.episodes).toEqual(
      made.map(({ number, state, started_at, ended_at, peak, peak_at, peak_group }) => ({
        number,
        state,
        started_at,
        ended_at,
        peak,
        peak_at,
        peak_group,
      })),
    )
    const points = await app.call(alerts.points, {
      headers: acme.headers,
      params: { alert_id: alert.id },
      query: { from: timeOfEpochMs(start), to: timeOfEpochMs(now) },
    })
    const shown = new Map(preview.body.points.map((point) => [point.at, point]))
    expect(points.body.points.length).toBeGreaterThan(40)
    const common = points.body.points.filter(({ at }) => shown.has(at))
    expect(common.length).toBeGreaterThan(0)
    for (const point of common) expect(point).toEqual(shown.get(point.at))
  })

  it('tell that runs stopped, not that there were none before', async () => {
    const project = await aProject()
    const start = Math.ceil(now / (10 * MINUTE)) * 10 * MINUTE
    await moveTo(start)
    const alert = await anAlert({
      project_ids: [project.id],
      metric: 'error_rate',
      window_minutes: 5,
      critical: 0.5,
      no_data: 'alert',
    })
    await moveTo(start + 4 * MINUTE + 20_000, alert.id)
    expect(await read(alert.id)).toMatchObject({ state: 'ok', last: { count: 0, level: 'no_data' } })
    await send(
      project.name,
      feed(start + 4 * MINUTE, 4, () => false),
    )
    await moveTo(start + 10 * MINUTE, alert.id)
    expect(await read(alert.id)).toMatchObject({ state: 'ok', last: { level: 'ok' } })
    await moveTo(start + 14 * MINUTE, alert.id)
    expect(await read(alert.id)).toMatchObject({ state: 'no_data', episode: 1 })
    await app.call(alerts.update, {
      headers: acme.headers,
      params: { alert_id: alert.id },
      body: { is_enabled: false },
    })
    expect(await read(alert.id)).toMatchObject({ state: 'paused', episode: null })
    expect(await episodesOf(alert.id)).toMatchObject([{ number: 1, ended_at: expect.any(String) }])
  })

  it('watch each group, and compare with the window before', async () => {
    const project = await aProject()
    const start = Math.ceil(now / (10 * MINUTE)) * 10 * MINUTE
    await moveTo(start)
    const slow = await anAlert({
      project_ids: [project.id],
      metric: 'latency',
      statistic: 'max',
      window_minutes: 5,
      critical: 10,
      group_by: { attribute: 'metadata', path: 'user_id' },
    })
    const more = await anAlert({
      project_ids: [project.id],
      metric: 'runs',
      kind: 'change',
      window_minutes: 5,
      warning: 2,
      min_count: 5,
    })
    const user = (user_id: string) => ({ metadata: { user_id } })
    await send(project.name, [
      ...feed(start + 1_000, 5, () => false).map((run) => ({ ...run, ...user('ada') })),
      ...feed(start + 5 * MINUTE, 5, () => false).map((run) => ({ ...run, ...user('ada') })),
      ...feed(start + 5 * MINUTE + 100, 5, () => false).map((run) => ({ ...run, ...user('eve'), seconds: 30 })),
      ...feed(start + 5 * MINUTE + 200, 5, () => false).map((run) => ({ ...run, ...user('ada') })),
    ])
    await moveTo(start + 10 * MINUTE + 30_000, slow.id, more.id)
    expect(await read(slow.id)).toMatchObject({ state: 'critical', last: { group: 'eve', value: 30, count: 30 } })
    expect(await read(more.id)).toMatchObject({ state: 'warning', last: { value: 90, usual: 30, warning: 60 } })
    const episode = await app.call(alerts.readEpisode, {
      headers: acme.headers,
      params: { alert_id: slow.id, number: '1' },
    })
    expect(episode.body.groups.map(({ group }) => group).sort()).toEqual(['ada', 'eve'])
    const taken = await app.call(alerts.acknowledge, {
      headers: acme.headers,
      params: { alert_id: slow.id, number: '1' },
    })
    expect(taken.body).toMatchObject({ acknowledged_by: 'key of acme', acknowledged_at: expect.any(String) })
  })

  it('find what is unusual for an hour of the week', async () => {
    const project = await aProject()
    const hour = Math.ceil(now / 3_600_000) * 3_600_000
    const week = 7 * 24 * 3_600_000
    for (const weeks of [1, 2, 3]) {
      await send(
        project.name,
        feed(hour - weeks * week - 10 * MINUTE, 70, () => false),
      )
    }
    await send(
      project.name,
      feed(hour, 20, () => false).flatMap((run) => [run, run, run]),
    )
    await moveTo(hour - 5 * MINUTE)
    const definition: AlertDefinitionInput = {
      project_ids: [project.id],
      metric: 'runs',
      kind: 'anomaly',
      window_minutes: 5,
    }
    const alert = await anAlert(definition)
    await moveTo(hour + 10 * MINUTE + 30_000, alert.id)
    expect(await read(alert.id)).toMatchObject({
      state: 'critical',
      notice: null,
      last: { value: 90, usual: 30, warning: 34.5, critical: 37.5 },
    })
    const other = await aProject()
    const fresh = await anAlert({ ...definition, project_ids: [other.id] })
    await moveTo(hour + 12 * MINUTE + 30_000, fresh.id)
    expect(await read(fresh.id)).toMatchObject({ state: 'ok', notice: expect.stringContaining('no usual value yet') })
  })

  it('end with their project', async () => {
    const [one, two] = [await aProject(), await aProject()]
    const definition: AlertDefinitionInput = { project_ids: [one.id], metric: 'runs', window_minutes: 5, critical: 1 }
    const alone = await anAlert(definition)
    const both = await anAlert({ ...definition, project_ids: [one.id, two.id] })
    const deleted = await app.call(projects.delete, { headers: acme.headers, params: { session_id: one.id } })
    expect(deleted.status, deleted.text).toBeLessThan(300)
    const gone = await app.call(alerts.read, { headers: acme.headers, params: { alert_id: alone.id } })
    expect(gone.status).toBe(404)
    expect((await read(both.id)).definition.project_ids).toEqual([two.id])
  })

  it('refuse what cannot be evaluated', async () => {
    const project = await aProject()
    const create = (definition: object) =>
      app.call(alerts.create, { headers: acme.headers, body: { name: uuid7(), definition } })
    const good = { project_ids: [project.id], metric: 'latency', window_minutes: 5, critical: 3 }
    for (const [wrong, message] of [
      [{ filter: 'eq(' }, 'filter'],
      [{ project_ids: [uuid7()] }, 'Project not found'],
      [{ channel_ids: [uuid7()] }, 'Notification channel not found'],
      [{ statistic: 'sum' }, 'statistic'],
      [{ critical: null }, 'give a warning level'],
      [{ warning: 5 }, 'is reached before'],
      [{ window_minutes: 10_081 }, 'window_minutes'],
    ] as const) {
      const answer = await create({ ...good, ...wrong })
      expect(answer.status, JSON.stringify(wrong)).toBe(400)
      expect(answer.text).toContain(message)
    }
    const made = await create(good)
    const params = { alert_id: made.body.id }
    const renamed = await app.call(alerts.update, {
      headers: acme.headers,
      params,
      body: { definition: { ...good, critical: 4 }, expected_version: 1 },
    })
    expect(renamed.body).toMatchObject({ version: 2 })
    const late = await app.call(alerts.update, { headers: acme.headers, params, body: { expected_version: 1 } })
    expect(late.status).toBe(409)
    const reader = await app.call(alerts.delete, { headers: acme.readOnlyHeaders, params })
    expect(reader.status).toBe(403)
  })
})
