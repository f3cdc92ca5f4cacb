import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  diffLines,
  formatDiff,
  formatPromptFile,
  getPromptName,
  readPromptFile,
  toPromptPath,
  writePromptFile,
} from './prompt-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-prompts-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'a.json')
const manifest = { z: 1, a: [{ b: null }], id: ['x'] }

describe('prompt file', () => {
  it('keeps the member order of the manifest, after the descriptive members', async () => {
    const prompt = { description: 'd', readme: 'r', tags: ['t'], commit: '3f1c0b7d', manifest }
    await writePromptFile(path, prompt)
    expect(await readPromptFile(path)).toEqual(prompt)
    expect(Object.keys(JSON.parse(formatPromptFile(prompt)))).toEqual([
      'description',
      'readme',
      'tags',
      'commit',
      'manifest',
    ])
    expect(Object.keys((await readPromptFile(path))!.manifest!)).toEqual(['z', 'a', 'id'])
  })

  it('may lack empty members, and may not exist', async () => {
    writeFileSync(path, '\uFEFF{}')
    expect(await readPromptFile(path)).toEqual({ description: '', readme: '', tags: [] })
    expect(await readPromptFile(join(folder, 'gone.json'))).toBeUndefined()
  })

  it('determines the prompt name, which cannot lead out of the folder', () => {
    expect(getPromptName('/x/joke-writer_2.json')).toBe('joke-writer_2')
    expect(toPromptPath('x', 'joke')).toBe(join('x', 'joke.json'))
    for (const name of ['A b', '', '-', '..'])
      expect(() => getPromptName(`/x/${name}.json`)).toThrow('is not a valid prompt name')
    for (const name of ['../joke', 'a/b', '..', ''])
      expect(() => toPromptPath('x', name)).toThrow('is not a valid file name')
  })

  it.each([
    ['invalid JSON', '{', 'is not a JSON object.'],
    ['a list', '[]', 'is not a JSON object.'],
    ['an unknown member', '{"is_public":true}', '"is_public" is not one of description,'],
    ['an invalid description', '{"description":1}', 'description and readme must be strings.'],
    ['invalid tags', '{"tags":"a"}', 'tags must be a list of strings.'],
    ['an invalid commit', '{"commit":"abc"}', 'commit must be a hash.'],
    ['an invalid manifest', '{"manifest":[]}', 'the manifest must be a JSON object.'],
    [
      'a number that would change',
      '{"manifest":{"n":12345678901234567890}}',
      'has more digits than can be stored exactly',
    ],
  ])('is rejected with %s', async (_, content, message) => {
    writeFileSync(path, content)
    await expect(readPromptFile(path)).rejects.toThrow(message)
  })
})

describe('diff of two texts', () => {
  it.each([
    ['a\nb\n', 'a\nb\n', [' a', ' b']],
    ['', 'a\n', ['+a']],
    ['a\n', '', ['-a']],
    ['a\nb\nc\n', 'a\nx\nc\n', [' a', '-b', '+x', ' c']],
    ['a\nb\nc\nd\n', 'b\nd\n', ['-a', ' b', '-c', ' d']],
    ['a\na\n', 'a\na\na\n', [' a', ' a', '+a']],
    ['a\na\na\n', 'a\n', [' a', '-a', '-a']],
    ['a', 'a\n', [' a']],
  ])('compares %j and %j', (before, after, lines) => {
    expect(diffLines(before, after)).toEqual(lines)
  })

  it('contains both texts', () => {
    for (let round = 0; round < 300; round++) {
      const some = () => Array.from({ length: round % 12 }, () => 'abc'[Math.floor(random() * 3)]).join('\n')
      const [before, after] = [some(), some()]
      const lines = diffLines(before, after)
      const side = (without: string) => lines.filter((line) => !line.startsWith(without)).map((line) => line.slice(1))
      expect([side('+').join('\n'), side('-').join('\n')]).toEqual([before, after])
    }
  })

  it('is fast for texts without common lines', () => {
    const many = (word: string) => Array.from({ length: 10_000 }, (_, at) => `${word}${at}`).join('\n')
    expect(diffLines(many('a'), many('b'))).toHaveLength(20_000)
  })

  it('prints three lines of context', () => {
    const before = Array.from({ length: 30 }, (_, at) => `l${at}`)
    const after = before.with(5, 'x').with(20, 'y')
    const printed = formatDiff(before.join('\n'), after.join('\n'))
    expect(printed.split('\n')).toEqual([
      ' l2',
      ' l3',
      ' l4',
      '-l5',
      '+x',
      ' l6',
      ' l7',
      ' l8',
      '…',
      ' l17',
      ' l18',
      ' l19',
      '-l20',
      '+y',
      ' l21',
      ' l22',
      ' l23',
    ])
    expect(formatDiff('a\nb', 'a\nb')).toBe('')
  })
})

let state = 1
/** Numbers in [0, 1) that look random and are the same in every run. */
function random(): number {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647
}
