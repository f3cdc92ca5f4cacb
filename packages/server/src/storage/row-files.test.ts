import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countRows, cutAtLines, readRowFile, writeRowFile } from './row-files.ts'

const chunks = (...texts: string[]) => Readable.from(texts.map((one) => Buffer.from(one)))

describe('a file of rows', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-row-files-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  it('has the lines that were written, for its owner alone', async () => {
    const path = join(root, 'rows.tsv.gz')
    expect(await writeRowFile(chunks('a\nb', 'c\n', 'd\n'), path)).toBe(3)
    expect(await countRows(path)).toBe(3)
    expect(await text(readRowFile(path))).toBe('a\nbc\nd\n')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('ends with the error of a caller that stops it', async () => {
    const onBytes = () => {
      throw new Error('stopped')
    }
    await expect(writeRowFile(chunks('a\n'), join(root, 'stopped.tsv.gz'), { onBytes })).rejects.toThrow('stopped')
  })

  it('reports a missing file to its reader', async () => {
    await expect(text(readRowFile(join(root, 'missing.tsv.gz')))).rejects.toThrow('ENOENT')
  })
})

describe('text cut at lines', () => {
  it('is cut into pieces of whole lines', async () => {
    const pieces: string[] = []
    for await (const piece of cutAtLines(chunks('aa\nbb', 'bb\n', 'cccccccc', 'c\ndd\n', 'e\n'), 6)) {
      pieces.push(piece.toString())
    }
    expect(pieces.join('')).toBe('aa\nbbbb\nccccccccc\ndd\ne\n')
    expect(pieces.every((piece) => piece.endsWith('\n'))).toBe(true)
    expect(pieces.length).toBeGreaterThan(2)
  })

  it('is refused when a line has no end', async () => {
    const cut = async () => {
      for await (const _ of cutAtLines(chunks('aa\n', 'bbbb', 'bbbb', 'bbbb'), 6, 10));
    }
    await expect(cut()).rejects.toThrow('A row is longer than 10 bytes.')
  })
})
