import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ANY_ROW } from '../rows.ts'
import { createWriteLimiter, openChdb } from './chdb.ts'
import { sql } from './sql.ts'

it('the embedded column store is closed only after its running queries have ended', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-chdb-'))
  const analytics = await openChdb(directory)
  // Longer than the work that remains here after the engine has answered.
  const answer = analytics.query(sql`select sleep(3)`, ANY_ROW).then(() => 'answered')
  await analytics.close()
  expect(await Promise.race([answer, after(1_000, 'still at work')])).toBe('answered')
  rmSync(directory, { recursive: true })
})

function aTask() {
  let finish = () => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  return { done, finish }
}

describe('the write limiter', () => {
  it('waits for running writes before a pause, and holds other writes back until its end', async () => {
    const limiter = createWriteLimiter()
    const seen: string[] = []
    const [first, work] = [aTask(), aTask()]
    const running = limiter.write(async () => {
      await first.done
      seen.push('first write')
    })
    const slow = aTask()
    const deletion = limiter.writeInBackground(() => slow.done)
    const pausing = limiter.pause(async () => {
      seen.push('paused')
      await work.done
      seen.push('about to resume')
    })
    const later = limiter.write(async () => void seen.push('later write'))
    const command = limiter.writeInBackground(async () => void seen.push('later command'))
    first.finish()
    await running
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual(['first write', 'paused'])
    work.finish()
    slow.finish()
    await Promise.all([pausing, later, command, deletion])
    expect(seen.slice(0, 3)).toEqual(['first write', 'paused', 'about to resume'])
    expect(seen.slice(3).toSorted()).toEqual(['later command', 'later write'])
  })

  it('resumes when the work fails', async () => {
    const limiter = createWriteLimiter()
    await expect(limiter.pause(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await limiter.write(async () => 'stored')).toBe('stored')
  })

  it('pauses for one task at a time', async () => {
    const limiter = createWriteLimiter()
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name} ends`)
    }
    await Promise.all([limiter.pause(work('a')), limiter.pause(work('b'))])
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })
})
