import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { printPrompt, promptName, promptPath, readPrompt, writePrompt } from './prompt-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-prompts-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'a.json')
const manifest = { z: 1, a: [{ b: null }], id: ['x'] }

describe('the file of a prompt', () => {
  it('holds the manifest in its own order, after what people read', async () => {
    const prompt = { description: 'd', readme: 'r', tags: ['t'], commit: '3f1c0b7d', manifest }
    await writePrompt(path, prompt)
    expect(await readPrompt(path)).toEqual(prompt)
    expect(Object.keys(JSON.parse(printPrompt(prompt)))).toEqual([
      'description',
      'readme',
      'tags',
      'commit',
      'manifest',
    ])
    expect(Object.keys((await readPrompt(path))!.manifest!)).toEqual(['z', 'a', 'id'])
  })

  it('may leave out what is empty, and may not be there', async () => {
    writeFileSync(path, '\uFEFF{}')
    expect(await readPrompt(path)).toEqual({ description: '', readme: '', tags: [] })
    expect(await readPrompt(join(folder, 'gone.json'))).toBeUndefined()
  })

  it('gives the prompt its name, which cannot lead out of the folder', () => {
    expect(promptName('/x/joke-writer_2.json')).toBe('joke-writer_2')
    expect(promptPath('x', 'joke')).toBe(join('x', 'joke.json'))
    for (const name of ['A b', '', '-', '..'])
      expect(() => promptName(`/x/${name}.json`)).toThrow('is no name of a prompt')
    for (const name of ['../joke', 'a/b', '..', '']) expect(() => promptPath('x', name)).toThrow('is no name of a file')
  })

  it.each([
    ['no JSON', '{', 'is not a JSON object.'],
    ['no object', '[]', 'is not a JSON object.'],
    ['a member it does not know', '{"is_public":true}', '"is_public" is none of description,'],
    ['a description that is none', '{"description":1}', 'description and readme are texts.'],
    ['tags that are none', '{"tags":"a"}', 'tags are a list of texts.'],
    ['a commit that is none', '{"commit":"abc"}', 'commit is a hash.'],
    ['a manifest that is none', '{"manifest":[]}', 'the manifest is a JSON object.'],
    ['a number that would change', '{"manifest":{"n":12345678901234567890}}', 'has more digits than this keeps'],
  ])('is refused with %s', async (_, content, message) => {
    writeFileSync(path, content)
    await expect(readPrompt(path)).rejects.toThrow(message)
  })
})
