import { beforeEach, describe, expect, it } from 'vitest'
import { CorrectionDrafts, isUnsaved } from './correction-drafts.ts'

const place = { item: { id: 'a' } }
let written: string[]
let finish: ((error?: Error) => void)[]
let drafts: CorrectionDrafts<typeof place>

beforeEach(() => {
  written = []
  finish = []
  drafts = new CorrectionDrafts((_, text) => {
    written.push(text)
    return new Promise((resolve, reject) => finish.push((error) => (error ? reject(error) : resolve())))
  })
})

// Pause: lets pending promises settle.
const settle = () => new Promise((resolve) => setTimeout(resolve))
const find = (id = 'a') => drafts.store.read().get(id)

function type(text: string) {
  drafts.open('a', '{}')
  drafts.type('a', text)
}

describe('the draft of a correction', () => {
  it('stays while other items are corrected', () => {
    type('{"x": 1}')
    drafts.open('b', '{"b": 0}')
    drafts.open('a', '{}')
    expect(find()?.text).toBe('{"x": 1}')
    expect(find('b')?.text).toBe('{"b": 0}')
  })

  it('is stored and closed when its item is left', async () => {
    type('{"x": 1}')
    expect(drafts.accept('a')).toBe(true)
    const flushed = drafts.flush(place)
    await settle()
    expect(find()?.isSaving).toBe(true)
    finish[0]?.()
    expect(await flushed).toBe(true)
    expect(written).toEqual(['{"x": 1}'])
    expect(find()).toBeUndefined()
  })

  it('is not stored when nothing was changed', async () => {
    drafts.open('a', '{"x": 1}')
    expect(await drafts.flush(place)).toBe(true)
    expect(written).toEqual([])
    expect(find()).toBeUndefined()
  })

  it.each(['{"x": ', '[1]'])('keeps the reviewer at the invalid text %s until it is changed', async (text) => {
    type(text)
    expect(drafts.accept('a')).toBe(false)
    expect(drafts.accept('a')).toBe(false)
    expect(find()).toMatchObject({ text, refusals: 2 })
    drafts.type('a', '{"x": 1}')
    expect(find()?.refusals).toBe(0)
    expect(drafts.accept('a')).toBe(true)
  })

  it('is not sent when it is invalid', async () => {
    type('{"x": ')
    expect(await drafts.save(place)).toBe(false)
    expect(written).toEqual([])
  })

  it('keeps what is typed while a save runs, and stores it next', async () => {
    type('{"x": 1}')
    const first = drafts.save(place)
    await settle()
    drafts.type('a', '{"x": 12}')
    const second = drafts.flush(place)
    await settle()
    expect(written).toEqual(['{"x": 1}'])
    finish[0]?.()
    expect(await first).toBe(true)
    expect(find()).toMatchObject({ start: '{"x": 1}', text: '{"x": 12}' })
    await settle()
    finish[1]?.()
    expect(await second).toBe(true)
    expect(written).toEqual(['{"x": 1}', '{"x": 12}'])
    expect(find()).toBeUndefined()
  })

  it('is stored once when its item is left while it is saved', async () => {
    type('{"x": 1}')
    const both = [drafts.save(place), drafts.flush(place)]
    await settle()
    finish[0]?.()
    expect(await Promise.all(both)).toEqual([true, true])
    expect(written).toHaveLength(1)
  })

  it('stays with its error when it could not be stored, until it is cancelled', async () => {
    type('{"x": 1}')
    const failed = drafts.flush(place)
    await settle()
    finish[0]?.(new Error('offline'))
    expect(await failed).toBe(false)
    expect(find()).toMatchObject({ text: '{"x": 1}', isSaving: false, error: new Error('offline') })
    drafts.cancel('a')
    expect(await drafts.flush(place)).toBe(true)
  })

  it('can be brought back after it was cancelled, unless a newer one is open', () => {
    type('{"x": 1}')
    const draft = find()
    drafts.cancel('a')
    if (draft) drafts.restore('a', draft)
    expect(find()).toEqual(draft)
    drafts.cancel('a')
    drafts.open('a', '{"new": 1}')
    if (draft) drafts.restore('a', draft)
    expect(find()?.text).toBe('{"new": 1}')
  })

  it('is unsaved while it differs or is being saved', () => {
    const draft = {
      start: '{}',
      text: '{}',
      hasInvalidField: false,
      isSaving: false,
      error: undefined,
      refusals: 0,
      isRestored: false,
    }
    expect(isUnsaved(draft)).toBe(false)
    expect(isUnsaved({ ...draft, text: '{"x": 1}' })).toBe(true)
    expect(isUnsaved({ ...draft, isSaving: true })).toBe(true)
    expect(isUnsaved({ ...draft, hasInvalidField: true })).toBe(true)
  })
})
