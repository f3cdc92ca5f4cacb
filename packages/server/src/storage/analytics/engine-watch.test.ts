import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ANY_ROW } from '../rows.ts'
import { watchEngine } from './engine-watch.ts'
import type { Analytics } from './port.ts'
import { literal, sql } from './sql.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A store whose statements end when the test ends them. */
function aStore() {
  const ends = new Map<string, () => void>()
  const wait = (name: string) => new Promise<never[]>((resolve) => ends.set(name, () => resolve([])))
  const stuck: string[] = []
  const store = {
    query: ({ text }: { text: string }) => wait(text),
    queryTexts: ({ text }: { text: string }) => wait(text),
    insert: (table: string) => wait(table),
    command: ({ text }: { text: string }) => wait(text),
    close: async () => {},
  } as unknown as Analytics
  const analytics = watchEngine(store, {
    stuckAfterMs: 60_000,
    onStuck: (message) => void stuck.push(message),
    now: Date.now,
  })
  return { analytics, stuck, end: (name: string) => ends.get(name)?.() }
}

const LIMITED = sql`select 1 settings max_execution_time = 10`

describe('an engine', () => {
  it('is stuck when a select takes longer than its limit by far and nothing else ends', async () => {
    const { analytics, stuck } = aStore()
    void analytics.query(LIMITED, ANY_ROW)
    await vi.advanceTimersByTimeAsync(69_000)
    void analytics.insert('runs', [])
    void analytics.command(literal('alter table runs delete where 1'))
    expect(stuck).toEqual([])
    await vi.advanceTimersByTimeAsync(3_000)
    expect(stuck).toEqual([expect.stringMatching(/^The column store has been stuck for 7\d s; the process is ended/)])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(stuck).toHaveLength(1)
  })

  it('is not stuck while other statements end', async () => {
    const { analytics, stuck, end } = aStore()
    void analytics.queryTexts(LIMITED)
    for (let minutes = 0; minutes < 5; minutes++) {
      void analytics.insert('runs', [])
      await vi.advanceTimersByTimeAsync(60_000)
      end('runs')
      await vi.advanceTimersByTimeAsync(0)
    }
    expect(stuck).toEqual([])
  })

  it('is not stuck by statements without a limit, or by a select that waits for a command', async () => {
    const { analytics, stuck } = aStore()
    void analytics.query(sql`select 1`, ANY_ROW)
    void analytics.command(literal('alter table runs delete where 1'))
    void analytics.query(LIMITED, ANY_ROW)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(stuck).toEqual([])
  })
})
