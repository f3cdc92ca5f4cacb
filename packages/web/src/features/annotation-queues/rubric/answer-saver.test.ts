import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AnswerSaver, type SaveStatus } from './answer-saver.ts'
import type { Answer } from './rubric.ts'

let written: [string, Answer][]
let finish: ((error?: Error) => void)[]
let statuses: string[]
let saver: AnswerSaver

beforeEach(() => {
  vi.useFakeTimers()
  written = []
  finish = []
  statuses = []
  saver = new AnswerSaver(
    (key, answer) => {
      written.push([key, answer])
      return new Promise((resolve, reject) => finish.push((error) => (error ? reject(error) : resolve())))
    },
    (key, status: SaveStatus | undefined) => statuses.push(`${key} ${status?.kind}`),
  )
})
afterEach(() => vi.useRealTimers())

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('saving answers', () => {
  it('writes at once and reports it', async () => {
    saver.save('a', { score: 1 })
    await settle()
    expect(written).toEqual([['a', { score: 1 }]])
    expect(saver.hasPending()).toBe(true)
    finish[0]?.()
    await settle()
    expect(statuses).toEqual(['a saving', 'a saved'])
    expect(saver.hasPending()).toBe(false)
  })

  it('waits for typing to pause, and writes only the last text', async () => {
    saver.save('a', { value: 'h' }, 400)
    await vi.advanceTimersByTimeAsync(300)
    saver.save('a', { value: 'hi' }, 400)
    await vi.advanceTimersByTimeAsync(300)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(written).toEqual([['a', { value: 'hi' }]])
  })

  it('never lets an older answer overtake a newer one', async () => {
    saver.save('a', { score: 0 })
    await settle()
    saver.save('a', { score: 1 })
    saver.save('a', { score: 2 })
    await settle()
    expect(written).toHaveLength(1)
    finish[0]?.()
    await settle()
    expect(written.at(-1)).toEqual(['a', { score: 2 }])
    finish[1]?.()
    await settle()
    expect(written).toHaveLength(2)
    expect(statuses.at(-1)).toBe('a saved')
  })

  it('flushes what is being typed', async () => {
    saver.save('a', { value: 'hi' }, 400)
    const flushed = saver.flush()
    await settle()
    expect(written).toEqual([['a', { value: 'hi' }]])
    finish[0]?.()
    expect(await flushed).toBe(true)
  })

  it('reports a failure, and writes again when it is flushed', async () => {
    saver.save('a', { score: 1 })
    await settle()
    finish[0]?.(new Error('offline'))
    await settle()
    expect(statuses.at(-1)).toBe('a failed')
    const flushed = saver.flush()
    await settle()
    finish[1]?.()
    expect(await flushed).toBe(true)
    expect(statuses.at(-1)).toBe('a saved')
  })

  it('reports that not all is stored when a flush fails', async () => {
    saver.save('a', { score: 1 })
    await settle()
    const flushed = saver.flush()
    finish[0]?.(new Error('offline'))
    await settle()
    finish[1]?.(new Error('offline'))
    expect(await flushed).toBe(false)
  })

  it('gives up an answer that became invalid before it was written', async () => {
    saver.save('a', { score: 1 }, 400)
    saver.reject('a', { score: 12 })
    await vi.advanceTimersByTimeAsync(400)
    expect(await saver.flush()).toBe(true)
    expect(written).toEqual([])
    expect(statuses).toEqual(['a saving', 'a undefined'])
    expect(saver.hasPending()).toBe(true)
  })

  it('does not call an answer saved after a newer one became invalid', async () => {
    saver.save('a', { score: 1 })
    await settle()
    saver.reject('a', { score: 12 })
    finish[0]?.()
    await settle()
    expect(statuses).toEqual(['a saving', 'a undefined'])
    saver.save('a', { score: 2 })
    await settle()
    finish[1]?.()
    await settle()
    expect(written.map(([, answer]) => answer)).toEqual([{ score: 1 }, { score: 2 }])
    expect(statuses.at(-1)).toBe('a saved')
    expect(saver.hasPending()).toBe(false)
  })
})
