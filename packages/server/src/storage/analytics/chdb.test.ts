import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createWriteLimiter, openChdb } from './chdb.ts'
import { sql } from './sql.ts'

it('the embedded column store is closed when nothing is at work in it any more, whoever waits for that', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-chdb-'))
  const analytics = await openChdb(directory)
  // Longer than the work that remains here after the engine has answered.
  const answer = analytics.query(sql`select sleep(3)`).then(() => 'answered')
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

describe('the gate of writes', () => {
  it('waits for running writes before it closes, and lets others wait until it opens', async () => {
    const gate = createWriteLimiter()
    const seen: string[] = []
    const [first, work] = [aTask(), aTask()]
    const running = gate.write(async () => {
      await first.done
      seen.push('first write')
    })
    const slow = aTask()
    const deletion = gate.writeSlowly(() => slow.done)
    const closing = gate.close(async () => {
      seen.push('closed')
      await work.done
      seen.push('about to open')
    })
    const later = gate.write(async () => void seen.push('later write'))
    const command = gate.writeSlowly(async () => void seen.push('later command'))
    first.finish()
    await running
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual(['first write', 'closed'])
    work.finish()
    slow.finish()
    await Promise.all([closing, later, command, deletion])
    expect(seen.slice(0, 3)).toEqual(['first write', 'closed', 'about to open'])
    expect(seen.slice(3).toSorted()).toEqual(['later command', 'later write'])
  })

  it('opens again when the work fails', async () => {
    const gate = createWriteLimiter()
    await expect(gate.close(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await gate.write(async () => 'stored')).toBe('stored')
  })

  it('closes for one at a time', async () => {
    const gate = createWriteLimiter()
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name} ends`)
    }
    await Promise.all([gate.close(work('a')), gate.close(work('b'))])
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })
})
