import { AsyncLocalStorage } from 'node:async_hooks'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '../settings.ts'
import type { Relational } from '../storage/relational/port.ts'
import { everyRelationalEngine } from '../testing/relational-engines.ts'
import { type Jobs, openJobs } from './open-jobs.ts'

interface JobData {
  readonly word: string
}

describe.each(everyRelationalEngine)('jobs on %s', (_name, openRelational) => {
  let relational: Relational
  let opened: Jobs[]
  beforeAll(async () => {
    relational = await openRelational()
  })
  beforeEach(async () => {
    await relational.runScript('delete from pgboss.job; delete from jobs_under_way; delete from job_deaths')
    opened = []
  })
  afterEach(() => Promise.all(opened.map((jobs) => jobs.close())))
  afterAll(() => relational.close())
  const open = (roles: readonly Role[] = ['api', 'worker'], store = relational) => {
    const jobs = openJobs({ relational: store, log: pino({ level: 'silent' }), config: { roles } })
    opened.push(jobs)
    return jobs
  }

  it('run once with the data that was sent', async () => {
    const jobs = open()
    const heard: string[] = []
    const say = jobs.define<JobData>('say', async ({ word }) => void heard.push(word), { atOnce: 3 })
    await jobs.start()
    for (const word of ['a', 'b', 'c', 'd', 'e']) await say.send({ word })
    await expect.poll(() => heard.toSorted().join(''), { timeout: 10_000 }).toBe('abcde')
  })

  it('wait once when they are sent as unique', async () => {
    const jobs = open(['api'])
    const say = jobs.define<JobData>('say', async () => undefined)
    await jobs.start()
    const id = await say.send({ word: 'a' })
    expect(await say.send({ word: 'a' }, { isUnique: true })).toBe(id)
    expect(await say.send({ word: 'b' }, { isUnique: true })).not.toBe(id)
    expect(await say.send({ word: 'a' })).not.toBe(id)
  })

  it('run outside the context of the request that sent them', async () => {
    const request = new AsyncLocalStorage<string>()
    const jobs = open()
    const heard: (string | undefined)[] = []
    const say = jobs.define<JobData>('say', async () => void heard.push(request.getStore()))
    await jobs.start()
    await request.run('a request', () => say.send({ word: 'a' }))
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([undefined])
  })

  it('begin although the database failed after the start', async () => {
    let failures = 2
    const runScript: Relational['runScript'] = async (text) => {
      if (text.includes('least(start_after') && failures-- > 0) throw new Error('the connection was lost')
      return await relational.runScript(text)
    }
    const jobs = open(undefined, { ...relational, runScript })
    const runs: string[] = []
    jobs.define('tick', async (_, { id }) => void runs.push(id), { everySeconds: 3600 })
    await jobs.start()
    await expect.poll(() => [runs.length, failures], { timeout: 10_000 }).toEqual([1, -1])
  })

  it('are retried up to the maximum number of tries', async () => {
    const jobs = open()
    const tries: [number, boolean][] = []
    const fail = jobs.define<JobData>(
      'fail',
      async (_, { retries, isLastTry }) => {
        tries.push([retries, isLastTry])
        throw new Error('no')
      },
      { retryLimit: 2, retryDelaySeconds: 0 },
    )
    await jobs.start()
    await fail.send({ word: 'x' })
    const all = [
      [0, false],
      [1, false],
      [2, true],
    ]
    await expect.poll(() => tries, { timeout: 10_000 }).toEqual(all)
    const states = () => relational.runScript(`select state from pgboss.job where name = 'fail'`)
    await expect.poll(states, { timeout: 10_000 }).toEqual([{ state: 'failed' }])
  })

  it('begin at once after the commit of their transaction', async () => {
    const jobs = open()
    const heard: string[] = []
    const say = jobs.define<JobData>('say', async ({ word }) => void heard.push(word))
    say.begin() // before the start, which has no effect
    await jobs.start()
    await relational.transaction((tx) => say.send({ word: 'done' }, { tx }))
    say.begin()
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['done'])
  })

  const fair = { atOnce: 1, fairBy: 'owner' } as const

  it('of one owner do not hold up those of others', async () => {
    type Owned = { readonly owner: string; readonly word: string }
    const sender = open(['api'])
    const work = sender.define<Owned>('fair', async () => expect.unreachable(), fair)
    await sender.start()
    for (const word of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) await work.send({ owner: word[0]!, word })
    const heard: string[] = []
    const worker = open(['worker'])
    worker.define<Owned>('fair', async ({ word }) => void heard.push(word), fair)
    await worker.start()
    await expect.poll(() => heard.join(' '), { timeout: 20_000 }).toBe('a1 b1 c1 a2 c2 a3 a4')
  })

  it('give way one after the other when another owner waits', async () => {
    const jobs = open()
    const heard: string[] = []
    let isOver = false
    const work = jobs.define<{ owner: string; word: string }>(
      'hold',
      async ({ word }, run) => {
        heard.push(word)
        while (!isOver && !run.signal.aborted) {
          if (await run.mustGiveWay()) return void heard.push(`${word} gave way`)
          // Pause: looks again until the test is over.
          await new Promise((resume) => setTimeout(resume, 20))
        }
      },
      { atOnce: 3, fairBy: 'owner' },
    )
    await jobs.start()
    for (const word of ['a1', 'a2', 'a3', 'a4']) await work.send({ owner: 'a', word })
    await expect.poll(() => heard, { timeout: 10_000 }).toHaveLength(3)
    await work.send({ owner: 'b', word: 'b1' })
    await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBe('b1')
    expect(heard).toHaveLength(5)
    isOver = true
    await expect.poll(() => heard, { timeout: 20_000 }).toHaveLength(6)
  })

  it('do not wait for the time of a clock that was set back', async () => {
    const sender = open(['api'])
    const heard: string[] = []
    const say = sender.define<JobData>('say', async () => expect.unreachable())
    await sender.start()
    await say.send({ word: 'now' })
    await say.send({ word: 'later' }, { afterSeconds: 2 })
    await say.send({ word: 'in a day' }, { afterSeconds: 86_400 })
    await relational.runScript(`
      update pgboss.job
      set created_on = created_on + interval '1 hour', start_after = start_after + interval '1 hour'
      where name = 'say'`)
    const worker = open(['worker'])
    worker.define<JobData>('say', async ({ word }) => void heard.push(word))
    await worker.start()
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['now', 'later'])
  })

  it('are not begun a second time while they run', async () => {
    const jobs = open()
    const heard: string[] = []
    let end = () => {}
    const hold = jobs.define<JobData>(
      'hold',
      async ({ word }) => {
        heard.push(word)
        if (word === 'long') await new Promise<void>((resolve) => (end = resolve))
      },
      { atOnce: 2, retryDelaySeconds: 0 },
    )
    await jobs.start()
    const id = await hold.send({ word: 'long' })
    await expect.poll(() => heard).toEqual(['long'])
    // As after a timeout, which comes early when the clock of the database is set forward.
    await relational.runScript(`update pgboss.job set state = 'retry' where id = '${id}'`)
    await hold.send({ word: 'short' })
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['long', 'short'])
    const readState = async () => (await relational.runScript(`select state from pgboss.job where id = '${id}'`))[0]
    await expect.poll(readState).toEqual({ state: 'active' })
    end()
    await expect.poll(readState).toEqual({ state: 'completed' })
    expect(heard).toEqual(['long', 'short'])
  })

  it('are given back when the database answers again', async () => {
    let isAway = false
    const db = new Proxy(relational.db, {
      get: (target, name) => (isAway && name === 'execute' ? away : Reflect.get(target, name, target)),
    })
    const away = () => Promise.reject(new Error('the connection was lost'))
    const jobs = open(undefined, { ...relational, db })
    const tries: number[] = []
    const fail = jobs.define<JobData>(
      'fail',
      async (_, { retries }) => {
        tries.push(retries)
        isAway = retries === 0
        if (isAway) throw new Error('no')
      },
      { retryDelaySeconds: 0 },
    )
    await jobs.start()
    await fail.send({ word: 'x' })
    await expect.poll(() => isAway, { timeout: 10_000 }).toBe(true)
    isAway = false
    await expect.poll(() => tries, { timeout: 20_000 }).toEqual([0, 1])
  })

  it('wait until a worker starts', async () => {
    const sender = open(['api'])
    const say = sender.define<JobData>('say', async () => expect.unreachable())
    await sender.start()
    await say.send({ word: 'later' })
    const heard: string[] = []
    const worker = open(['worker'])
    worker.define<JobData>('say', async ({ word }) => void heard.push(word))
    await worker.start()
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['later'])
  })

  it('exist only if their transaction commits', async () => {
    const jobs = open()
    const heard: string[] = []
    const say = jobs.define<JobData>('say', async ({ word }) => void heard.push(word))
    await jobs.start()
    const undone = relational.transaction(async (tx) => {
      await say.send({ word: 'undone' }, { tx })
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    await relational.transaction((tx) => say.send({ word: 'done' }, { tx }))
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['done'])
  })

  it('that repeat wait at most once, also after several starts', async () => {
    let runs = 0
    const startOne = async () => {
      const jobs = open()
      jobs.define('sweep', async () => void runs++, { everySeconds: 86_400 })
      await jobs.start()
    }
    const states = () =>
      relational.runScript('select state, count(*)::int as count from pgboss.job group by state order by state')
    const oneDoneOneWaits = [
      { state: 'created', count: 1 },
      { state: 'completed', count: 1 },
    ]
    await startOne()
    await expect.poll(states, { timeout: 10_000 }).toEqual(oneDoneOneWaits)
    await startOne()
    await startOne()
    expect(await states()).toEqual(oneDoneOneWaits)
    expect(runs).toBe(1)
  })

  it('are aborted when the server stops, and run again after its next start', async () => {
    const heard: string[] = []
    const first = open()
    const wait = first.define<JobData>('wait', async ({ word }, { signal }) => {
      heard.push(`begun ${word}`)
      await new Promise((_, stop) => signal.addEventListener('abort', () => stop(signal.reason)))
    })
    await first.start()
    await wait.send({ word: 'w' })
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['begun w'])
    await first.close()
    const second = open()
    second.define<JobData>('wait', async ({ word }) => void heard.push(`done ${word}`))
    await second.start()
    await expect.poll(() => heard, { timeout: 15_000 }).toEqual(['begun w', 'done w'])
  })
})

describe('jobs of an embedded store', () => {
  it('of a crashed process are retried at the next start', async () => {
    const [, openRelational] = everyRelationalEngine[0]!
    const relational = await openRelational()
    const log = pino({ level: 'silent' })
    const config = { roles: ['api', 'worker'] as const }
    const heard: string[] = []
    // It never ends, like a handler of a killed process.
    const dead = openJobs({ relational, log, config })
    const hang = dead.define<JobData>('hang', ({ word }) => {
      heard.push(`begun ${word}`)
      return new Promise(() => {})
    })
    await dead.start()
    await hang.send({ word: 'h' })
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['begun h'])
    const next = openJobs({ relational, log, config })
    next.define<JobData>('hang', async ({ word }, { retries }) => void heard.push(`done ${word} ${retries}`), {
      atOnce: 2,
    })
    await next.start()
    await expect.poll(() => heard, { timeout: 15_000 }).toEqual(['begun h', 'done h 1'])
    await next.close()
  })

  it('that were to begin later begin on time after the next start, each of them', async () => {
    const [, openRelational] = everyRelationalEngine[0]!
    const relational = await openRelational()
    const log = pino({ level: 'silent' })
    const before = openJobs({ relational, log, config: { roles: ['api'] } })
    const later = before.define<JobData>('later', async () => {})
    await before.start()
    await later.send({ word: 'one' }, { afterSeconds: 1 })
    await later.send({ word: 'two' }, { afterSeconds: 3 })
    await before.close()
    const heard: string[] = []
    const next = openJobs({ relational, log, config: { roles: ['api', 'worker'] } })
    next.define<JobData>('later', async ({ word }) => void heard.push(word))
    await next.start()
    await expect.poll(() => heard, { timeout: 15_000 }).toEqual(['one', 'two'])
    await next.close()
    await relational.close()
  })
})
