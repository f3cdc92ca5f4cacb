import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type Journal, JournalFullError, type JournalOptions, openJournal as open } from './journal.ts'

const root = mkdtempSync(join(tmpdir(), 'touchstone-journal-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const opened: Journal[] = []
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close()
})
async function openJournal(directory: string, options?: JournalOptions) {
  const found = await open(directory, options)
  opened.push(found.journal)
  return found
}

let directories = 0
const aDirectory = () => join(root, String(++directories))
const segments = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.journal'))

/** Opens a journal as after a crash of the process that wrote it; returns the texts that are not applied. */
async function reopen(directory: string, options?: JournalOptions) {
  const { journal, records, tornBytes } = await openJournal(directory, options)
  return {
    journal,
    texts: records.map(({ body }) => body.toString()),
    numbers: records.map((one) => one.number),
    tornBytes,
  }
}

/** A journal with three records, as a killed process leaves it. */
async function withThree(options?: JournalOptions) {
  const directory = aDirectory()
  const { journal } = await openJournal(directory, options)
  for (const text of ['one', 'two', 'three']) await journal.append(Buffer.from(text))
  return { directory, journal, path: join(directory, segments(directory)[0]!) }
}

describe('a journal', () => {
  it('returns what was appended and not applied, in its order', async () => {
    const { directory, journal } = await withThree()
    expect((await reopen(directory)).texts).toEqual(['one', 'two', 'three'])
    await journal.markApplied(1)
    expect((await reopen(directory)).texts).toEqual(['two', 'three'])
    await journal.markApplied(3)
    expect((await reopen(directory)).texts).toEqual([])
  })

  it('numbers records on after everything was applied and its files were removed', async () => {
    const { directory, journal } = await withThree()
    await journal.markApplied(3)
    await journal.close()
    opened.pop()
    expect(segments(directory)).toEqual([])
    const again = await reopen(directory)
    expect(await again.journal.append(Buffer.from('four'))).toBe(4)
    expect((await reopen(directory)).numbers).toEqual([4])
  })

  it('keeps the order of appends that wait for one synchronization', async () => {
    const directory = aDirectory()
    const { journal } = await openJournal(directory)
    const texts = Array.from({ length: 200 }, (_, at) => `record ${at}`)
    const numbers = await Promise.all(texts.map((text) => journal.append(Buffer.from(text))))
    expect(numbers).toEqual(texts.map((_, at) => at + 1))
    expect((await reopen(directory)).texts).toEqual(texts)
  })

  it('removes a file once all of its records are applied, and no earlier', async () => {
    const { directory, journal } = await withThree({ segmentBytes: 1 })
    expect(segments(directory)).toHaveLength(3)
    await journal.markApplied(2)
    expect(segments(directory)).toHaveLength(1)
    expect((await reopen(directory)).texts).toEqual(['three'])
  })

  it('keeps the file that is written while earlier records are marked as applied', async () => {
    const directory = aDirectory()
    const { journal } = await openJournal(directory)
    const body = Buffer.alloc(1_200_000)
    let number = await journal.append(body)
    for (let round = 0; round < 50; round++) {
      const [next] = await Promise.all([journal.append(body), journal.markApplied(number)])
      const { journal: found, records } = await open(directory)
      await found.close()
      expect(records.map((record) => record.number)).toEqual([next])
      number = next
    }
  })

  it('cuts a torn end at the last whole record, wherever it was torn, and keeps the cut bytes', async () => {
    const { path: whole } = await withThree()
    const content = readFileSync(whole)
    const ends = [23, 46, 71] // 20 bytes of header each
    for (let length = 0; length < content.length; length++) {
      const directory = aDirectory()
      await (await open(directory)).journal.close()
      const path = join(directory, '0000000000000001.journal')
      writeFileSync(path, content.subarray(0, length))
      const { texts, journal, tornBytes } = await reopen(directory)
      const kept = ends.filter((end) => end <= length)
      expect(texts).toEqual(['one', 'two', 'three'].slice(0, kept.length))
      expect(tornBytes).toBe(length - (kept.at(-1) ?? 0))
      if (tornBytes > 0) expect(statSync(`${path}.torn`).size).toBe(tornBytes)
      await journal.append(Buffer.from('next'))
      expect((await reopen(directory)).texts).toEqual([...texts, 'next'])
    }
  })

  it('does not return a record with a changed byte', async () => {
    const { path } = await withThree()
    const content = readFileSync(path)
    for (let at = 23; at < 46; at++) {
      const directory = aDirectory()
      await (await open(directory)).journal.close()
      const damaged = Buffer.from(content)
      damaged[at]! ^= 1
      writeFileSync(join(directory, '0000000000000001.journal'), damaged)
      expect((await reopen(directory)).texts).toEqual(['one'])
    }
  })

  it('ignores garbage behind the last record', async () => {
    const { directory, path } = await withThree()
    appendFileSync(path, Buffer.alloc(4096))
    expect(await reopen(directory)).toMatchObject({ texts: ['one', 'two', 'three'], tornBytes: 4096 })
  })

  it('applies records again rather than lose them when the mark of the applied ones is damaged', async () => {
    const { directory, journal } = await withThree()
    await journal.markApplied(1)
    await journal.markApplied(2)
    const mark = join(directory, 'applied')
    const content = readFileSync(mark)
    for (let at = 0; at < content.length; at++) {
      const damaged = Buffer.from(content)
      damaged[at]! ^= 1
      writeFileSync(mark, damaged)
      expect((await reopen(directory)).texts.slice(-1)).toEqual(['three'])
    }
    truncateSync(mark, 0)
    expect((await reopen(directory)).texts).toEqual(['one', 'two', 'three'])
  })

  it('refuses an append that would leave too little free space, and stores nothing of it', async () => {
    const { directory } = await withThree()
    const { journal } = await openJournal(directory, { keepFreeBytes: Number.MAX_SAFE_INTEGER })
    await expect(journal.append(Buffer.from('four'))).rejects.toThrow(JournalFullError)
    expect((await reopen(directory)).texts).toEqual(['one', 'two', 'three'])
  })
})
