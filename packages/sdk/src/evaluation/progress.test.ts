import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Progress } from './progress.ts'

const { stderr } = process
let written: string[]
beforeEach(() => {
  written = []
  const write = (text: unknown) => written.push(String(text)) > 0
  vi.spyOn(stderr, 'write').mockImplementation(write)
  vi.spyOn(console, 'error').mockImplementation((text) => void write(`${text}\n`))
  vi.useFakeTimers()
})
afterEach(() => {
  Object.defineProperty(stderr, 'isTTY', { value: undefined, configurable: true })
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const onTerminal = (columns: number) => {
  Object.defineProperty(stderr, 'isTTY', { value: true, configurable: true })
  Object.defineProperty(stderr, 'columns', { value: columns, configurable: true })
}

describe('progress', () => {
  it('is a bar on a terminal, wiped for what is said, and a line in the end', () => {
    onTerminal(60)
    const progress = new Progress(true)
    progress.begin(2)
    progress.advance(false)
    progress.print('careful')
    vi.advanceTimersByTime(1500)
    progress.advance(true)
    progress.end()

    const wipe = '\r\u001b[K'
    const bar = (filled: number, state: string) => `${wipe}${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${state}`
    expect(written).toEqual([
      bar(0, '0 of 2 done, 0.0 s'),
      bar(15, '1 of 2 done, 0.0 s'),
      wipe,
      'careful\n',
      bar(15, '1 of 2 done, 0.0 s'),
      bar(30, '2 of 2 done, 1 failed, 1.5 s'),
      wipe,
      '2 of 2 done, 1 failed, 1.5 s\n',
    ])
  })

  it('never wraps a narrow terminal', () => {
    onTerminal(20)
    new Progress(true).begin(3)
    expect(written[0]!.replace('\r\u001b[K', '')).toHaveLength(19)
  })

  it('is a line every five seconds elsewhere', () => {
    const progress = new Progress(true)
    progress.begin(40)
    for (let row = 0; row < 40; row++) {
      vi.advanceTimersByTime(500)
      progress.advance(false)
    }
    progress.end()
    expect(written).toEqual([
      '10 of 40 done, 5.0 s\n',
      '20 of 40 done, 10.0 s\n',
      '30 of 40 done, 15.0 s\n',
      '40 of 40 done, 20.0 s\n',
    ])
  })

  it('is silent when it is off', () => {
    onTerminal(60)
    const progress = new Progress(false)
    progress.begin(1)
    progress.print('x')
    progress.advance(false)
    progress.end()
    expect(written).toEqual([])
  })
})
