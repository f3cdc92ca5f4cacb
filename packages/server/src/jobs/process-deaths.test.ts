import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Relational } from '../storage/relational/port.ts'
import { everyRelationalEngine } from '../testing/relational-engines.ts'
import { type JobOptions, type Jobs, openJobs } from './open-jobs.ts'
import { openProcessDeaths } from './process-deaths.ts'

const log = pino({ level: 'silent' })
const WORK = { queue: 'work', subject: 'one' }
const OTHER = { queue: 'work', subject: 'two' }

describe.each(everyRelationalEngine)('deaths of processes on %s', (_name, openRelational) => {
  let relational: Relational
  let closed: (() => Promise<void>)[]
  beforeAll(async () => {
    relational = await openRelational()
  })
  beforeEach(async () => {
    await relational.runScript('delete from pgboss.job; delete from jobs_under_way; delete from job_deaths')
    closed = []
  })
  afterEach(() => Promise.all(closed.map((close) => close())))
  afterAll(() => relational.close())

  const startProcess = () => {
    const deaths = openProcessDeaths(relational, log)
    closed.push(() => deaths.close())
    return deaths
  }
  /** What a killed process leaves behind is not renewed. */
  const wait = () => relational.runScript(`update jobs_under_way set alive_until = now() - interval '1 second'`)
  const begin = (subject: typeof WORK, deaths = startProcess()) => deaths.begin({ ...subject, job: randomUUID() })
  const FIRST = { mayBegin: true, isNews: false }
  const AGAIN = { mayBegin: true, isNews: true }

  it('stop the work that was under way at two, and no other', async () => {
    expect(await begin(WORK)).toEqual(FIRST)
    expect(await begin(OTHER)).toEqual(FIRST)
    await wait()
    expect(await begin(WORK)).toEqual(AGAIN)
    await wait()
    expect(await begin(WORK)).toEqual({ mayBegin: false, isNews: true })
    expect(await begin(WORK)).toEqual({ mayBegin: false, isNews: false })
    expect(await begin(OTHER)).toEqual(AGAIN)
  })

  it('are forgotten when a user asks for the work again', async () => {
    for (let death = 0; death < 2; death++) {
      await begin(WORK)
      await wait()
    }
    const deaths = startProcess()
    expect(await begin(WORK, deaths)).toMatchObject({ mayBegin: false })
    await deaths.forget(relational.db, WORK)
    expect(await begin(WORK, deaths)).toEqual(FIRST)
    await wait()
    expect(await begin(WORK)).toEqual(AGAIN)
  })

  it('count once for all jobs of the same work', async () => {
    const deaths = startProcess()
    await begin(WORK, deaths)
    await begin(WORK, deaths)
    await wait()
    expect(await begin(WORK)).toEqual(AGAIN)
  })

  it('do not count when the process stops in order, or when work ends before', async () => {
    for (let stop = 0; stop < 3; stop++) {
      const deaths = startProcess()
      expect(await begin(WORK, deaths)).toEqual(FIRST)
      const job = { ...OTHER, job: randomUUID() }
      await deaths.begin(job)
      await deaths.end(job, stop > 1)
      await deaths.close()
      await wait()
    }
    expect(await begin(WORK)).toEqual(FIRST)
    expect(await begin(OTHER)).toEqual(FIRST)
  })

  it('count again from the first after work that was done, and on after work that failed', async () => {
    for (const isDone of [false, true]) {
      const subject = { queue: 'work', subject: String(isDone) }
      await begin(subject)
      await wait()
      const deaths = startProcess()
      const job = { ...subject, job: randomUUID() }
      await deaths.begin(job)
      await deaths.end(job, isDone)
      await begin(subject, deaths)
      await wait()
      expect(await begin(subject)).toEqual({ mayBegin: isDone, isNews: true })
    }
  })

  it('do not count together when a day is between them', async () => {
    await begin(WORK)
    await wait()
    await begin(WORK)
    await wait()
    await relational.runScript(`update job_deaths set last_at = now() - interval '25 hours'`)
    expect(await begin(WORK)).toEqual(AGAIN)
  })

  it('count after an uncaught exception, although the server stops in order', async () => {
    const deaths = startProcess()
    await begin(WORK, deaths)
    process.emit('uncaughtExceptionMonitor', new Error('the work fails'))
    await deaths.close()
    await wait()
    expect(await begin(WORK)).toEqual(AGAIN)
  })

  it('are only those of other processes that no longer renew what they do', async () => {
    await begin(WORK)
    // An embedded store has one process, so the other one is dead.
    const isOneProcess = relational.engine === 'pglite'
    expect(await begin(WORK)).toEqual(isOneProcess ? AGAIN : FIRST)
    expect(await begin(WORK)).toEqual(isOneProcess ? { mayBegin: false, isNews: true } : FIRST)
  })

  describe('in the queue', () => {
    interface JobData {
      readonly id: string
      readonly part: number
    }
    let jobs: Jobs
    let heard: string[]
    const start = async (options: JobOptions<JobData>) => {
      heard = []
      jobs = openJobs({ relational, log, config: { roles: ['api', 'worker'] } })
      closed.push(() => jobs.close())
      const work = jobs.define<JobData>('work', async ({ id, part }) => void heard.push(`${id}${part}`), options)
      await jobs.start()
      return work
    }
    const killTwice = () =>
      relational.runScript(`
        insert into jobs_under_way (process, job, queue, subject, alive_until)
        select gen_random_uuid(), gen_random_uuid(), 'work', 'a', now() - interval '1 second' from generate_series(1, 2)`)
    const states = () =>
      relational.runScript(`select state, count(*)::int as n from pgboss.job where name = 'work' group by state`)

    it('give work up until it is sent as fresh', async () => {
      await killTwice()
      const options = { subject: 'id', giveUp: async ({ id }: JobData) => void heard.push(`gave up ${id}`) } as const
      const work = await start(options)
      await work.send({ id: 'a', part: 1 })
      await work.send({ id: 'b', part: 1 })
      await expect.poll(() => heard.toSorted(), { timeout: 20_000 }).toEqual(['b1', 'gave up a'])
      await expect.poll(states, { timeout: 20_000 }).toEqual([{ state: 'completed', n: 2 }])
      await work.send({ id: 'a', part: 2 })
      await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBe('gave up a')
      await work.send({ id: 'a', part: 3 }, { isFresh: true })
      await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBe('a3')
    })

    it('let a later job of work that cannot be given up try once', async () => {
      await killTwice()
      const work = await start({ subject: 'id' })
      await work.send({ id: 'a', part: 1 })
      await expect.poll(states, { timeout: 20_000 }).toEqual([{ state: 'completed', n: 1 }])
      expect(heard).toEqual([])
      await work.send({ id: 'a', part: 2 })
      await expect.poll(() => heard, { timeout: 20_000 }).toEqual(['a2'])
    })
  })
})
